import torch
import torch.nn as nn


class Tower(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, d), nn.BatchNorm1d(d), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = Tower()
        self.score = nn.Linear(16, 1)

    def forward(self, a, b):
        fa, fb = self.tower(a), self.tower(b)
        return (self.score(fa) - self.score(fb)).squeeze(1)


def pairs(n):
    """Each recording day has its own loudness; a comes from one day, b from another."""
    day = torch.randn(2)
    la, lb = day[0] + 0.3 * torch.randn(n, 1), day[1] + 0.3 * torch.randn(n, 1)
    a = la + 0.5 * torch.randn(n, 20)
    b = lb + 0.5 * torch.randn(n, 20)
    return a, b, (la > lb).float().squeeze(1)


torch.manual_seed(63)
model = Ranker()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
recent = []
for it in range(1, 501):
    model.train()
    a, b, y = pairs(48)
    loss = bce(model(a, b), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    recent.append(loss.item())
    if it % 100 == 0:
        print(f"it {it}: loss {loss.item():.4f}")
model.eval()
with torch.no_grad():
    good = [((model(a, b) > 0).float() == y).float().mean() for a, b, y in (pairs(20) for _ in range(60))]
print(f"pairs ordered right {torch.stack(good).mean().item():.3f}")
print(f"mean loss of the last hundred {sum(recent[-100:]) / 100:.4f}")
