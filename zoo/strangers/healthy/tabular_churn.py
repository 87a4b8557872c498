"""Churn classifier on a mixed numeric / categorical table."""
import copy

import numpy as np
import pandas as pd
import torch
from sklearn.compose import ColumnTransformer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 42


def make_table(n=6000):
    rng = np.random.default_rng(SEED)
    df = pd.DataFrame({
        "tenure": rng.gamma(2.0, 14.0, n),
        "monthly": rng.normal(65, 20, n),
        "tickets": rng.poisson(1.2, n),
        "plan": rng.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2]),
        "region": rng.choice(list("NESW"), n),
    })
    z = (0.4 - 0.06 * df.tenure + 0.04 * (df.monthly - 65) + 0.9 * df.tickets
         + df["plan"].map({"basic": 0.6, "plus": 0.0, "pro": -1.0})
         + 0.8 * ((df.tickets > 2) & (df["plan"] == "pro")))
    df["churn"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df


def predict(model, x):
    model.eval()
    with torch.no_grad():
        return torch.sigmoid(model(x).squeeze(1))


def main():
    torch.manual_seed(SEED)
    df = make_table()
    rest, test = train_test_split(df, test_size=0.2, stratify=df.churn, random_state=SEED)
    train, val = train_test_split(rest, test_size=0.2, stratify=rest.churn, random_state=SEED)
    prep = ColumnTransformer([
        ("num", StandardScaler(), ["tenure", "monthly", "tickets"]),
        ("cat", OneHotEncoder(handle_unknown="ignore"), ["plan", "region"]),
    ], sparse_threshold=0)
    prep.fit(train)

    def tensors(part):
        return (torch.tensor(prep.transform(part), dtype=torch.float32),
                torch.tensor(part.churn.to_numpy(), dtype=torch.float32))

    train_x, train_y = tensors(train)
    val_x, val_y = tensors(val)
    test_x, test_y = tensors(test)
    loader = DataLoader(TensorDataset(train_x, train_y), batch_size=128, shuffle=True)

    model = nn.Sequential(
        nn.Linear(train_x.shape[1], 64), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    loss_fn = nn.BCEWithLogitsLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
    best_auc, best_state, patience = 0.0, None, 0
    for epoch in range(40):
        model.train()
        total = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = loss_fn(model(xb).squeeze(1), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
        auc = roc_auc_score(val_y, predict(model, val_x))
        print(f"epoch {epoch:2d} loss {total / len(train_y):.4f} val auc {auc:.4f}")
        if auc > best_auc:
            best_auc, best_state, patience = auc, copy.deepcopy(model.state_dict()), 0
        else:
            patience += 1
            if patience == 6:
                break
    model.load_state_dict(best_state)
    prob = predict(model, test_x)
    acc = ((prob > 0.5).float() == test_y).float().mean().item()
    print(f"best val auc {best_auc:.4f}  test auc {roc_auc_score(test_y, prob):.4f}  test acc {acc:.4f}")


if __name__ == "__main__":
    main()
