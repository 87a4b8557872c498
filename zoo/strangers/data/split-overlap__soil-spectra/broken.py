# Soil clay content from near-infrared spectra.
# 1-D CNN on SNV-corrected first derivatives, best epoch chosen on the validation part.
import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

BANDS = 120


def measure_soils(n=520, seed=5):
    """Simulated lab campaign: mixtures of mineral absorption features, scatter, instrument noise."""
    minerals = np.random.default_rng(1)
    wl = np.linspace(0, 1, BANDS)
    pos = np.linspace(0.08, 0.92, 7) + minerals.normal(0, 0.02, 7)
    wid = minerals.uniform(0.02, 0.05, 7)
    peaks = np.exp(-0.5 * ((wl - pos[:, None]) / wid[:, None]) ** 2)

    rng = np.random.default_rng(seed)
    conc = rng.gamma(2.0, 0.5, (n, 7))
    gain = rng.normal(1, 0.1, (n, 1))
    tilt = rng.normal(0, 0.5, (n, 1)) * wl
    spectra = gain * (conc @ peaks) + tilt + rng.normal(0, 0.03, (n, BANDS))
    clay = 12 + 9 * conc[:, 1] + 6 * conc[:, 4] - 4 * np.sqrt(conc[:, 2] * conc[:, 1]) + rng.normal(0, 3.2, n)
    return spectra.astype(np.float32), clay.astype(np.float32)


def snv_derivative(s):
    d = np.gradient(s, axis=1)
    return (d - d.mean(1, keepdims=True)) / d.std(1, keepdims=True)


class SoilSpectra(Dataset):
    """One part of the campaign: 'fit' 60 %, 'valid' 20 %, 'final' 20 %."""

    PARTS = {"fit": (0.0, 0.6), "valid": (0.6, 0.8), "final": (0.8, 1.0)}

    def __init__(self, part, seed=0):
        spectra, clay = measure_soils()
        lo, hi = self.PARTS[part]
        order = torch.randperm(len(clay))
        keep = order[int(lo * len(clay)):int(hi * len(clay))].numpy()
        self.x = torch.from_numpy(snv_derivative(spectra[keep])).float()[:, None]
        self.y = torch.from_numpy(clay[keep])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class SpectraCNN(nn.Module):
    def __init__(self, y_mean, y_std):
        super().__init__()
        self.register_buffer("y_mean", y_mean)
        self.register_buffer("y_std", y_std)
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 9, padding=4), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32 * (BANDS // 4), 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.head(self.conv(x)).squeeze(1) * self.y_std + self.y_mean


def r2(model, x, y):
    model.eval()
    with torch.no_grad():
        res = y - model(x)
    return 1 - (res.pow(2).sum() / (y - y.mean()).pow(2).sum()).item()


@dataclass
class Setup:
    lr: float = 1e-3
    epochs: int = 22
    batch: int = 16
    weight_decay: float = 1e-3
    seed: int = 0


def main(cfg=Setup()):
    torch.manual_seed(cfg.seed)
    fit, valid, final = (SoilSpectra(p, seed=cfg.seed) for p in ("fit", "valid", "final"))
    print(f"soils: {len(fit)} fit, {len(valid)} valid, {len(final)} final")
    loader = DataLoader(fit, batch_size=cfg.batch, shuffle=True)
    model = SpectraCNN(fit.y.mean(), fit.y.std())
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)

    best, best_state = -np.inf, None
    for epoch in range(cfg.epochs):
        model.train()
        running = []
        for x, y in loader:
            loss = ((model(x) - y) / model.y_std).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            running.append(loss.item())
        score = r2(model, valid.x, valid.y)
        if score > best:
            best, best_state, best_epoch = score, copy.deepcopy(model.state_dict()), epoch
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}  loss {np.mean(running):.4f}  valid R2 {score:.3f}")

    model.load_state_dict(best_state)
    print(f"best epoch {best_epoch + 1}, valid R2 {best:.3f}")
    print(f"final R2 {r2(model, final.x, final.y):.3f}")

    spectra, clay = measure_soils(n=600, seed=6)
    fresh_x = torch.from_numpy(snv_derivative(spectra)).float()[:, None]
    print(f"next year's campaign R2 {r2(model, fresh_x, torch.from_numpy(clay)):.3f}")


if __name__ == "__main__":
    main()
