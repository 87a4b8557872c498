"""DeepSurv-style hazard model for centrifugal pumps.

Input: condition-monitoring features at the time of inspection. Output: log relative hazard.
Pumps still running at the end of the observation window are right-censored.
"""
from __future__ import annotations

import dataclasses

import numpy as np
import torch
import torch.nn as nn


@dataclasses.dataclass
class Settings:
    n_pumps: int = 3000
    window_days: float = 900.0
    hidden: tuple = (48, 24)
    dropout: float = 0.1
    lr: float = 1e-3
    l2: float = 1e-3
    batch: int = 256
    epochs: int = 40
    seed: int = 2024


def simulate_fleet(s: Settings, rng: np.random.Generator):
    vib = rng.gamma(3.0, 1.2, s.n_pumps)
    temp = rng.normal(62, 9, s.n_pumps)
    hours = rng.uniform(0, 30000, s.n_pumps)
    viscosity = rng.normal(32, 6, s.n_pumps)
    starts = rng.poisson(12, s.n_pumps)
    site = rng.integers(0, 4, s.n_pumps)
    ripple = rng.normal(0, 1, s.n_pumps)
    log_hazard = (
        0.45 * (vib - 3.6)
        + 0.05 * np.maximum(temp - 65, 0)
        + 0.9 * np.sin(hours / 30000 * np.pi * 1.3)
        + 0.03 * np.abs(viscosity - 32)
        + 0.04 * (starts - 12)
        + np.array([0.0, 0.3, -0.2, 0.5])[site]
    )
    life = 700.0 * (-np.log(rng.random(s.n_pumps)) / np.exp(log_hazard)) ** (1 / 1.4)
    censor = np.minimum(s.window_days, rng.uniform(200, 1600, s.n_pumps))
    days = np.minimum(life, censor)
    failed = (life <= censor).astype(np.float32)
    x = np.column_stack([vib, temp, hours, viscosity, starts, ripple, np.eye(4)[site]])
    return x.astype(np.float32), days.astype(np.float32), failed


def concordance(risk, days, failed) -> float:
    """Harrell's C: share of comparable pairs in which the earlier failure has the higher risk."""
    earlier = (days[:, None] < days[None, :]) & (failed[:, None] == 1)
    higher = (risk[:, None] > risk[None, :]) + 0.5 * (risk[:, None] == risk[None, :])
    return float((higher * earlier).sum() / earlier.sum())


class HazardNet(nn.Module):
    def __init__(self, n_in: int, s: Settings):
        super().__init__()
        layers, width = [], n_in
        for h in s.hidden:
            layers += [nn.Linear(width, h), nn.SELU(), nn.Dropout(s.dropout)]
            width = h
        layers.append(nn.Linear(width, 1, bias=False))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def cox_objective(log_risk, days, failed):
    """Partial likelihood (Breslow), averaged over the events of the batch."""
    order = torch.argsort(days, descending=True)
    log_risk, failed = log_risk[order], failed[order]
    log_cum = torch.logcumsumexp(log_risk, dim=0)
    contrib = (log_risk - log_cum) * failed
    return contrib.sum() / failed.sum().clamp_min(1.0)


class Fitter:
    def __init__(self, net: nn.Module, s: Settings):
        self.net, self.s = net, s
        self.opt = torch.optim.AdamW(net.parameters(), lr=s.lr, weight_decay=s.l2)
        self.log: list[tuple[int, float, float]] = []

    def _epoch(self, x, days, failed) -> float:
        self.net.train()
        losses = []
        for idx in torch.randperm(len(x)).split(self.s.batch):
            self.opt.zero_grad(set_to_none=True)
            objective = cox_objective(self.net(x[idx]), days[idx], failed[idx])
            objective.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            self.opt.step()
            losses.append(objective.item())
        return float(np.mean(losses))

    @torch.no_grad()
    def score(self, x, days, failed) -> float:
        self.net.eval()
        return concordance(self.net(x).numpy(), days.numpy(), failed.numpy())

    def fit(self, train, valid):
        for ep in range(1, self.s.epochs + 1):
            obj = self._epoch(*train)
            if ep % 4 == 0 or ep == 1:
                c = self.score(*valid)
                self.log.append((ep, obj, c))
                print(f"[{ep:3d}/{self.s.epochs}] cox {obj:9.4f}   valid C-index {c:.4f}")
        return self


def main():
    s = Settings()
    torch.manual_seed(s.seed)
    rng = np.random.default_rng(s.seed)
    x, days, failed = simulate_fleet(s, rng)
    perm = rng.permutation(s.n_pumps)
    parts = np.split(perm, [int(0.65 * s.n_pumps), int(0.8 * s.n_pumps)])
    mu, sd = x[parts[0]].mean(0), x[parts[0]].std(0)
    x = (x - mu) / sd
    train, valid, test = (tuple(torch.from_numpy(a[p]) for a in (x, days, failed)) for p in parts)
    print(f"{s.n_pumps} pumps, {failed.mean():.0%} failed inside the window")

    fitter = Fitter(HazardNet(x.shape[1], s), s).fit(train, valid)

    print(f"test C-index {fitter.score(*test):.4f}")
    with torch.no_grad():
        risk = fitter.net(test[0])
    top = risk.argsort(descending=True)[: len(risk) // 10]
    print(f"failures within 180 days: riskiest tenth {((test[1] < 180) & (test[2] == 1))[top].float().mean():.2f}, "
          f"all pumps {((test[1] < 180) & (test[2] == 1)).float().mean():.2f}")


if __name__ == "__main__":
    main()
