"""Feed ranking: one relevance score, trained from several engagement signals."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

Batch = dict[str, Tensor]
Objective = Callable[[Tensor, Batch], Tensor]
OBJECTIVES: dict[str, Objective] = {}


def objective(name: str) -> Callable[[Objective], Objective]:
    def wrap(fn: Objective) -> Objective:
        OBJECTIVES[name] = fn
        return fn
    return wrap


@objective("click")
def click_objective(score: Tensor, batch: Batch) -> Tensor:
    return F.binary_cross_entropy_with_logits(score, batch["clicked"])


@objective("watch")
def watch_objective(score: Tensor, batch: Batch) -> Tensor:
    return F.binary_cross_entropy_with_logits(score, batch["skipped"])


@dataclass
class RankerConfig:
    rows: int = 20_000
    feat_dim: int = 16
    hidden: int = 48
    batch_size: int = 128
    epochs: int = 8
    lr: float = 2e-3
    weights: dict[str, float] = field(default_factory=lambda: {"click": 1.0, "watch": 1.0})
    seed: int = 60


class ImpressionLog(Dataset):
    """Impressions with click and playback outcome (finished / skipped in the first seconds / neither)."""

    def __init__(self, features: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        self.features = torch.as_tensor(features, dtype=torch.float32)
        self.columns = {k: torch.as_tensor(v, dtype=torch.float32) for k, v in columns.items()}

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, i: int) -> Batch:
        return {"features": self.features[i], **{k: v[i] for k, v in self.columns.items()}}


def simulate(cfg: RankerConfig) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(cfg.seed)
    x = rng.normal(size=(cfg.rows, cfg.feat_dim))
    w = rng.normal(size=cfg.feat_dim) / np.sqrt(cfg.feat_dim)
    interest = 1.6 * (x @ w) + 0.9 * x[:, 0] * x[:, 1] + 0.7 * np.abs(x[:, 2]) - 0.5
    clicked = interest + rng.logistic(0, 0.5, cfg.rows) > 0
    watch_time = interest + rng.logistic(0, 0.5, cfg.rows)
    finished = watch_time > 0.3
    skipped = watch_time < -0.3
    return x, {"clicked": clicked, "finished": finished, "skipped": skipped}


class Ranker(nn.Module):
    def __init__(self, cfg: RankerConfig) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.feat_dim, cfg.hidden), nn.ReLU(),
            nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU(),
            nn.Linear(cfg.hidden, 1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return self.net(features).squeeze(-1)


class RankerTrainer:
    def __init__(self, cfg: RankerConfig) -> None:
        self.cfg = cfg
        self.model = Ranker(cfg)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=cfg.epochs)

    def losses(self, batch: Batch) -> dict[str, Tensor]:
        score = self.model(batch["features"])
        return {name: w * OBJECTIVES[name](score, batch) for name, w in self.cfg.weights.items()}

    def train_epoch(self, loader: DataLoader) -> dict[str, float]:
        self.model.train()
        sums, n = dict.fromkeys(self.cfg.weights, 0.0), 0
        for batch in loader:
            parts = self.losses(batch)
            self.optimizer.zero_grad()
            sum(parts.values()).backward()
            self.optimizer.step()
            size = len(batch["features"])
            for k, v in parts.items():
                sums[k] += v.item() * size
            n += size
        self.scheduler.step()
        return {k: v / n for k, v in sums.items()}

    @torch.no_grad()
    def evaluate(self, loader: DataLoader) -> dict[str, float]:
        self.model.eval()
        scores, clicks, finished = [], [], []
        for batch in loader:
            scores.append(self.model(batch["features"]))
            clicks.append(batch["clicked"])
            finished.append(batch["finished"])
        s, c, f = torch.cat(scores), torch.cat(clicks), torch.cat(finished)
        return {
            "click_loss": F.binary_cross_entropy_with_logits(s, c).item(),
            "click_auc": roc_auc_score(c.numpy(), s.numpy()),
            "finish_auc": roc_auc_score(f.numpy(), s.numpy()),
        }


def fmt(d: dict[str, float]) -> str:
    return " ".join(f"{k}={v:.4f}" for k, v in d.items())


def main() -> None:
    cfg = RankerConfig()
    torch.manual_seed(cfg.seed)
    x, cols = simulate(cfg)
    a, b = int(0.8 * cfg.rows), int(0.9 * cfg.rows)
    mu, sd = x[:a].mean(0), x[:a].std(0)
    x = (x - mu) / sd
    part = lambda lo, hi: ImpressionLog(x[lo:hi], {k: v[lo:hi] for k, v in cols.items()})
    train = DataLoader(part(0, a), cfg.batch_size, shuffle=True)
    val, test = DataLoader(part(a, b), 512), DataLoader(part(b, cfg.rows), 512)
    print("rates:", fmt({k: float(v[:a].mean()) for k, v in cols.items()}))

    trainer = RankerTrainer(cfg)
    for epoch in range(1, cfg.epochs + 1):
        parts = trainer.train_epoch(train)
        print(f"epoch {epoch} | train {fmt(parts)} | val {fmt(trainer.evaluate(val))}")
    print("test", fmt(trainer.evaluate(test)))


if __name__ == "__main__":
    main()
