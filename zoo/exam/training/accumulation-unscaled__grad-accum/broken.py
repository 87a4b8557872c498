import argparse
import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset

ap = argparse.ArgumentParser()
ap.add_argument("--micro", type=int, default=16)
ap.add_argument("--accum", type=int, default=16)
ap.add_argument("--lr", type=float, default=0.12)
ap.add_argument("--epochs", type=int, default=14)
args = ap.parse_args([])
torch.manual_seed(44)


def friction(n):
    x = torch.rand(n, 6) * 2 - 1
    y = 10 * torch.sin(math.pi * x[:, 0] * x[:, 1]) + 8 * x[:, 2] ** 2 + 6 * x[:, 3] + 4 * x[:, 4]
    return x * 1.7, (y - 2.7) / 5.0


xtr, ytr = friction(5120)
xte, yte = friction(800)
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=args.micro, shuffle=True)
model = nn.Sequential(nn.Linear(6, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 1))
opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
updates = args.epochs * len(loader) // args.accum
sched = LambdaLR(opt, lambda u: min(1.0, (u + 1) / 20) * (0.5 + 0.5 * math.cos(math.pi * u / updates)))
opt.zero_grad()
for epoch in range(args.epochs):
    shown = 0.0
    for k, (x, y) in enumerate(loader, start=1):
        loss = nn.functional.mse_loss(model(x).squeeze(1), y)
        shown += loss.item()
        loss.backward()
        if k % args.accum == 0:
            opt.step()
            sched.step()
            opt.zero_grad()
    if epoch % 2:
        print(f"epoch {epoch} mse {shown / len(loader):.4g} lr {sched.get_last_lr()[0]:.4f}")
with torch.no_grad():
    print(f"test rmse {((model(xte).squeeze(1) - yte) ** 2).mean().sqrt().item():.4f}")
