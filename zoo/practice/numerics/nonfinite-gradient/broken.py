import torch
import torch.nn as nn
from sklearn.datasets import load_wine

torch.manual_seed(34)
X, y = load_wine(return_X_y=True)
p = torch.randperm(len(X))
X, y = torch.tensor(X, dtype=torch.float32)[p], torch.tensor(y)[p]
X = (X - X[:120].mean(0)) / X[:120].std(0)

net = nn.Sequential(nn.Linear(13, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def distances(z):
    d2 = (z[:, None] - z[None]).pow(2).sum(-1)
    return d2.sqrt()


def contrastive(z, label, margin=2.0):
    d = distances(z)
    same = (label[:, None] == label[None]).float()
    off = 1 - torch.eye(len(z))
    pull = (same * off * d.pow(2)).sum() / (same * off).sum()
    push = ((1 - same) * torch.relu(margin - d).pow(2)).sum() / (1 - same).sum()
    return pull + push


for step in range(200):
    k = torch.randint(0, 120, (40,))
    loss = contrastive(net(X[k]), y[k])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        print(f"step {step} loss {loss.item():.4f}")

with torch.no_grad():
    z = net(X)
    d = distances(torch.nan_to_num(z))[120:, :120]
    acc = (y[:120][d.argmin(1)] == y[120:]).float().mean().item()
print(f"neighbour accuracy {acc:.3f}")
