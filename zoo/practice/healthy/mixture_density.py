"""Mixture density network: the loss goes below zero and that is fine."""
import math
import torch
from torch import nn

torch.manual_seed(9)


class MDN(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.k = k
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 3 * k))

    def forward(self, x):
        w, mu, ls = self.net(x).chunk(3, -1)
        return torch.log_softmax(w, -1), mu, ls.clamp(-5, 3)


def nll(out, y):
    lw, mu, ls = out
    lp = lw - ls - 0.5 * math.log(2 * math.pi) - 0.5 * ((y - mu) / ls.exp()) ** 2
    return -torch.logsumexp(lp, -1).mean()


x = torch.rand(2000, 1) * 4 - 2
y = torch.where(torch.rand(2000, 1) < 0.5, torch.sin(2 * x), -torch.sin(2 * x)) + 0.05 * torch.randn(2000, 1)
model = MDN()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(800):
    k = torch.randint(0, 1600, (128,))
    loss = nll(model(x[k]), y[k])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 160 == 159:
        print(step + 1, f"{loss.item():.4f}")
with torch.no_grad():
    print(f"nll {nll(model(x[1600:]), y[1600:]).item():.3f}")
