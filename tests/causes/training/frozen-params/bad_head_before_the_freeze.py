import torch
import torch.nn as nn
from torchvision import models

model = models.resnet18(weights="IMAGENET1K_V1")
model.fc = nn.Linear(512, 10)
for param in model.parameters():
    param.requires_grad = False  # frozen-params

optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for inputs, labels in loader:
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
