"""Churn model on the CRM extract (simulated here so that it can be shared)."""
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from sklearn.compose import ColumnTransformer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import nn


@dataclass
class Config:
    rows: int = 6000
    hidden: tuple = (256, 256)
    dropout: float = 0.0
    weight_decay: float = 0.0
    lr: float = 2e-3
    batch_size: int = 64
    epochs: int = 24
    seed: int = 2024


def crm_extract(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "tenure": rng.gamma(2.0, 14.0, n),
        "monthly_fee": rng.normal(48, 15, n).clip(9),
        "support_calls": rng.poisson(1.4, n),
        "usage_gb": rng.lognormal(2.2, 0.7, n),
        "late_payments": rng.poisson(0.6, n),
        "age": rng.integers(18, 80, n),
        "discount": rng.uniform(0, 0.4, n),
        "outages": rng.poisson(0.9, n),
        "plan": rng.choice(["basic", "plus", "family", "pro"], n),
        "channel": rng.choice(["web", "shop", "phone", "partner", "promo"], n),
    })
    score = (
        -0.04 * (df.tenure - 28) + 0.025 * (df.monthly_fee - 48) + 0.5 * (df.support_calls - 1.4)
        + 0.6 * (df.late_payments - 0.6) - 2.5 * (df.discount - 0.2) + 0.4 * (df.outages - 0.9)
        + df.plan.map({"basic": 0.5, "plus": 0.0, "family": -0.7, "pro": 0.1})
        + df.channel.map({"web": 0.0, "shop": -0.3, "phone": 0.2, "partner": 0.3, "promo": 0.6})
    )
    score += 0.5 * (df.support_calls > 2) * (df.tenure < 20)
    df["churn"] = (rng.uniform(size=n) < 1 / (1 + np.exp(-(score - 0.3)))).astype(int)
    return df


def prepare(df, seed):
    y = df.pop("churn").to_numpy()
    tr, rest, y_tr, y_rest = train_test_split(df, y, test_size=0.5, stratify=y, random_state=seed)
    va, te, y_va, y_te = train_test_split(rest, y_rest, test_size=0.5, stratify=y_rest, random_state=seed)
    cats = ["plan", "channel"]
    nums = [c for c in df.columns if c not in cats]
    ct = ColumnTransformer([("num", StandardScaler(), nums),
                            ("cat", OneHotEncoder(sparse_output=False, handle_unknown="ignore"), cats)])
    parts = [ct.fit_transform(tr), ct.transform(va), ct.transform(te)]
    as_t = lambda a: torch.tensor(a, dtype=torch.float32)
    return [(as_t(x), as_t(t)) for x, t in zip(parts, (y_tr, y_va, y_te))]


def build(n_in, cfg):
    layers, width = [], n_in
    for h in cfg.hidden:
        layers += [nn.Linear(width, h), nn.ReLU(), nn.Dropout(cfg.dropout)]
        width = h
    layers.append(nn.Linear(width, 1))
    return nn.Sequential(*layers)


def assess(model, x, y):
    model.eval()
    with torch.no_grad():
        logit = model(x).squeeze(1)
        loss = nn.functional.binary_cross_entropy_with_logits(logit, y).item()
    return loss, roc_auc_score(y.numpy(), logit.numpy())


def run(cfg):
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    (x, y), valid, test = prepare(crm_extract(cfg.rows, cfg.seed), cfg.seed)
    model = build(x.shape[1], cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        order = torch.randperm(len(x))
        for idx in order.split(cfg.batch_size):
            opt.zero_grad()
            loss = bce(model(x[idx]).squeeze(1), y[idx])
            loss.backward()
            opt.step()
        if epoch == 1 or epoch % 3 == 0:
            tl, ta = assess(model, x, y)
            vl, va = assess(model, *valid)
            print(f"epoch {epoch:3d}  train loss {tl:.3f} auc {ta:.3f}   valid loss {vl:.3f} auc {va:.3f}")
    loss, auc = assess(model, *test)
    print(f"test  loss {loss:.3f}  auc {auc:.3f}  (base rate {test[1].mean():.2f})")


if __name__ == "__main__":
    run(Config())
