import copy

import torch
from torch import nn


class Ema:
    def __init__(self, model, decay=0.98):
        self.shadow = copy.deepcopy(model).eval()
        self.shadow.requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.state_dict().values(), model.state_dict().values()):
            if s.dtype.is_floating_point:
                s.mul_(self.decay).add_(p, alpha=1 - self.decay)
            else:
                s.copy_(p)


torch.manual_seed(20)
w = torch.randn(15)
X = torch.randn(2000, 15)
Y = torch.sin(X @ w * 0.4) + 0.2 * torch.randn(2000)
net = nn.Sequential(nn.Linear(15, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 1))
ema = Ema(net)
opt = torch.optim.Adam(net.parameters(), lr=8e-3)
for step in range(500):
    i = torch.randint(0, 1600, (32,))
    net.train()
    loss = (net(X[i]).squeeze(1) - Y[i]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    if step % 100 == 99:
        print(f"step {step + 1} loss {loss.item():.4f}")
net.eval()
with torch.no_grad():
    for name, m in (("raw", net), ("averaged", ema.shadow)):
        print(f"{name} rmse {(m(X[1600:]).squeeze(1) - torch.sin(X[1600:] @ w * 0.4)).pow(2).mean().sqrt():.4f}")
