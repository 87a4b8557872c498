"""Rent estimation with an honest error bar: Gaussian head, Monte-Carlo dropout at prediction time."""
import argparse
import random

import numpy as np
import torch
from torch import nn


def listings(n, rng):
    area = rng.gamma(6, 12, n) + 18
    rooms = np.clip(np.round(area / 28 + rng.normal(0, 0.7, n)), 1, 7)
    dist = rng.gamma(2, 2.5, n)
    year = rng.integers(1900, 2024, n)
    floor = rng.integers(0, 9, n)
    district = rng.integers(0, 15, n)
    premium = np.random.default_rng(99).normal(0, 0.2, 15)
    log_rent = (5.0 + 0.45 * np.log(area) + 0.03 * rooms - 0.05 * dist + 0.12 * np.cos((year - 1900) / 20)
                + 0.1 * (floor > 5) * (year > 1970) + premium[district])
    noise = 0.05 + 0.02 * dist
    rent = np.exp(log_rent + noise * rng.normal(size=n))
    x = np.column_stack([np.log(area), rooms, dist, year, floor])
    return x.astype(np.float32), district, rent.astype(np.float32)


class RentNet(nn.Module):
    def __init__(self, n_num, n_district, width=64, p=0.1):
        super().__init__()
        self.district = nn.Embedding(n_district, 6)
        self.body = nn.Sequential(
            nn.Linear(n_num + 6, width), nn.ReLU(), nn.Dropout(p),
            nn.Linear(width, width), nn.ReLU(), nn.Dropout(p),
        )
        self.out = nn.Linear(width, 2)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, d):
        mean, log_var = self.out(self.body(torch.cat([x, self.district(d)], 1))).unbind(1)
        return mean, log_var.clamp(-8, 4)


def nll(mean, log_var, y):
    return 0.5 * (log_var + (y - mean) ** 2 * torch.exp(-log_var))


def dropout_on(model):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


@torch.no_grad()
def predict(model, x, d, draws=50):
    """Mean and total variance (noise + spread of the draws)."""
    dropout_on(model)
    means, variances = zip(*[(m, lv.exp()) for m, lv in (model(x, d) for _ in range(draws))])
    means, variances = torch.stack(means), torch.stack(variances)
    return means.mean(0), variances.mean(0) + means.var(0)


@torch.no_grad()
def validate(model, x, d, y):
    model.eval()
    mean, log_var = model(x, d)
    return nll(mean, log_var, y).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=9000)
    ap.add_argument("--epochs", type=int, default=45)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x, d, rent = listings(args.n, rng)
    perm = rng.permutation(args.n)
    tr, va, te = perm[:6500], perm[6500:7700], perm[7700:]
    y = np.log(rent)
    xm, xs, ym, ys = x[tr].mean(0), x[tr].std(0), y[tr].mean(), y[tr].std()
    X, D, Y = torch.from_numpy((x - xm) / xs), torch.from_numpy(d), torch.from_numpy((y - ym) / ys)

    model = RentNet(X.shape[1], 15)
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3, alpha=0.95)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [25, 37], gamma=0.3)
    for epoch in range(args.epochs):
        model.train()
        order = torch.from_numpy(rng.permutation(tr))
        total = 0.0
        for idx in order.split(args.batch_size):
            mean, log_var = model(X[idx], D[idx])
            losses = nll(mean, log_var, Y[idx])
            opt.zero_grad()
            (losses.sum() / len(idx)).backward()
            opt.step()
            total += losses.detach().sum().item()
        sched.step()
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1}: train nll {total / len(tr):.4f}  valid nll {validate(model, X[va], D[va], Y[va]):.4f}")

    mean, var = predict(model, X[te], D[te])
    z = (Y[te] - mean) / var.sqrt()
    r2 = 1 - (Y[te] - mean).pow(2).sum() / (Y[te] - Y[te].mean()).pow(2).sum()
    print(f"test R2 {r2:.4f}  90% interval holds {(z.abs() < 1.645).float().mean():.3f}")


if __name__ == "__main__":
    main()
