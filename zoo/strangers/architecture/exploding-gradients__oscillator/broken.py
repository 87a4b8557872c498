"""
Learn the vector field of a Van der Pol oscillator from trajectories.

The field is a small MLP; it is unrolled with Euler steps from the first state
and compared with the recorded path at every sample.
"""
import argparse

import numpy as np
import torch
import torch.nn as nn


def record(n, steps, dt, rng, mu=0.5, sub=20):
    """true paths, integrated on a grid `sub` times finer than the samples"""
    s = rng.uniform(-2.0, 2.0, (n, 2))
    path = [s.copy()]
    h = dt / sub
    for _ in range(steps):
        for _ in range(sub):
            x, v = s[:, 0], s[:, 1]
            s = s + h * np.stack([v, mu * (1 - x ** 2) * v - x], axis=1)
        path.append(s.copy())
    return torch.tensor(np.stack(path, axis=1), dtype=torch.float32)


class Field(nn.Module):
    def __init__(self, hidden, dt):
        super().__init__()
        self.dt = dt
        self.f = nn.Sequential(
            nn.Linear(2, hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, start, steps):
        s, path = start, [start]
        for _ in range(steps):
            s = s + self.f(s)
            path.append(s)
        return torch.stack(path, dim=1)


def path_error(model, paths):
    pred = model(paths[:, 0], paths.shape[1] - 1)
    return nn.functional.mse_loss(pred[:, 1:], paths[:, 1:])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--paths", type=int, default=640)
    ap.add_argument("--steps", type=int, default=60)
    ap.add_argument("--dt", type=float, default=0.05)
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=24)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=0.03)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()

    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    train = record(a.paths, a.steps, a.dt, rng)
    val = record(128, a.steps, a.dt, rng)
    test = record(256, a.steps, a.dt, rng)

    model = Field(a.hidden, a.dt)
    opt = torch.optim.SGD(model.parameters(), lr=a.lr, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=a.epochs)
    for epoch in range(1, a.epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(train)).split(a.batch):
            loss = path_error(model, train[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        if epoch % 3 == 0 or epoch == 1:
            model.eval()
            with torch.no_grad():
                v = path_error(model, val).item()
            print(f"epoch {epoch:3d}  train mse {total / len(train):.5f}  val mse {v:.5f}")

    model.eval()
    with torch.no_grad():
        err = path_error(model, test).item()
    still = ((test[:, 1:] - test[:, :1]) ** 2).mean().item()
    print(f"test path mse {err:.5f}  (a field of zeros gives {still:.5f})")


if __name__ == "__main__":
    main()
