"""Pump failure within the next day? -- my entry for the maintenance playground competition (offline version)

Scoring of the competition: a missed failure costs 9 units, a needless inspection costs 1.
So an inspection pays as soon as P(failure) > 1 / (1 + 9).
"""
import argparse

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

COST_MISS = 9.0
COST_INSPECTION = 1.0


def simulate(n, rng):
    df = pd.DataFrame({
        "vibration": rng.gamma(3.0, 1.2, n),
        "temp": rng.normal(62, 7, n),
        "flow": rng.normal(14, 2.5, n),
        "pressure": rng.normal(5.2, 0.6, n),
        "hours": rng.uniform(0, 9000, n),
        "current": rng.normal(11, 1.5, n),
        "site": rng.integers(0, 4, n),
    })
    wear = df.hours / 9000
    risk = (
        0.55 * (df.vibration - 3.6) * (0.4 + wear)
        + 0.09 * (df.temp - 62)
        - 0.9 * np.tanh((df.flow - 14) / 2) * (df.pressure - 5.2)
        + 1.6 * (wear > 0.75)
        + np.array([0.0, 0.4, -0.5, 0.2])[df.site]
        - 2.3
    )
    df["failed"] = (rng.uniform(size=n) < 1 / (1 + np.exp(-risk))).astype(int)
    return df


def features(df):
    out = df.drop(columns=["failed", "site"]).copy()
    out["temp_per_flow"] = df.temp / df.flow.clip(lower=4)
    out = pd.concat([out, pd.get_dummies(df.site, prefix="site")], axis=1)
    return out.astype(np.float32).to_numpy()


class FailureNet(nn.Module):
    def __init__(self, d_in, width=48, p=0.1):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p),
            nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


class Trainer:
    def __init__(self, model, lr, epochs):
        self.model, self.epochs = model, epochs
        self.loss_fn = nn.BCEWithLogitsLoss()
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
        self.threshold = COST_INSPECTION / (COST_INSPECTION + COST_MISS)

    def fit(self, loader, x_val, y_val):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            total, count = 0.0, 0
            for xb, yb in loader:
                self.opt.zero_grad()
                loss = self.loss_fn(self.model(xb), yb)
                loss.backward()
                self.opt.step()
                total += loss.item() * len(yb)
                count += len(yb)
            if epoch % 2 == 0:
                s = self.score(x_val, y_val)
                print(f"epoch {epoch:2d}  loss {total / count:.4f}  val auc {s['auc']:.3f}  val cost {s['cost']:.3f}")

    @torch.no_grad()
    def predict(self, x):
        self.model.eval()
        return torch.cat([self.model(chunk) for chunk in x.split(1024)])

    def score(self, x, y):
        p = self.predict(x)
        alarm = p > self.threshold
        failed = y.bool()
        missed = (failed & ~alarm).sum().item()
        needless = (alarm & ~failed).sum().item()
        return {
            "auc": roc_auc_score(y.numpy(), p.numpy()),
            "recall": (failed & alarm).sum().item() / failed.sum().item(),
            "cost": (COST_MISS * missed + COST_INSPECTION * needless) / len(y),
        }


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--n", type=int, default=12000)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=1e-3)
    opt = ap.parse_args()

    np.random.seed(opt.seed)
    torch.manual_seed(opt.seed)

    table = simulate(opt.n, np.random.default_rng(opt.seed))
    print(f"{len(table)} pump-days, {table.failed.mean():.1%} with a failure")
    rest, test = train_test_split(table, test_size=0.25, stratify=table.failed, random_state=opt.seed)
    train, val = train_test_split(rest, test_size=0.15, stratify=rest.failed, random_state=opt.seed)

    scaler = StandardScaler().fit(features(train))
    (x_tr, y_tr), (x_va, y_va), (x_te, y_te) = [
        (torch.from_numpy(scaler.transform(features(d))).float(), torch.tensor(d.failed.to_numpy(), dtype=torch.float32))
        for d in (train, val, test)
    ]
    loader = DataLoader(TensorDataset(x_tr, y_tr), batch_size=64, shuffle=True)

    trainer = Trainer(FailureNet(x_tr.shape[1]), opt.lr, opt.epochs)
    trainer.fit(loader, x_va, y_va)

    final = trainer.score(x_te, y_te)
    print("test  " + "  ".join(f"{k} {v:.3f}" for k, v in final.items()))
    print(f"inspecting every pump every day would cost {COST_INSPECTION * (1 - test.failed.mean()):.3f}")
