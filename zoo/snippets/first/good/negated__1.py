import math
import torch
import torch.nn as nn


class Mine(nn.Module):
    """Donsker-Varadhan bound on mutual information, maximised over the critic."""

    def __init__(self, dx, dy, h=128):
        super().__init__()
        self.t = nn.Sequential(nn.Linear(dx + dy, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 1))

    def bound(self, x, y):
        joint = self.t(torch.cat([x, y], 1)).mean()
        shuffled = self.t(torch.cat([x, y[torch.randperm(len(y))]], 1))
        return joint - (torch.logsumexp(shuffled, 0).squeeze() - math.log(len(y)))


def estimate(x, y, steps=5000, bs=512):
    net = Mine(x.shape[1], y.shape[1])
    opt = torch.optim.Adam(net.parameters(), lr=5e-4)
    for _ in range(steps):
        i = torch.randint(len(x), (bs,))
        loss = -net.bound(x[i], y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        return net.bound(x, y).item()


def fit_flow(flow, loader, epochs):
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3, maximize=True)
    for _ in range(epochs):
        for x in loader:
            log_lik = flow.log_prob(x).mean()
            opt.zero_grad()
            log_lik.backward()
            opt.step()
