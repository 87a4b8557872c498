import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, n=6, hidden=12):
        super().__init__()
        self.gate = nn.Linear(2, n)
        self.experts = [nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 1)) for _ in range(n)]

    def forward(self, x):
        w = torch.softmax(self.gate(x), -1)
        y = torch.cat([e(x) for e in self.experts], -1)
        return (w * y).sum(-1)


torch.manual_seed(7)
x = torch.rand(1200, 2) * 4 - 2
y = torch.where(x[:, 0] > 0, torch.sin(3 * x[:, 1]), x[:, 0] * x[:, 1]) * 2
model = Experts()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(600):
    k = torch.randint(0, 1000, (64,))
    loss = (model(x[k]) - y[k]).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(f"step {step + 1} mse {loss.item():.4f}")
with torch.no_grad():
    r2 = 1 - (model(x[1000:]) - y[1000:]).square().mean() / y[1000:].var()
print(f"fit r2 {r2.item():.3f}")
