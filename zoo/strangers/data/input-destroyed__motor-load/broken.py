"""Estimate shaft load (0..1) from a short window of phase current."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from motor_sim import collect

SEED = 21
EPOCHS = 12
BATCH = 64


def standardise(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def make_loaders():
    x_tr, y_tr = collect(6000, SEED)
    x_va, y_va = collect(1000, SEED + 1)
    x_te, y_te = collect(1000, SEED + 2)
    sets = []
    for x, y in ((x_tr, y_tr), (x_va, y_va), (x_te, y_te)):
        x = standardise(x)
        sets.append(TensorDataset(torch.from_numpy(x)[:, None], torch.from_numpy(y)[:, None]))
    return (DataLoader(sets[0], batch_size=BATCH, shuffle=True),
            DataLoader(sets[1], batch_size=500), DataLoader(sets[2], batch_size=500))


class LoadEstimator(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 12, 9, stride=2, padding=4), nn.ReLU(),
            nn.Conv1d(12, 16, 7, stride=2, padding=3), nn.ReLU(),
        )
        self.out = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.out(self.conv(x).mean(dim=2))


def mean_squared(model, loader):
    model.eval()
    s, n = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            s += torch.sum((model(x) - y) ** 2).item()
            n += len(y)
    return s / n


def main():
    torch.manual_seed(SEED)
    np.random.seed(SEED)
    torch.set_num_threads(1)
    train, valid, test = make_loaders()
    model = LoadEstimator()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=1e-4)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        s, n = 0.0, 0
        for x, y in train:
            loss = nn.functional.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item() * len(y)
            n += len(y)
        sched.step()
        v = mean_squared(model, valid)
        print(f"epoch {epoch:2d}: train rmse {np.sqrt(s / n):.4f}  valid rmse {np.sqrt(v):.4f}")
    y = test.dataset.tensors[1]
    m = mean_squared(model, test)
    print(f"test rmse {np.sqrt(m):.4f}, R2 {1 - m / y.var(unbiased=False).item():.3f}")


if __name__ == "__main__":
    main()
