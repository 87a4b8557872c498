"""Feed ranking: one network scores click probability and expected dwell time (seconds)."""
from __future__ import annotations

import argparse
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
from torch import nn


@dataclass
class Config:
    n_users: int = 150
    n_items: int = 100
    n_events: int = 60000
    emb_dim: int = 8
    hidden: int = 48
    epochs: int = 12
    batch_size: int = 256
    lr: float = 1e-2
    loss_weights: dict = field(default_factory=lambda: {"click": 1.0, "dwell": 1.0})
    seed: int = 0


def simulate_log(cfg, rng):
    """Impressions: interest drives clicks, reading pace and article length drive dwell time."""
    interest_u, interest_i = rng.normal(size=(cfg.n_users, 2)), rng.normal(size=(cfg.n_items, 2))
    pace, length = rng.normal(size=(cfg.n_users, 2)), rng.normal(size=(cfg.n_items, 2))
    u = rng.integers(0, cfg.n_users, cfg.n_events)
    i = rng.integers(0, cfg.n_items, cfg.n_events)
    hour = rng.integers(0, 24, cfg.n_events)
    appeal = 0.6 * rng.normal(size=cfg.n_items)
    affinity = 1.5 * (interest_u[u] * interest_i[i]).sum(1) + appeal[i] + 0.4 * np.sin(2 * np.pi * hour / 24)
    click = (rng.random(cfg.n_events) < 1 / (1 + np.exp(-affinity))).astype(np.float32)
    dwell = 95 + 40 * length[i, 0] + 25 * pace[u, 0] + 20 * pace[u, 1] * length[i, 1] + 45 * rng.normal(size=cfg.n_events)
    context = np.stack([np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)], 1).astype(np.float32)
    return [torch.from_numpy(a) for a in (u, i, context, click, dwell.astype(np.float32))]


class Ranker(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg.emb_dim
        self.user = nn.Embedding(cfg.n_users, d)
        self.item = nn.Embedding(cfg.n_items, d)
        nn.init.normal_(self.user.weight, std=0.5)
        nn.init.normal_(self.item.weight, std=0.5)
        self.trunk = nn.Sequential(nn.Linear(3 * d + 2, cfg.hidden), nn.ReLU(),
                                   nn.Linear(cfg.hidden, cfg.hidden), nn.ReLU())
        self.click = nn.Linear(cfg.hidden, 1)
        self.dwell = nn.Linear(cfg.hidden, 1)

    def forward(self, u, i, context):
        eu, ei = self.user(u), self.item(i)
        z = self.trunk(torch.cat([eu, ei, eu * ei, context], dim=1))
        return {"click": self.click(z).squeeze(1) + (eu * ei).sum(1), "dwell": self.dwell(z).squeeze(1)}


def compute_losses(out, click, dwell):
    return {
        "click": F.binary_cross_entropy_with_logits(out["click"], click),
        "dwell": F.mse_loss(out["dwell"], dwell),
    }


class Trainer:
    def __init__(self, cfg, model, train, test):
        self.cfg, self.model, self.train_set, self.test_set = cfg, model, train, test
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        steps = cfg.epochs * -(-len(train[0]) // cfg.batch_size)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, steps)

    def epoch(self):
        self.model.train()
        sums, n = {"click": 0.0, "dwell": 0.0}, len(self.train_set[0])
        for idx in torch.randperm(n).split(self.cfg.batch_size):
            u, i, ctx, click, dwell = (t[idx] for t in self.train_set)
            parts = compute_losses(self.model(u, i, ctx), click, dwell)
            loss = sum(self.cfg.loss_weights[k] * v for k, v in parts.items())
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            self.sched.step()
            for k, v in parts.items():
                sums[k] += v.item() * len(idx)
        return {k: v / n for k, v in sums.items()}

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        u, i, ctx, click, dwell = self.test_set
        out = self.model(u, i, ctx)
        return (roc_auc_score(click.numpy(), out["click"].numpy()),
                (out["dwell"] - dwell).pow(2).mean().sqrt().item())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    cfg = Config(seed=ap.parse_args().seed)
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)

    log = simulate_log(cfg, rng)
    cut = int(0.85 * cfg.n_events)
    train, test = [t[:cut] for t in log], [t[cut:] for t in log]
    centre = train[4].mean()
    train[4], test[4] = train[4] - centre, test[4] - centre

    trainer = Trainer(cfg, Ranker(cfg), train, test)
    for e in range(cfg.epochs):
        sums = trainer.epoch()
        auc, rmse = trainer.evaluate()
        print(f"epoch {e + 1:2d}  " + "  ".join(f"{k} {v:.4f}" for k, v in sums.items())
              + f"  | test click AUC {auc:.4f}  dwell RMSE {rmse:.2f}s")
    auc, rmse = trainer.evaluate()
    print(f"final: click AUC {auc:.4f}, dwell RMSE {rmse:.2f}s")


if __name__ == "__main__":
    main()
