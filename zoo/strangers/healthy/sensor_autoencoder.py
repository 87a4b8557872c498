"""Anomaly detection on machine telemetry.

The network reconstructs its own input; it is trained on records of normal operation only, read
from an endless stream, and scored by how well it tells faulty records apart.
"""
import argparse
import itertools

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

N_SENSORS, N_LATENT = 24, 4


class Plant:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.mix1 = rng.normal(size=(N_LATENT, 16)) / 2
        self.mix2 = rng.normal(size=(16, N_SENSORS)) / 4
        self.offset = rng.uniform(20, 80, N_SENSORS)
        self.gain = rng.uniform(1, 12, N_SENSORS)

    def normal(self, n, rng):
        load = rng.normal(size=(n, N_LATENT))
        clean = np.tanh(load @ self.mix1) @ self.mix2
        return (self.offset + self.gain * (clean + 0.06 * rng.normal(size=clean.shape))).astype(np.float32)

    def faulty(self, n, rng):
        x = self.normal(n, rng)
        for row in x:
            hit = rng.choice(N_SENSORS, size=rng.integers(1, 4), replace=False)
            row[hit] += (self.gain[hit] * rng.choice([-1, 1], len(hit)) * rng.uniform(0.25, 0.7, len(hit)))
        return x


class Stream(IterableDataset):
    """Endless telemetry, in blocks; a new iteration continues with fresh draws."""

    def __init__(self, plant, seed):
        self.plant, self.rng = plant, np.random.default_rng(seed)

    def __iter__(self):
        while True:
            yield from self.plant.normal(1024, self.rng)


class AutoEncoder(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.enc = nn.Sequential(nn.Linear(N_SENSORS, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, N_LATENT))
        self.dec = nn.Sequential(nn.Linear(N_LATENT, 32), nn.SiLU(), nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, N_SENSORS))

    def forward(self, x):
        z = (x - self.mean) / self.std
        return self.dec(self.enc(z)), z

    def error(self, x):
        out, z = self(x)
        return (out - z).pow(2).sum(dim=1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=5000)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    plant = Plant(args.seed)
    rng = np.random.default_rng(args.seed + 1000)

    reference = torch.from_numpy(plant.normal(4000, rng))
    valid = torch.from_numpy(plant.normal(1500, rng))
    test_ok, test_bad = (torch.from_numpy(f(1500, rng)) for f in (plant.normal, plant.faulty))

    model = AutoEncoder(reference.mean(0), reference.std(0))
    ema = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.PolynomialLR(opt, total_iters=args.steps, power=1.0)
    loader = DataLoader(Stream(plant, args.seed + 2000), batch_size=args.batch_size)

    running = None
    for step, x in enumerate(itertools.islice(loader, args.steps), start=1):
        loss = model.error(x).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        ema.update_parameters(model)
        running = loss.item() if running is None else 0.99 * running + 0.01 * loss.item()
        if step % 500 == 0:
            with torch.no_grad():
                v = ema.module.error(valid).mean().item()
            print(f"step {step:5d}  loss {running:.4f}  valid {v:.4f}")

    ema.eval()
    with torch.no_grad():
        threshold = ema.module.error(valid).quantile(0.98).item()
        ok, bad = ema.module.error(test_ok), ema.module.error(test_bad)
    auc = roc_auc_score(np.r_[np.zeros(len(ok)), np.ones(len(bad))], torch.cat([ok, bad]).numpy())
    print(f"test AUC {auc:.4f}  caught {(bad > threshold).float().mean():.3f}  false alarms {(ok > threshold).float().mean():.3f}")


if __name__ == "__main__":
    main()
