"""A linear probe: the body rests with its statistics, only a plain layer on top of it learns."""

import torch
from torch import nn
from torch.nn import functional as F


class Probe(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


def head_only(loader, epochs):
    probe = Probe(10)
    probe.body.load_state_dict(torch.load("body.pt"))
    probe.eval()
    optimizer = torch.optim.SGD(probe.head.parameters(), lr=0.1)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(probe(x), y).backward()
            optimizer.step()


def what_wants_a_slope(loader, net):
    for name, weight in net.named_parameters():
        if not name.startswith("fc."):
            weight.requires_grad = False
    net.eval()  # the running averages must not move either
    wanted = [weight for weight in net.parameters() if weight.requires_grad]
    optimizer = torch.optim.SGD(wanted, lr=0.1, momentum=0.9)
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def part_by_part(loader, detector, optimizer):
    for x, y in loader:
        detector.eval()
        detector.roi_heads.train()
        loss = F.cross_entropy(detector(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
