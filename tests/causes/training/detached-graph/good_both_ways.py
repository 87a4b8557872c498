"""One decoder learns from the codes, the other trains the codes: each has its own direction."""

import torch
import torch.nn.functional as F
from torch import nn


class TwoWays(nn.Module):
    def __init__(self, codes, dim):
        super().__init__()
        self.enc = nn.Linear(12, dim)
        self.book = nn.Embedding(codes, dim)
        self.dec = nn.Linear(dim, 12)

    def forward(self, x):
        z = self.enc(x)
        q = self.book(torch.cdist(z, self.book.weight).argmin(1))
        to_encoder = z + (q - z).detach()
        to_codes = q + (z - q).detach()
        return self.dec(to_encoder), self.dec(to_codes)


torch.manual_seed(0)
net = TwoWays(32, 4)
adam = torch.optim.Adam(net.parameters(), lr=1e-3)
for x in torch.randn(320, 12).split(32):
    one, two = net(x)
    loss = F.mse_loss(one, x) + F.mse_loss(two, x)
    adam.zero_grad()
    loss.backward()
    adam.step()
