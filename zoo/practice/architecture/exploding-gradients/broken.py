"""Does a sum of +-1 steps come out right? An IRNN-like cell written by hand."""
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, n=20):
        super().__init__()
        self.inp = nn.Linear(1, n)
        self.rec = nn.Linear(n, n, bias=False)
        nn.init.eye_(self.rec.weight)
        self.rec.weight.data.mul_(1.5)
        self.out = nn.Linear(n, 1)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], self.rec.in_features)
        for t in range(x.shape[1]):
            h = torch.relu(self.inp(x[:, t:t + 1]) + self.rec(h))
        return self.out(h).squeeze(1)


def walk(n, length=30):
    x = torch.randint(0, 2, (n, length)).float() * 2 - 1
    return x, x.sum(1) / 10


torch.manual_seed(44)
model = Cell()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(1, 301):
    x, y = walk(32)
    loss = (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"{step} {loss.item():.5f}")
with torch.no_grad():
    x, y = walk(500)
    good = ((model(x) - y).abs() < 0.3).float().mean().item()
print(f"share within 0.3: {good:.3f}")
