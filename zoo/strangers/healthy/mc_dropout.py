"""Regression with uncertainty: point forecast in eval mode; for the error bars dropout alone is switched on again."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(23)
x = torch.rand(4000, 2) * 4 - 2
y = (torch.sin(2 * x[:, :1]) * x[:, 1:] + 0.1 * torch.randn(4000, 1))
train, test = random_split(TensorDataset(x, y), [3200, 800])

model = nn.Sequential(
    nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.05),
    nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.05),
    nn.Linear(64, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 25)
for epoch in range(25):
    model.train()
    total = 0.0
    for xb, yb in DataLoader(train, 64, shuffle=True):
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    sched.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} mse {total / len(train):.4f}")

xt, yt = next(iter(DataLoader(test, len(test))))
model.eval()
with torch.no_grad():
    point = model(xt)
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    draws = torch.stack([model(xt) for _ in range(50)])
    model.eval()
r2 = 1 - (point - yt).square().sum() / (yt - yt.mean()).square().sum()
spread = (draws.var(0) + 0.1 ** 2).sqrt()
inside = ((yt - point).abs() < 2 * spread).float().mean()
print(f"test R2 {r2:.4f}; within two sigma {inside:.3f}")
