"""Gearbox condition from a vibration snippet: healthy, worn tooth, loose mount, misaligned."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STATES = ("healthy", "worn_tooth", "loose_mount", "misaligned")


@dataclass
class Settings:
    length: int = 256
    n_train: int = 3200
    n_eval: int = 800
    batch: int = 64
    epochs: int = 10
    lr: float = 4e-3
    seed: int = 13


def snippets(n, length, rng):
    y = rng.permutation(np.arange(n) % len(STATES))
    t = np.arange(length)
    x = np.empty((n, 1, length), dtype=np.float32)
    for i, state in enumerate(y):
        mesh = np.sin(2 * np.pi * t * rng.uniform(0.19, 0.21) + rng.uniform(0, 6.28))
        slow = np.zeros(length)
        if STATES[state] == "worn_tooth":
            mesh += 0.7 * np.sin(2 * np.pi * t * rng.uniform(0.39, 0.41) + rng.uniform(0, 6.28))
        elif STATES[state] == "loose_mount":
            slow = 0.7 * np.sin(2 * np.pi * t / rng.uniform(60, 70) + rng.uniform(0, 6.28))
        elif STATES[state] == "misaligned":
            slow = 0.7 * np.sin(2 * np.pi * t / rng.uniform(28, 32) + rng.uniform(0, 6.28))
        if not slow.any():
            slow = 0.7 * np.sin(2 * np.pi * t / rng.uniform(42, 48) + rng.uniform(0, 6.28))
        x[i, 0] = mesh + slow + rng.normal(0, 0.5, length)
    return torch.from_numpy(x), torch.from_numpy(y)


def branch(channels, kernel, dilation):
    pad = dilation * (kernel - 1) // 2
    return nn.Sequential(
        nn.Conv1d(1, channels, kernel, padding=pad, dilation=dilation, bias=False),
        nn.BatchNorm1d(channels), nn.ReLU(),
    )


class GearboxNet(nn.Module):
    def __init__(self, channels=16, n_out=len(STATES)):
        super().__init__()
        self.fine = branch(channels, kernel=5, dilation=1)
        self.coarse = branch(channels, kernel=15, dilation=6)
        self.mix = nn.Sequential(nn.Linear(2 * channels, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, n_out))

    def forward(self, x):
        fine = self.fine(x).mean(dim=-1)
        coarse = self.fine(x).mean(dim=-1)
        return self.mix(torch.cat([fine, coarse], dim=1))


@torch.no_grad()
def predict(model, x):
    model.eval()
    return torch.cat([model(part) for part in x.split(200)])


def main(cfg=Settings()):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(cfg.seed)
    x_tr, y_tr = snippets(cfg.n_train, cfg.length, rng)
    x_va, y_va = snippets(cfg.n_eval, cfg.length, rng)
    x_te, y_te = snippets(cfg.n_eval, cfg.length, rng)
    scale = x_tr.std()
    x_tr, x_va, x_te = x_tr / scale, x_va / scale, x_te / scale

    model = GearboxNet()
    print("parameters:", sum(p.numel() for p in model.parameters()))
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs, eta_min=cfg.lr / 40)
    loader = DataLoader(TensorDataset(x_tr, y_tr), batch_size=cfg.batch, shuffle=True)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        sched.step()
        z = predict(model, x_va)
        acc = (z.argmax(1) == y_va).float().mean()
        print(f"epoch {epoch + 1:2d}  train {total / len(x_tr):.4f}  valid {loss_fn(z, y_va):.4f}  acc {acc:.3f}")

    hit = predict(model, x_te).argmax(1) == y_te
    print(f"test accuracy {hit.float().mean():.3f}")
    for k, name in enumerate(STATES):
        print(f"  {name:12s} recall {hit[y_te == k].float().mean():.3f}")


if __name__ == "__main__":
    main()
