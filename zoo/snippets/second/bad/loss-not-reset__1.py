import torch
import torch.nn as nn


def train(model, train_loader, device, num_epochs):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    model.to(device)
    history = []
    for epoch in range(num_epochs):
        model.train()
        total_loss = 0
        for i, (images, labels) in enumerate(train_loader):
            images = images.to(device)
            labels = labels.to(device)

            outputs = model(images)
            loss = criterion(outputs, labels)

            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

            total_loss += loss
            if (i + 1) % 100 == 0:
                print("Epoch %d, step %d, loss %.4f" % (epoch + 1, i + 1, loss.item()))
        history.append(total_loss / len(train_loader))
    return history
