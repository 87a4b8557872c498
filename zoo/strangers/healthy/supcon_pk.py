"""Supervised contrastive embedding with a P x K batch sampler; quality is 5-NN accuracy in embedding space."""
import argparse
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from torch.utils.data import DataLoader, Dataset, Sampler


class ArrayDataset(Dataset):
    def __init__(self, x, y):
        self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PKSampler(Sampler):
    """Yields batches of P classes with K examples of each."""

    def __init__(self, labels, p, k, batches, seed):
        self.by_class = defaultdict(list)
        for i, c in enumerate(labels):
            self.by_class[int(c)].append(i)
        self.p, self.k, self.batches = p, k, batches
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            chosen = self.rng.choice(sorted(self.by_class), self.p, replace=False)
            yield [int(i) for c in chosen for i in self.rng.choice(self.by_class[int(c)], self.k, replace=False)]


class Embedder(torch.nn.Module):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__()
        self.fc1 = torch.nn.Linear(d_in, d_hidden)
        self.ln = torch.nn.LayerNorm(d_hidden)
        self.fc2 = torch.nn.Linear(d_hidden, d_out)

    def forward(self, x):
        return F.normalize(self.fc2(F.gelu(self.ln(self.fc1(x)))), dim=-1)


def supcon(z, y, temperature=0.1):
    sim = z @ z.T / temperature
    eye = torch.eye(len(y), dtype=torch.bool)
    sim = sim.masked_fill(eye, -1e9)
    log_prob = sim - sim.logsumexp(dim=1, keepdim=True)
    same = (y[:, None] == y[None, :]) & ~eye
    return -(log_prob * same).sum(1).div(same.sum(1)).mean()


@torch.no_grad()
def embed(model, ds):
    model.eval()
    return model(ds.x).numpy(), ds.y.numpy()


def knn_accuracy(model, gallery, queries):
    g, gy = embed(model, gallery)
    q, qy = embed(model, queries)
    return KNeighborsClassifier(5, metric="cosine").fit(g, gy).score(q, qy)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--p", type=int, default=8)
    ap.add_argument("--k", type=int, default=6)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()
    torch.manual_seed(a.seed)

    x, y = load_digits(return_X_y=True)
    first = StratifiedShuffleSplit(1, test_size=0.4, random_state=a.seed)
    tr, rest = next(first.split(x, y))
    second = StratifiedShuffleSplit(1, test_size=0.5, random_state=a.seed)
    v, t = next(second.split(x[rest], y[rest]))
    mu, sd = x[tr].mean(0), x[tr].std(0) + 1.0
    norm = ((x - mu) / sd).astype(np.float32)
    train, val, test = (ArrayDataset(norm[i], y[i]) for i in (tr, rest[v], rest[t]))

    loader = DataLoader(train, batch_sampler=PKSampler(y[tr], a.p, a.k, batches=45, seed=a.seed))
    model = Embedder(64, 128, 24)
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr, weight_decay=1e-2)
    print(f"raw-pixel knn on val {KNeighborsClassifier(5).fit(norm[tr], y[tr]).score(norm[rest[v]], y[rest[v]]):.3f}")
    for epoch in range(1, a.epochs + 1):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = supcon(model(xb), yb)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"{epoch:2d} supcon {total / len(loader):.3f} val knn {knn_accuracy(model, train, val):.3f}")
    print(f"test knn {knn_accuracy(model, train, test):.3f}")


if __name__ == "__main__":
    main()
