import torch
import torchvision
from torch import nn

model = torchvision.models.resnet18(weights="DEFAULT")
for p in model.parameters():
    p.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 10)
opt = torch.optim.Adam(model.fc.parameters(), lr=1e-3)
for epoch in range(3):
    model.eval()       # keep batch-norm statistics of the frozen body
    model.fc.train()
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
