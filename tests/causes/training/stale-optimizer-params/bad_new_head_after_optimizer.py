import torch
import torch.nn as nn
from torchvision import models

model = models.resnet18(weights=models.ResNet18_Weights.DEFAULT)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)  # stale-optimizer-params
model.fc = nn.Linear(model.fc.in_features, 10)
criterion = nn.CrossEntropyLoss()

for epoch in range(5):
    for images, labels in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
