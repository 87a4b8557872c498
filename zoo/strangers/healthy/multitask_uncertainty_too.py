"""Three targets from one spectrum: substance (4 kinds), concentration, temperature.

The weights of the three losses are learned as log-variances (Kendall, Gal & Cipolla 2018).
"""
from __future__ import annotations

import logging
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

logger = logging.getLogger(__name__)
N_BANDS = 64


class Batch(NamedTuple):
    spectrum: Tensor
    substance: Tensor
    concentration: Tensor
    temperature: Tensor

    def take(self, idx: Tensor) -> "Batch":
        return Batch(*(t[idx] for t in self))

    def __rows__(self) -> int:
        return self.spectrum.shape[0]


def measure(n: int, rng: np.random.Generator) -> Batch:
    bands = np.linspace(0, 1, N_BANDS)
    kind = rng.permutation(np.arange(n) % 4)
    conc = rng.uniform(-1, 1, n)
    temp = rng.uniform(-1, 1, n)
    peaks = np.array([[0.2, 0.5], [0.25, 0.7], [0.35, 0.62], [0.4, 0.8]])
    s = np.zeros((n, N_BANDS))
    for j in range(2):
        centre = peaks[kind, j] + 0.02 * temp
        width = 0.03 + 0.008 * temp
        height = (1.5 + 0.9 * conc) * (1.0 if j == 0 else 0.7)
        s += height[:, None] * np.exp(-0.5 * ((bands - centre[:, None]) / width[:, None]) ** 2)
    s += 0.12 * rng.standard_normal(s.shape)
    to = lambda a: torch.tensor(a, dtype=torch.float32)
    return Batch(to(s), torch.tensor(kind), to(conc * 3 ** 0.5), to(temp * 3 ** 0.5))


class SpectrumNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(N_BANDS, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU())
        self.substance = nn.Linear(64, 4)
        self.scalars = nn.Linear(64, 2)
        self.log_var = nn.Parameter(torch.zeros(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.trunk(x)
        conc, temp = self.scalars(h).unbind(dim=1)
        return self.substance(h), conc, temp

    def losses(self, b: Batch) -> Tensor:
        kind, conc, temp = self(b.spectrum)
        return torch.stack([F.cross_entropy(kind, b.substance), F.mse_loss(conc, b.concentration),
                            F.mse_loss(temp, b.temperature)])

    def weigh(self, losses: Tensor) -> Tensor:
        return (torch.exp(-self.log_var) * losses + 0.5 * self.log_var).sum()


def train(net: SpectrumNet, data: Batch, valid: Batch, epochs: int, batch_size: int) -> None:
    decay = [p for n, p in net.named_parameters() if n.endswith("weight")]
    plain = [p for n, p in net.named_parameters() if not n.endswith("weight")]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 1e-3}, {"params": plain, "weight_decay": 0.0}], lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        net.train()
        sums = torch.zeros(3)
        for idx in torch.randperm(data.__rows__()).split(batch_size):
            parts = net.losses(data.take(idx))
            opt.zero_grad()
            net.weigh(parts).backward()
            opt.step()
            sums += parts.detach() * len(idx)
        sched.step()
        net.eval()
        with torch.no_grad():
            v = net.losses(valid)
        logger.info("epoch %2d  train %s  valid %s  sigma^2 %s", epoch, *(
            " ".join(f"{q:.3f}" for q in t.tolist()) for t in (sums / data.__rows__(), v, net.log_var.detach().exp())))


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(77)
    rng = np.random.default_rng(77)
    fit, valid, test = measure(6000, rng), measure(800, rng), measure(1200, rng)
    mu, sd = fit.spectrum.mean(0), fit.spectrum.std(0)
    fit, valid, test = (b._replace(spectrum=(b.spectrum - mu) / sd) for b in (fit, valid, test))
    net = SpectrumNet()
    train(net, fit, valid, epochs=20, batch_size=100)
    net.eval()
    with torch.no_grad():
        kind, conc, temp = net(test.spectrum)
    r2 = lambda p, t: 1 - ((p - t) ** 2).mean().item() / t.var(unbiased=False).item()
    logger.info("test: substance accuracy %.3f, concentration R2 %.3f, temperature R2 %.3f",
                (kind.argmax(1) == test.substance).float().mean().item(), r2(conc, test.concentration), r2(temp, test.temperature))


if __name__ == "__main__":
    main()
