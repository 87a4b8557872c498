import torch
import torch.nn as nn
from sklearn.datasets import load_digits


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.b = nn.Linear(d, d), nn.Linear(d, d)
        nn.init.zeros_(self.b.weight)
        nn.init.zeros_(self.b.bias)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


torch.manual_seed(6)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 8 - 1, torch.tensor(d.target)
net = nn.Sequential(nn.Linear(64, 32), Residual(32), Residual(32), Residual(32), nn.Linear(32, 10))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.05)
for epoch in range(6):
    for k in torch.randperm(1400).split(35):
        loss = nn.functional.cross_entropy(net(x[k]), y[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, f"{loss.item():.4f}")
with torch.no_grad():
    print(f"accuracy {(net(x[1400:]).argmax(1) == y[1400:]).float().mean().item():.3f}")
