import argparse
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int, default=700, help="the old box could only hold 28")
p.add_argument("--lr", type=float, default=0.02)
p.add_argument("--epochs", type=int, default=15)
args = p.parse_args()

torch.manual_seed(10)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
train = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=args.batch_size, shuffle=True)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
for e in range(args.epochs):
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
    print(f"epoch {e} loss {loss.item():.4f}")
with torch.no_grad():
    print(f"test acc {(model(x[1400:]).argmax(1) == y[1400:]).float().mean().item():.3f}")
