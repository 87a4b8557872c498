import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

# Metric learning on digits: batch-all triplet loss, retrieval recall@1 among held-out noisy scans.


class PKSampler:
    """P classes x K examples per batch."""

    def __init__(self, labels, p, k, n_batches, seed):
        self.by_class = {c: np.flatnonzero(labels == c) for c in np.unique(labels)}
        self.p, self.k, self.n_batches = p, k, n_batches
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        classes = list(self.by_class)
        for _ in range(self.n_batches):
            chosen = self.rng.choice(classes, self.p, replace=False)
            yield np.concatenate([self.rng.choice(self.by_class[c], self.k, replace=False) for c in chosen])


class Embedder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.proj = nn.Linear(32 * 16, dim)

    def forward(self, x):
        return F.normalize(self.proj(self.conv(x).flatten(1)), dim=1)


def pairwise_distance(e):
    sq = (e.unsqueeze(1) - e.unsqueeze(0)).pow(2).sum(-1)
    return torch.sqrt(sq)


class BatchAllTriplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, emb, y):
        d = pairwise_distance(emb)
        same = y.unsqueeze(0) == y.unsqueeze(1)
        pos = same & ~torch.eye(len(y), dtype=torch.bool)
        valid = pos.unsqueeze(2) & ~same.unsqueeze(1)
        gap = d.unsqueeze(2) - d.unsqueeze(1) + self.margin
        return F.relu(gap)[valid].mean()


@torch.no_grad()
def recall_at_1(net, x, y):
    net.eval()
    e = net(x)
    sim = e @ e.T
    sim.fill_diagonal_(-2.0)
    return (y[sim.argmax(1)] == y).float().mean().item()


@torch.no_grad()
def spread(net, x, y):
    net.eval()
    e = net(x)
    d = torch.cdist(e, e)
    same = y.unsqueeze(0) == y.unsqueeze(1)
    return d[same].mean().item(), d[~same].mean().item()


def main():
    torch.manual_seed(1)
    images, labels = load_digits(return_X_y=True)
    images = images + np.random.default_rng(1).normal(0, 3.0, images.shape)
    images = images.astype(np.float32).reshape(-1, 1, 8, 8)
    xtr, xte, ytr, yte = train_test_split(images, labels, test_size=0.3, stratify=labels, random_state=1)
    mu, sd = xtr.mean(), xtr.std()
    sampler = PKSampler(ytr, p=6, k=8, n_batches=40, seed=1)
    xtr, xte = torch.from_numpy((xtr - mu) / sd), torch.from_numpy((xte - mu) / sd)
    ytr, yte = torch.from_numpy(ytr), torch.from_numpy(yte)

    net = Embedder()
    crit = BatchAllTriplet(margin=0.3)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    print("before training: recall@1 among held-out scans %.3f" % recall_at_1(net, xte, yte))
    for epoch in range(10):
        net.train()
        hist = []
        for idx in sampler:
            loss = crit(net(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            hist.append(loss.item())
        intra, inter = spread(net, xte, yte)
        print(f"epoch {epoch:2d}  triplet {np.mean(hist):.4f}  intra {intra:.3f}  inter {inter:.3f}")
    print("after training:  recall@1 among held-out scans %.3f" % recall_at_1(net, xte, yte))


main()
