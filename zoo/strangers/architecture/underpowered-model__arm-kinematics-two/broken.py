"""Learned forward kinematics of a planar arm with three joints: angles -> position of the gripper."""
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class ModelConfig:
    n_joints: int = 3
    n_out: int = 2
    hidden: int = 2
    n_hidden_layers: int = 2


@dataclass(frozen=True)
class TrainConfig:
    n_train: int = 4000
    n_val: int = 500
    n_test: int = 1000
    batch: int = 100
    epochs: int = 40
    lr: float = 3e-3
    seed: int = 77
    model: ModelConfig = field(default_factory=ModelConfig)


LINKS = np.array([0.5, 0.35, 0.25])


def gripper(theta: np.ndarray) -> np.ndarray:
    absolute = np.cumsum(theta, axis=1)
    return np.stack([(LINKS * np.cos(absolute)).sum(1), (LINKS * np.sin(absolute)).sum(1)], axis=1)


def sample(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    theta = rng.uniform(-np.pi, np.pi, (n, 3))
    return theta, gripper(theta) + rng.normal(0, 0.005, (n, 2))


class Standardizer:
    def __init__(self, data: np.ndarray):
        self.mean, self.std = data.mean(0), data.std(0)

    def __call__(self, data: np.ndarray) -> Tensor:
        return torch.tensor((data - self.mean) / self.std, dtype=torch.float32)

    def inverse(self, t: Tensor) -> np.ndarray:
        return t.numpy() * self.std + self.mean


def build_model(cfg: ModelConfig) -> nn.Module:
    sizes = [cfg.n_joints] + [cfg.hidden] * cfg.n_hidden_layers
    layers: list[nn.Module] = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    layers.append(nn.Linear(sizes[-1], cfg.n_out))
    return nn.Sequential(*layers)


def mse(model: nn.Module, x: Tensor, y: Tensor) -> float:
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


def train(cfg: TrainConfig) -> None:
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    raw = {name: sample(n, rng) for name, n in (("train", cfg.n_train), ("val", cfg.n_val), ("test", cfg.n_test))}
    scale_x, scale_y = Standardizer(raw["train"][0]), Standardizer(raw["train"][1])
    x, y = scale_x(raw["train"][0]), scale_y(raw["train"][1])
    xv, yv = scale_x(raw["val"][0]), scale_y(raw["val"][1])

    model = build_model(cfg.model)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs, eta_min=1e-4)

    for epoch in range(1, cfg.epochs + 1):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(cfg.batch):
            loss = nn.functional.mse_loss(model(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        scheduler.step()
        if epoch % 4 == 0 or epoch == 1:
            print(f"epoch {epoch:3d}: train mse {total / len(x):.5f}, val mse {mse(model, xv, yv):.5f}")

    theta, truth = raw["test"]
    model.eval()
    with torch.no_grad():
        guess = scale_y.inverse(model(scale_x(theta)))
    miss = np.linalg.norm(guess - truth, axis=1)
    r2 = 1 - ((guess - truth) ** 2).sum() / ((truth - truth.mean(0)) ** 2).sum()
    print(f"test: mean miss {100 * miss.mean():.1f} cm, R2 {r2:.4f}")


if __name__ == "__main__":
    train(TrainConfig())
