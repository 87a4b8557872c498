"""Churn model for the telecom customers: plan / region embeddings plus usage numbers."""
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_customers: int = 9000
    val_share: float = 0.2
    batch_size: int = 256
    epochs: int = 12
    lr: float = 3e-3
    emb_dim: int = 4
    hidden: tuple = field(default_factory=lambda: (48, 24))
    seed: int = 17


PLANS = ["prepaid", "basic", "family", "premium", "business"]
REGIONS = ["north", "east", "south", "west", "islands", "capital"]
NUMERIC = ["monthly_fee", "data_gb", "support_calls", "tenure_months", "late_payments"]


def crm_export(cfg: Config):
    """What the two CRM exports look like: one with usage, one with the churn flag."""
    rng = np.random.default_rng(cfg.seed)
    n = cfg.n_customers
    ids = rng.permutation(np.arange(100_000, 100_000 + n))
    usage = pd.DataFrame({
        "customer_id": ids,
        "plan": rng.choice(PLANS, n),
        "region": rng.choice(REGIONS, n),
        "monthly_fee": rng.gamma(4.0, 9.0, n),
        "data_gb": rng.gamma(2.0, 6.0, n),
        "support_calls": rng.poisson(1.6, n),
        "tenure_months": rng.integers(1, 96, n),
        "late_payments": rng.poisson(0.7, n),
    })
    plan_effect = dict(zip(PLANS, [2.2, 0.6, -1.6, -0.8, -2.0]))
    region_effect = dict(zip(REGIONS, [0.3, -0.6, 0.5, 0.0, 1.2, -0.9]))
    score = (usage["plan"].map(plan_effect) + usage["region"].map(region_effect)
             + 0.05 * (usage["monthly_fee"] - 36) + 0.9 * (usage["support_calls"] - 1.6)
             - 0.04 * (usage["tenure_months"] - 48) + 0.9 * (usage["late_payments"] - 0.7))
    flag = (1 / (1 + np.exp(-1.6 * score)) > rng.uniform(size=n)).astype(np.float32)
    churn = pd.DataFrame({"customer_id": ids, "churned": flag})
    return usage, churn.sort_values("customer_id").reset_index(drop=True)


def build_tensors(usage, churn, cfg: Config):
    table = usage.sort_values("tenure_months", kind="stable").reset_index(drop=True)
    y = churn["churned"].to_numpy()

    rng = np.random.default_rng(cfg.seed + 1)
    order = rng.permutation(len(table))
    n_val = int(cfg.val_share * len(table))
    val, train = order[:n_val], order[n_val:]

    mean, std = table.loc[train, NUMERIC].mean(), table.loc[train, NUMERIC].std()
    num = ((table[NUMERIC] - mean) / std).to_numpy(np.float32)
    cat = np.stack([table["plan"].map(PLANS.index), table["region"].map(REGIONS.index)], axis=1).astype(np.int64)

    def pack(rows):
        return TensorDataset(torch.from_numpy(num[rows]), torch.from_numpy(cat[rows]), torch.from_numpy(y[rows]))

    return pack(train), pack(val)


class ChurnNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.plan = nn.Embedding(len(PLANS), cfg.emb_dim)
        self.region = nn.Embedding(len(REGIONS), cfg.emb_dim)
        width = len(NUMERIC) + 2 * cfg.emb_dim
        layers = []
        for h in cfg.hidden:
            layers += [nn.Linear(width, h), nn.ReLU(), nn.Dropout(0.1)]
            width = h
        self.mlp = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, num, cat):
        x = torch.cat([num, self.plan(cat[:, 0]), self.region(cat[:, 1])], dim=1)
        return self.mlp(x).squeeze(1)


def evaluate(model, loader):
    model.eval()
    scores, truth = [], []
    with torch.no_grad():
        for num, cat, y in loader:
            scores.append(torch.sigmoid(model(num, cat)))
            truth.append(y)
    scores, truth = torch.cat(scores), torch.cat(truth)
    acc = ((scores > 0.5).float() == truth).float().mean().item()
    return acc, roc_auc_score(truth.numpy(), scores.numpy())


def main(cfg: Config = Config()):
    torch.manual_seed(cfg.seed)
    train_ds, val_ds = build_tensors(*crm_export(cfg), cfg)
    train_loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_ds, batch_size=1024)
    model = ChurnNet(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for num, cat, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(num, cat), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(y)
            seen += len(y)
        schedule.step()
        acc, auc = evaluate(model, val_loader)
        print(f"epoch {epoch:2d}  train loss {running / seen:.4f}  val acc {acc:.3f}  val auc {auc:.3f}")


if __name__ == "__main__":
    main()
