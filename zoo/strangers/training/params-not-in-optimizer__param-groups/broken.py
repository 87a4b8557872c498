from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from data import Ratings, batches, simulate_ratings, split
from model import NeuralMF

torch.set_num_threads(1)


@dataclass
class Config:
    n_users: int = 300
    n_items: int = 250
    per_user: int = 150
    batch_size: int = 256
    epochs: int = 16
    lr: float = 1e-2
    weight_decay: float = 1e-4
    emb_weight_decay: float = 0.1
    seed: int = 2024


def build_optimizer(model: nn.Module, cfg: Config) -> torch.optim.Optimizer:
    decay, no_decay, embeddings = [], [], []
    for name, p in model.named_parameters():
        if name.endswith("bias") or "norm" in name:
            no_decay.append(p)
        elif "emb" in name:
            embeddings.append(p)
        else:
            decay.append(p)
    groups = [
        {"params": decay, "weight_decay": cfg.weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=cfg.lr)


@torch.no_grad()
def evaluate(model: nn.Module, data: Ratings) -> tuple[float, float]:
    model.eval()
    sq, n = 0.0, 0
    for b in batches(data, 2048):
        sq += F.mse_loss(model(b.user, b.item), b.score, reduction="sum").item()
        n += len(b)
    mse = sq / n
    return mse, 1.0 - mse / data.score.var(unbiased=False).item()


def train(model: nn.Module, train_set: Ratings, val_set: Ratings, cfg: Config) -> None:
    opt = build_optimizer(model, cfg)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)
    gen = torch.Generator().manual_seed(cfg.seed)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        total, n = 0.0, 0
        for b in batches(train_set, cfg.batch_size, gen):
            loss = F.mse_loss(model(b.user, b.item), b.score)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(b)
            n += len(b)
        sched.step()
        val_mse, val_r2 = evaluate(model, val_set)
        print(f"epoch {epoch:2d}  train mse {total / n:.4f}  val mse {val_mse:.4f}  val r2 {val_r2:+.3f}")


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    ratings = simulate_ratings(cfg.n_users, cfg.n_items, cfg.per_user, cfg.seed)
    train_set, val_set, test_set = split(ratings, val=0.1, test=0.1)
    print(f"ratings: {len(train_set)} train, {len(val_set)} val, {len(test_set)} test")
    model = NeuralMF(cfg.n_users, cfg.n_items)
    train(model, train_set, val_set, cfg)
    mse, r2 = evaluate(model, test_set)
    print(f"test mse {mse:.4f}  r2 {r2:+.3f}")


if __name__ == "__main__":
    main()
