import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.embed = nn.Linear(bands, 48)
        self.relevance = nn.Linear(48, 1)
        self.read = nn.Linear(48, 1)

    def forward(self, x):
        h = self.embed(x)
        a = torch.softmax(self.relevance(h), dim=1)
        return self.read((a * h).sum(1)).squeeze(-1)


@torch.no_grad()
def error(net, x, y, scale):
    return (net(x) - y).abs().mean().item() * scale


def run(parts, loader):
    scale = parts["train"][1].std()
    net = Pool(24)
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    print(error(net, *parts["test"], scale))
