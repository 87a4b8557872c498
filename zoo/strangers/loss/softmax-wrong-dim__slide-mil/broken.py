"""Attention-based multiple-instance learning on bags of patch embeddings (after Ilse et al.).

A slide is a bag of 30 patches; it is positive when some of its patches show a tumour.
"""
import sys

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

PATCHES, FEATS = 30, 24


def make_slides(n, rng, direction):
    bags = rng.normal(size=(n, PATCHES, FEATS))
    labels = rng.integers(0, 2, n)
    for b, lab in zip(bags, labels):
        if lab:
            k = rng.integers(1, 3)
            b[rng.choice(PATCHES, k, replace=False)] += 3.2 * direction
        else:                                  # benign look-alikes
            b[rng.choice(PATCHES, 2, replace=False)] -= 3.2 * direction
    return TensorDataset(torch.tensor(bags, dtype=torch.float32), torch.tensor(labels, dtype=torch.float32))


class GatedAttention(nn.Module):
    def __init__(self, dim, hidden=24):
        super().__init__()
        self.V = nn.Linear(dim, hidden)
        self.U = nn.Linear(dim, hidden)
        self.w = nn.Linear(hidden, 1)

    def forward(self, h):
        score = self.w(torch.tanh(self.V(h)) * torch.sigmoid(self.U(h)))
        return torch.softmax(score, dim=0)


class MILNet(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(FEATS, dim), nn.ReLU(), nn.Dropout(0.2))
        self.attention = GatedAttention(dim)
        self.classifier = nn.Linear(dim, 1)

    def forward(self, bag):
        h = self.encoder(bag)
        a = self.attention(h)
        z = (a * h).sum(dim=1)
        return self.classifier(z).squeeze(-1), a.squeeze(-1)


def predict(model, dataset, batch_size):
    model.eval()
    out, lab = [], []
    with torch.no_grad():
        for bag, y in DataLoader(dataset, batch_size):
            out.append(torch.sigmoid(model(bag)[0]))
            lab.append(y)
    return torch.cat(out).numpy(), torch.cat(lab).numpy()


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def update(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad > self.patience


def bce(p, y, eps=1e-7):
    p = np.clip(p, eps, 1 - eps)
    return float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean())


def run(seed=4):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=FEATS)
    direction /= np.linalg.norm(direction)
    train, val, test = (make_slides(n, rng, direction) for n in (900, 200, 400))

    model = MILNet()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    crit = nn.BCEWithLogitsLoss()
    stop = EarlyStopping(patience=6)
    for epoch in range(18):
        model.train()
        for bag, y in DataLoader(train, 16, shuffle=True):
            logit, _ = model(bag)
            loss = crit(logit, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        p, y = predict(model, val, 16)
        if epoch % 5 == 0:
            print(f"{epoch:3d} val loss {bce(p, y):.4f} auc {roc_auc_score(y, p):.3f}", file=sys.stderr)
        if stop.update(bce(p, y), model):
            break
    model.load_state_dict(stop.state)
    p, y = predict(model, test, 1)   # slides arrive one at a time in the clinic
    print(f"test AUC {roc_auc_score(y, p):.3f}  accuracy {((p > 0.5) == y).mean():.3f}")


if __name__ == "__main__":
    run()
