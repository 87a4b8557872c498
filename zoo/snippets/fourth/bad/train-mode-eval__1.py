import torch
import torch.nn as nn


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.LazyLinear(10))

    def forward(self, x):
        return self.c(x)


def evaluate(model, loader):
    n = ok = 0
    with torch.no_grad():
        for x, y in loader:
            ok += (model(x).argmax(1) == y).sum().item()
            n += len(y)
    return ok / n


model = CNN()
opt = torch.optim.Adam(model.parameters())
for epoch in range(3):
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
    print(evaluate(model, val_loader))
