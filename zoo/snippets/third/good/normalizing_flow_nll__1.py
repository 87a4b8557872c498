import math
import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d // 2, h), nn.ReLU(), nn.Linear(h, d))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        s, t = self.net(a).chunk(2, dim=-1)
        s = torch.tanh(s)
        return torch.cat([b * s.exp() + t, a], dim=-1), s.sum(-1)


def train(flow, loader, opt):
    for x in loader:
        z, logdet = x, 0.0
        for layer in flow:
            z, ld = layer(z)
            logdet = logdet + ld
        log_prob = -0.5 * (z ** 2 + math.log(2 * math.pi)).sum(-1) + logdet
        loss = -log_prob.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
