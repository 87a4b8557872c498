import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, backbone, dim, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.backbone(x).detach())


backbone = nn.Sequential(nn.Linear(64, 256), nn.ReLU())
backbone.load_state_dict(torch.load("backbone.pt"))
probe = Probe(backbone, 256, 10)
opt = torch.optim.SGD(probe.head.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    nn.functional.cross_entropy(probe(x), y).backward()
    opt.step()
