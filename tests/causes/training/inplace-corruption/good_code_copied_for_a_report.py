import numpy as np
import torch
from torch import nn


class Codes:
    def __init__(self, width):
        self.total = np.zeros((width, width))
        self.last = None

    def update(self, code):
        z = code.detach().numpy()
        z = z - z.mean(axis=0)
        z /= z.std(axis=0) + 1e-6
        self.total += z.T @ z / len(z)
        kept = code.detach().clone().numpy()
        kept *= 2
        self.last = kept


encoder = nn.Sequential(nn.Linear(64, 24), nn.Sigmoid())
decoder = nn.Linear(24, 64)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
codes = Codes(24)
for step in range(500):
    x = torch.randn(32, 64)
    code = encoder(x)
    loss = (decoder(code) - x).pow(2).mean()
    codes.update(code)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report = code.detach().numpy()
    report -= report.mean(axis=0)
