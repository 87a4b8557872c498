"""The value of the quantised tensor, the gradient of the smooth one: right, however it is written."""

import torch
import torch.nn.functional as F
from torch import nn


class Quantiser(nn.Module):
    def __init__(self, codes, dim):
        super().__init__()
        self.enc = nn.Linear(dim, dim)
        self.book = nn.Embedding(codes, dim)

    def looked_up(self, x):
        z = self.enc(x)
        nearest = torch.cdist(z, self.book.weight).argmin(1)
        q = self.book(nearest)
        extra = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), extra

    def other_order(self, x):
        z = self.enc(x)
        q = z.round()
        return (q - z).detach() + z

    def subtracted(self, x):
        z = self.enc(x)
        q = torch.sign(z)
        return z - (z - q).data

    def one_by_one(self, x):
        soft = self.enc(x).softmax(-1)
        hard = F.one_hot(soft.argmax(-1), soft.shape[-1]).float()
        return hard - soft.detach() + soft

    def without_recording(self, x):
        p = torch.sigmoid(self.enc(x))
        with torch.no_grad():
            change = (p > 0.5).float() - p
        return p + change

    def in_place(self, x):
        p = torch.sigmoid(self.enc(x))
        coin = torch.bernoulli(p)
        out = p.clone()
        out += (coin - p).detach()
        return out

    def leaky(self, x):
        """Not quantised, only bent: nobody can say which of the two is meant to give the value."""
        z = self.enc(x)
        bent = torch.where(z > 0, z, 0.1 * z)
        return bent + (z - bent).detach()

    def corrected(self, x, target):
        """Two smooth tensors: the value of one and the gradient of the other, on purpose."""
        z = self.enc(x)
        y = torch.tanh(z)
        return y + (z - y).detach() + target - target.detach()

    def from_outside(self, z, q):
        return q + (z - q).detach()

    def forward(self, x):
        out, extra = self.looked_up(x)
        out = out + self.other_order(x) + self.subtracted(x) + self.one_by_one(x)
        out = out + self.without_recording(x) + self.in_place(x) + self.leaky(x) + self.corrected(x, x)
        return out + self.from_outside(self.enc(x), x), extra


torch.manual_seed(0)
net = Quantiser(16, 6)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for batch in torch.randn(256, 6).split(32):
    out, extra = net(batch)
    loss = out.square().mean() + extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
