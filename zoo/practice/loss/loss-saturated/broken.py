"""Metric learning on the 8x8 digits with hand-drawn triplets."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

MARGIN = 0.8


class Embedder(nn.Module):
    def __init__(self, dim=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def triplets(x, y, n, gen):
    anchor = torch.randint(0, len(x), (n,), generator=gen)
    pos, neg = [], []
    for a in anchor.tolist():
        same = torch.nonzero(y == y[a]).flatten()
        other = torch.nonzero(y != y[a]).flatten()
        pos.append(same[torch.randint(len(same), (1,), generator=gen)])
        neg.append(other[torch.randint(len(other), (1,), generator=gen)])
    return x[anchor], x[torch.cat(pos)], x[torch.cat(neg)]


def margin_loss(a, p, n):
    d_pos = (a - p).pow(2).sum(1)
    d_neg = (a - n).pow(2).sum(1)
    return F.relu(d_pos - d_neg - MARGIN).mean()


def knn(model, x, y, xt, yt):
    with torch.no_grad():
        near = torch.cdist(model(xt), model(x)).argmin(1)
    return (y[near] == yt).float().mean().item()


def main():
    torch.manual_seed(2)
    gen = torch.Generator().manual_seed(2)
    d = load_digits()
    x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
    x, y, xt, yt = x[:1300], y[:1300], x[1300:], y[1300:]
    model = Embedder()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(1, 401):
        loss = margin_loss(*(model(v) for v in triplets(x, y, 48, gen)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0:
            print(f"step {step} loss {loss.item():.4f}")
    print(f"nearest-neighbour accuracy {knn(model, x, y, xt, yt):.3f}")


main()
