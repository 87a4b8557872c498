import argparse
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

ap = argparse.ArgumentParser()
ap.add_argument("--cycles", type=int, default=3)
ap.add_argument("--epochs", type=int, default=3)
args = ap.parse_args()
torch.manual_seed(19)
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
loader = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=40, shuffle=True, drop_last=True)
net = nn.Sequential(nn.Linear(64, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=args.epochs * len(loader))
votes = torch.zeros(len(x) - 1400, 10)
for cycle in range(args.cycles):
    for epoch in range(args.epochs):
        net.train()
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(net(xb), yb, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
    net.eval()
    with torch.no_grad():
        votes += net(x[1400:]).softmax(1)
    print(f"cycle {cycle} loss {loss.item():.4f} accuracy {(votes.argmax(1) == y[1400:]).float().mean():.3f}")
print(f"ensemble accuracy {(votes.argmax(1) == y[1400:]).float().mean():.3f}")
