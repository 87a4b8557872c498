"""Monthly churn campaign job.

Trains the churn network and reports what the retention campaign would cost on last month's
hold-out: every contacted customer costs `contact`, every missed churner costs `lost`.
"""
from __future__ import annotations

import logging
import os
import sys
import tempfile
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn, Tensor

log = logging.getLogger("churn")


@dataclass(frozen=True)
class Costs:
    contact: float = 8.0
    lost: float = 60.0

    @property
    def cutoff(self) -> float:
        """Contact a customer when P(churn) * lost > contact."""
        return self.contact / self.lost


@dataclass
class JobConfig:
    customers: int = 9000
    holdout: int = 3000
    hidden: tuple[int, ...] = (48, 24)
    epochs: int = 8
    batch_size: int = 128
    lr: float = 1e-3
    seed: int = 2024
    costs: Costs = field(default_factory=Costs)


class CustomerTable:
    """Stand-in for the warehouse query."""

    NAMES = ("tenure", "monthly_fee", "tickets", "usage_trend", "late_payments", "contract_left", "nps", "devices")

    def __init__(self, n: int, seed: int):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, len(self.NAMES)))
        risk = (-1.9 - 0.8 * x[:, 0] + 0.5 * x[:, 1] + 0.6 * np.maximum(x[:, 2], 0) - 0.7 * x[:, 3]
                + 0.5 * x[:, 4] * (x[:, 5] < 0) - 0.3 * x[:, 6])
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = torch.tensor(rng.random(n) < 1 / (1 + np.exp(-risk)), dtype=torch.float32)

    def split(self, holdout: int):
        return (self.x[:-holdout], self.y[:-holdout]), (self.x[-holdout:], self.y[-holdout:])


class ChurnNet(nn.Module):
    def __init__(self, n_in: int, hidden: tuple[int, ...]):
        super().__init__()
        layers: list[nn.Module] = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.ReLU(), nn.Dropout(0.1)]
            n_in = h
        self.net = nn.Sequential(*layers, nn.Linear(n_in, 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x).squeeze(-1)


class ChurnScorer:
    def __init__(self, cfg: JobConfig):
        self.cfg = cfg
        self.net = ChurnNet(len(CustomerTable.NAMES), cfg.hidden)

    def fit(self, x: Tensor, y: Tensor) -> "ChurnScorer":
        opt = torch.optim.Adam(self.net.parameters(), lr=self.cfg.lr)
        criterion = nn.BCEWithLogitsLoss()
        self.net.train()
        for epoch in range(self.cfg.epochs):
            total = 0.0
            for idx in torch.randperm(len(x)).split(self.cfg.batch_size):
                opt.zero_grad()
                loss = criterion(self.net(x[idx]), y[idx])
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            log.info("epoch=%d train_logloss=%.4f", epoch, total / len(x))
        return self

    @torch.no_grad()
    def score(self, x: Tensor) -> Tensor:
        self.net.eval()
        return self.net(x)


def campaign_report(scores: Tensor, y: Tensor, costs: Costs) -> dict[str, float]:
    contacted = scores > costs.cutoff
    churned = y.bool()
    caught = (contacted & churned).sum().item()
    n_contacted = contacted.sum().item()
    cost = costs.contact * n_contacted + costs.lost * (churned.sum().item() - caught)
    return {
        "contacted": n_contacted / len(y),
        "recall": caught / churned.sum().item(),
        "precision": caught / max(n_contacted, 1),
        "cost_per_customer": cost / len(y),
        "cost_contact_nobody": costs.lost * churned.float().mean().item(),
        "cost_contact_all": costs.contact,
    }


def main() -> int:
    cfg = JobConfig()
    workdir = tempfile.mkdtemp(prefix="churn_")
    logging.basicConfig(filename=os.path.join(workdir, "job.log"), level=logging.INFO,
                        format="%(asctime)s %(name)s %(levelname)s %(message)s")
    torch.manual_seed(cfg.seed)
    table = CustomerTable(cfg.customers, cfg.seed)
    (x_tr, y_tr), (x_ho, y_ho) = table.split(cfg.holdout)
    log.info("train=%d holdout=%d churn_rate=%.3f", len(x_tr), len(x_ho), y_tr.mean().item())
    scorer = ChurnScorer(cfg).fit(x_tr, y_tr)
    report = campaign_report(scorer.score(x_ho), y_ho, cfg.costs)
    for key, value in report.items():
        log.info("%s=%.4f", key, value)
        print(f"{key:>20s}  {value:8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
