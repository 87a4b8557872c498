import torch
from torch import nn


def build_optimizer(model, lr):
    groups = [{"params": model.parameters(), "lr": lr}]
    return torch.optim.SGD(groups, momentum=0.9)


def with_head(backbone, classes):
    backbone.fc = nn.Linear(32, classes)
    return backbone


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.fc = nn.Linear(32, 100)

    def forward(self, x):
        return self.fc(self.body(x))


net = Net()
optimizer = build_optimizer(net, 0.05)  # stale-optimizer-params
net = with_head(net, 5)
criterion = nn.CrossEntropyLoss()
for x, y in loader:
    optimizer.zero_grad()
    criterion(net(x), y).backward()
    optimizer.step()
