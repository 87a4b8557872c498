import argparse
import math
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import make_friedman1


def parse_args(argv=None):
    ap = argparse.ArgumentParser(description="Heteroscedastic regression: predict a mean and a spread.")
    ap.add_argument("--rows", type=int, default=3000)
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=3)
    return ap.parse_args(argv)


def get_data(rows, seed):
    x, y = make_friedman1(n_samples=rows, n_features=8, noise=0.0, random_state=seed)
    rng = np.random.default_rng(seed)
    spread = 0.4 + 1.6 * x[:, 5]
    y = y + spread * rng.standard_normal(rows)
    cut1, cut2 = int(0.7 * rows), int(0.85 * rows)
    mean, std = y[:cut1].mean(), y[:cut1].std()
    z = (y - mean) / std
    parts = {}
    for name, sl in {"train": slice(0, cut1), "val": slice(cut1, cut2), "test": slice(cut2, None)}.items():
        parts[name] = TensorDataset(
            torch.as_tensor(2 * x[sl] - 1, dtype=torch.float32),
            torch.as_tensor(z[sl], dtype=torch.float32),
        )
    return parts, std


def make_net(n_in, hidden):
    return nn.Sequential(
        nn.Linear(n_in, hidden), nn.SiLU(),
        nn.Linear(hidden, hidden), nn.SiLU(),
        nn.Linear(hidden, 2),
    )


def split_heads(out):
    mu, log_var = out.chunk(2, dim=-1)
    return mu, log_var.clamp(-8.0, 4.0)


def gaussian_nll(mu, log_var, target):
    sq = (target - mu) ** 2
    return 0.5 * (log_var + sq * torch.exp(-log_var) + math.log(2 * math.pi)).mean()


def train_one_epoch(net, loader, optim):
    net.train()
    total = n = 0
    for xb, yb in loader:
        mu, log_var = split_heads(net(xb))
        loss = gaussian_nll(mu, log_var, yb)
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item() * len(xb)
        n += len(xb)
    return total / n


@torch.no_grad()
def evaluate(net, dataset):
    net.eval()
    xb, yb = dataset.tensors
    mu, log_var = split_heads(net(xb))
    mu, sd = mu.flatten(), (0.5 * log_var).exp().flatten()
    r2 = 1 - ((yb - mu) ** 2).sum() / ((yb - yb.mean()) ** 2).sum()
    rmse = ((yb - mu) ** 2).mean().sqrt()
    inside = ((yb - mu).abs() < 1.645 * sd).float().mean()
    return {"r2": r2.item(), "rmse": rmse.item(), "cover90": inside.item(), "mean_sd": sd.mean().item()}


def main(argv=None):
    args = parse_args(argv)
    torch.manual_seed(args.seed)
    parts, scale = get_data(args.rows, args.seed)
    loader = DataLoader(parts["train"], batch_size=args.batch_size, shuffle=True)
    net = make_net(parts["train"].tensors[0].shape[1], args.hidden)
    optim = torch.optim.Adam(net.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, args.epochs)
    for ep in range(1, args.epochs + 1):
        nll = train_one_epoch(net, loader, optim)
        sched.step()
        if ep % 4 == 0 or ep == 1:
            v = evaluate(net, parts["val"])
            sys.stdout.write(f"ep={ep:03d} train_nll={nll:+.4f} val_r2={v['r2']:+.4f} "
                             f"val_rmse={v['rmse']:.4f} cover90={v['cover90']:.3f} sd={v['mean_sd']:.3f}\n")
    t = evaluate(net, parts["test"])
    print(f"TEST r2={t['r2']:+.4f} rmse={t['rmse'] * scale:.3f} (original units) cover90={t['cover90']:.3f}")


if __name__ == "__main__":
    main()
