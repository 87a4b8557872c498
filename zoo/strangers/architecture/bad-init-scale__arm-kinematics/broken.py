"""Learn the forward kinematics of a planar three-link arm (joint angles -> end effector pose)."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class ArmConfig:
    links: tuple[float, ...] = (0.5, 0.35, 0.2)
    n_samples: int = 6000
    noise: float = 0.005


@dataclass
class NetConfig:
    width: int = 64
    depth: int = 10


@dataclass
class TrainConfig:
    seed: int = 11
    epochs: int = 24
    batch_size: int = 128
    lr: float = 1e-3
    arm: ArmConfig = field(default_factory=ArmConfig)
    net: NetConfig = field(default_factory=NetConfig)


def simulate_arm(cfg: ArmConfig, gen: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    q = (torch.rand(cfg.n_samples, len(cfg.links), generator=gen) * 2 - 1) * math.pi * 0.6
    cum = q.cumsum(dim=1)
    lengths = torch.tensor(cfg.links)
    x = (lengths * cum.cos()).sum(1)
    y = (lengths * cum.sin()).sum(1)
    pose = torch.stack([x, y], dim=1)
    pose = pose + cfg.noise * torch.randn(pose.shape, generator=gen)
    return q, pose


class KinematicsNet(nn.Module):
    def __init__(self, n_in: int, n_out: int, cfg: NetConfig):
        super().__init__()
        blocks: list[nn.Module] = [nn.Linear(n_in, cfg.width), nn.ReLU()]
        for _ in range(cfg.depth - 1):
            blocks += [nn.Linear(cfg.width, cfg.width), nn.ReLU()]
        self.trunk = nn.Sequential(*blocks)
        self.head = nn.Linear(cfg.width, n_out)
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.trunc_normal_(module.weight, std=0.02)
            nn.init.zeros_(module.bias)

    def forward(self, q):
        return self.head(self.trunk(q))


@torch.no_grad()
def evaluate(model, loader, scale):
    model.eval()
    sq, err, n = 0.0, 0.0, 0
    for q, pose in loader:
        diff = model(q) - pose
        sq += diff.pow(2).sum().item()
        err += (diff * scale).norm(dim=1).sum().item()
        n += len(q)
    return sq / (2 * n), err / n


def main(cfg: TrainConfig) -> None:
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    q, pose = simulate_arm(cfg.arm, gen)
    train_idx, val_idx = random_split(range(len(q)), [0.8, 0.2], generator=gen)
    tr, va = torch.tensor(list(train_idx)), torch.tensor(list(val_idx))

    q_mu, q_sd = q[tr].mean(0), q[tr].std(0)
    p_mu, p_sd = pose[tr].mean(0), pose[tr].std(0)
    q, pose = (q - q_mu) / q_sd, (pose - p_mu) / p_sd
    train_loader = DataLoader(TensorDataset(q[tr], pose[tr]), cfg.batch_size, shuffle=True, generator=gen)
    val_loader = DataLoader(TensorDataset(q[va], pose[va]), 512)

    model = KinematicsNet(q.shape[1], pose.shape[1], cfg.net)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for xb, yb in train_loader:
            loss = nn.functional.mse_loss(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(xb)
            seen += len(xb)
        sched.step()
        if epoch % 5 == 0 or epoch == 1:
            mse, err = evaluate(model, val_loader, p_sd)
            print(f"epoch {epoch:3d}  train {running / seen:.4f}  val {mse:.4f}  position error {100 * err:.2f} cm")
    mse, err = evaluate(model, val_loader, p_sd)
    print(f"final: R2={1 - mse:.4f}  mean position error {100 * err:.2f} cm (arm reach {100 * sum(cfg.arm.links):.0f} cm)")


if __name__ == "__main__":
    main(TrainConfig())
