"""Five-fold check of a contrastive embedding on noisy scans of digits; queries are matched against the training gallery."""
import random

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

SEED = 29
N_FOLDS = 5
CLASSES_PER_BATCH = 10
SHOTS = 8
EPOCHS = 8


class ScanDataset(Dataset):
    def __init__(self, images, digits):
        self.images = torch.as_tensor(images, dtype=torch.float32).unsqueeze(1)
        self.digits = torch.as_tensor(digits)

    def __len__(self):
        return len(self.digits)

    def __getitem__(self, i):
        return self.images[i], self.digits[i]


class BalancedBatches(Sampler):
    """P classes times K shots in every batch, as the contrastive loss needs it."""

    def __init__(self, digits, shots, n_batches, seed):
        self.by_class = [np.flatnonzero(digits == c) for c in range(CLASSES_PER_BATCH)]
        self.shots, self.n_batches = shots, n_batches
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        for _ in range(self.n_batches):
            picks = [self.rng.choice(rows, self.shots, replace=False) for rows in self.by_class]
            yield np.concatenate(picks).tolist()


class Embedder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.fc = nn.Linear(32 * 16, dim)

    def forward(self, x):
        return F.normalize(self.fc(self.conv(x).flatten(1)), dim=1)


def supervised_contrastive(z, digits, temperature=0.2):
    n = len(z)
    sim = (z @ z.T / temperature).masked_fill(torch.eye(n, dtype=torch.bool), -1e4)
    same = (digits[:, None] == digits[None, :]) & ~torch.eye(n, dtype=torch.bool)
    log_prob = sim.log_softmax(dim=1)
    return -(log_prob * same).sum(1).div(same.sum(1)).mean()


@torch.no_grad()
def embed_all(model, ds):
    model.eval()
    z = torch.cat([model(x) for x, _ in DataLoader(ds, batch_size=256)])
    return z, ds.digits


def recall_at_1(model, gallery, queries):
    zg, dg = embed_all(model, gallery)
    zq, dq = embed_all(model, queries)
    nearest = torch.cdist(zq, zg).argmin(1)
    return (dg[nearest] == dq).float().mean().item()


def run_fold(k, folds, images, digits):
    held_out = folds[k - 1]
    rest = np.concatenate([f for i, f in enumerate(folds) if i != k])
    mean, std = images[rest].mean(), images[rest].std()
    train = ScanDataset((images[rest] - mean) / std, digits[rest])
    val = ScanDataset((images[held_out] - mean) / std, digits[held_out])

    torch.manual_seed(SEED + k)
    model = Embedder()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    loader = DataLoader(train, batch_sampler=BalancedBatches(digits[rest], SHOTS, len(rest) // 80, SEED + k))
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
    for epoch in range(EPOCHS):
        model.train()
        losses = []
        for x, d in loader:
            loss = supervised_contrastive(model(x), d)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        if epoch % 2 == 1:
            print(f"  fold {k} epoch {epoch + 1}: contrastive loss {np.mean(losses):.4f}")
    return recall_at_1(model, train, val)


def main():
    random.seed(SEED)
    rng = np.random.default_rng(SEED)
    images, digits = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16.0
    images = images + rng.normal(0, 0.2, images.shape)
    folds = np.array_split(rng.permutation(len(images)), N_FOLDS)

    scores = []
    for k in range(1, N_FOLDS + 1):
        scores.append(run_fold(k, folds, images, digits))
        print(f"fold {k}: recall@1 {scores[-1]:.4f}")
    print(f"recall@1 over {N_FOLDS} folds: {np.mean(scores):.4f} +- {np.std(scores):.4f}")


if __name__ == "__main__":
    main()
