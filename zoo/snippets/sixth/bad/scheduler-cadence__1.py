import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR

num_epochs = 90
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scheduler = StepLR(optimizer, step_size=30, gamma=0.1)
criterion = nn.CrossEntropyLoss()

for epoch in range(num_epochs):
    model.train()
    for images, labels in train_loader:
        images = images.cuda()
        labels = labels.cuda()
        outputs = model(images)
        loss = criterion(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(f'Epoch [{epoch + 1}/{num_epochs}] Loss: {loss.item():.4f} lr: {scheduler.get_last_lr()}')
