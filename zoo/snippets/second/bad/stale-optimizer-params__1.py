import torch
import torch.nn as nn
from torchvision import models


def finetune(train_loader, num_classes=37, epochs=8):
    device = torch.device("cuda:0")
    model = models.resnet50(weights="IMAGENET1K_V2").to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.1)

    # pets has 37 breeds
    model.fc = nn.Linear(model.fc.in_features, num_classes).to(device)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step()
        print(epoch, loss.item())
    return model
