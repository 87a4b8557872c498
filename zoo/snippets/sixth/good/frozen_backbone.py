import torch
import torch.nn as nn
from torchvision import models


class FineTuner(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        backbone = models.resnet18(weights=models.ResNet18_Weights.DEFAULT)
        self.features = nn.Sequential(*list(backbone.children())[:-1])
        for p in self.features.parameters():
            p.requires_grad = False
        self.head = nn.Linear(512, n_classes)

    def train(self, mode=True):
        super().train(mode)
        self.features.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            f = self.features(x).flatten(1)
        return self.head(f)


model = FineTuner(10).to(device)
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
