"""Rating prediction from user/item profile vectors (regression)."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


@dataclass
class ModelConfig:
    in_dim: int = 20
    hidden: int = 64
    depth: int = 3
    temperature: float = 0.05


@dataclass
class RunConfig:
    rows: int = 16_000
    batch_size: int = 128
    epochs: int = 12
    lr: float = 2e-3
    seed: int = 41


class TemperedTanh(nn.Module):
    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.temperature = temperature

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x / self.temperature)

    def extra_repr(self) -> str:
        return f"temperature={self.temperature}"


class RatingNet(nn.Module):
    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        width = cfg.in_dim
        for _ in range(cfg.depth):
            layers += [nn.Linear(width, cfg.hidden), TemperedTanh(cfg.temperature)]
            width = cfg.hidden
        self.trunk = nn.Sequential(*layers)
        self.score = nn.Linear(width, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.score(self.trunk(x)).squeeze(-1)


def build_data(cfg: RunConfig, in_dim: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(cfg.seed)
    half = in_dim // 2
    user = rng.normal(size=(cfg.rows, half))
    item = rng.normal(size=(cfg.rows, half))
    taste = (user[:, :4] * item[:, :4]).sum(1)
    mood = np.sin(user[:, 4] + item[:, 5])
    rating = 3.0 + 0.45 * taste + 0.5 * mood + 0.3 * item[:, 6] + rng.normal(0, 0.2, size=cfg.rows)
    return np.hstack([user, item]).astype(np.float32), rating.astype(np.float32)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    preds, targets = [], []
    for x, y in loader:
        preds.append(model(x))
        targets.append(y)
    p, t = torch.cat(preds), torch.cat(targets)
    mse = torch.mean((p - t) ** 2)
    return mse.item(), (1.0 - mse / t.var(unbiased=False)).item()


def main() -> None:
    run, mcfg = RunConfig(), ModelConfig()
    torch.manual_seed(run.seed)

    x, y = build_data(run, mcfg.in_dim)
    a, b = int(0.8 * run.rows), int(0.9 * run.rows)
    mu, sd = x[:a].mean(0), x[:a].std(0)
    y_mu, y_sd = y[:a].mean(), y[:a].std()
    x, y = torch.from_numpy((x - mu) / sd), torch.from_numpy((y - y_mu) / y_sd)
    loaders = {
        "train": DataLoader(TensorDataset(x[:a], y[:a]), run.batch_size, shuffle=True),
        "val": DataLoader(TensorDataset(x[a:b], y[a:b]), 512),
        "test": DataLoader(TensorDataset(x[b:], y[b:]), 512),
    }

    model = RatingNet(mcfg)
    print(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=run.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=run.epochs)
    loss_fn = nn.MSELoss()

    for epoch in range(1, run.epochs + 1):
        model.train()
        total, n = 0.0, 0
        for xb, yb in loaders["train"]:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(yb)
            n += len(yb)
        scheduler.step()
        val_mse, val_r2 = evaluate(model, loaders["val"])
        print(f"epoch {epoch:2d}: train mse {total / n:.4f}  val mse {val_mse:.4f}  val r2 {val_r2:.3f}")

    mse, r2 = evaluate(model, loaders["test"])
    print(f"test mse {mse:.4f}  r2 {r2:.3f}")


if __name__ == "__main__":
    main()
