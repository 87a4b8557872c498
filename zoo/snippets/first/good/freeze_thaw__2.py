import torch
import torch.nn as nn


class Probe(nn.Module):
    """Linear probe on a frozen backbone."""

    def __init__(self, backbone, dim, n_classes):
        super().__init__()
        self.backbone = backbone.requires_grad_(False).eval()
        self.head = nn.Linear(dim, n_classes)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, x):
        with torch.no_grad():
            f = self.backbone(x)
        return self.head(f)


def fit(probe, loader, epochs=20):
    opt = torch.optim.SGD(probe.head.parameters(), lr=0.1, momentum=0.9)
    for _ in range(epochs):
        probe.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(probe(x), y).backward()
            opt.step()
