import argparse
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def build_sets(path, frac, seed):
    arr = np.load(path).astype(np.float32)
    feats, target = arr[:, :-1], arr[:, -1:]
    mean = feats.mean(axis=0)
    std = feats.std(axis=0) + 1e-8
    feats = (feats - mean) / std
    full = TensorDataset(torch.from_numpy(feats), torch.from_numpy(target))
    n_test = int(len(full) * frac)
    return random_split(full, [len(full) - n_test, n_test], generator=torch.Generator().manual_seed(seed))


def main(a):
    torch.manual_seed(a.seed)
    train_set, test_set = build_sets(a.data, 0.2, a.seed)
    train_loader = DataLoader(train_set, batch_size=a.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=512)
    net = nn.Sequential(nn.Linear(8, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=a.lr)
    for _ in range(a.epochs):
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
    sq, n = 0.0, 0
    with torch.no_grad():
        for x, y in test_loader:
            sq += (net(x) - y).pow(2).sum().item()
            n += len(x)
    print("rmse", (sq / n) ** 0.5)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="concrete.npy")
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=100)
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
