"""Pretrain on digits 0-4, freeze, adapt to digits 5-9 with low-rank adapters (B starts at zero) and a new head."""
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.A.T @ self.B.T


def fit(net, x, y, epochs, lr, tag):
    opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for e in range(epochs):
        tot = 0.0
        for idx in torch.randperm(len(x)).split(32):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if (e + 1) % 5 == 0:
            print(f"{tag} epoch {e + 1} loss {tot / len(x):.4f}")


def score(net, x, y):
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(6)
    X, Y = load_digits(return_X_y=True)
    xa, xb, ya, yb = train_test_split(X / 16 - 0.3, Y, test_size=0.25, stratify=Y, random_state=6)
    xa, xb = (torch.tensor(v, dtype=torch.float32) for v in (xa, xb))
    ya, yb = torch.tensor(ya), torch.tensor(yb)
    low, high = ya < 5, ya >= 5

    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
    fit(net, xa[low], ya[low], 15, 2e-3, "pretrain")
    print("digits 0-4, held out:", round(score(net, xb[yb < 5], yb[yb < 5]), 3))

    net[0], net[2], net[4] = LoRALinear(net[0]), LoRALinear(net[2]), nn.Linear(64, 5)
    fit(net, xa[high], ya[high] - 5, 20, 5e-3, "adapt")
    print("digits 5-9, held out:", round(score(net, xb[yb >= 5], yb[yb >= 5] - 5), 3))
