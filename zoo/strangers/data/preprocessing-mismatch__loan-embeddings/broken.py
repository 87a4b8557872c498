"""Loan default scoring: categorical embeddings + numeric columns, scored on next quarter's book."""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

CATS = {"purpose": 24, "region": 30, "employer": 18}
NUMS = ["income", "amount", "age", "score"]


def loan_book(n, effects, rng, skip):
    frame = pd.DataFrame({
        "income": rng.lognormal(10.3, 0.4, n),
        "amount": rng.lognormal(9.0, 0.6, n),
        "age": rng.integers(20, 70, n),
        "score": rng.normal(620, 60, n),
    })
    logit = 0.6 * (np.log(frame.amount) - 9.0) - 0.8 * (np.log(frame.income) - 10.3) - 0.008 * (frame.score - 620)
    for name, size in CATS.items():
        allowed = np.setdiff1d(np.arange(size), skip.get(name, []))
        code = rng.choice(allowed, n)
        frame[name] = [f"{name}_{c:02d}" for c in code]
        logit = logit + effects[name][code]
    frame["default"] = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    return frame


def encode(frame, dtypes=None):
    """Integer codes for the categorical columns, plus the category dtypes that were used."""
    dtypes = dtypes or {c: pd.CategoricalDtype(sorted(frame[c].unique())) for c in CATS}
    codes = np.stack([frame[c].astype(dtypes[c]).cat.codes.to_numpy() for c in CATS], axis=1)
    return torch.as_tensor(codes, dtype=torch.long), dtypes


def numeric(frame):
    out = frame[NUMS].astype(float).copy()
    out["income"], out["amount"] = np.log(out["income"]), np.log(out["amount"])
    return out.to_numpy()


class LoanNet(nn.Module):
    def __init__(self, dim=6, hidden=48):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(size, dim) for size in CATS.values()])
        self.body = nn.Sequential(
            nn.Linear(dim * len(CATS) + len(NUMS), hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def forward(self, codes, nums):
        parts = [table(codes[:, i]) for i, table in enumerate(self.tables)]
        return self.body(torch.cat(parts + [nums], dim=1)).squeeze(1)


def main():
    torch.manual_seed(4)
    rng = np.random.default_rng(4)
    effects = {name: rng.normal(0, 1.1, size) for name, size in CATS.items()}
    book = loan_book(9000, effects, rng, {})
    quarter = loan_book(2000, effects, rng, {"purpose": [2, 9], "region": [1, 14], "employer": [3]})

    scaler = StandardScaler().fit(numeric(book))
    nums = torch.as_tensor(scaler.transform(numeric(book)), dtype=torch.float32)
    codes, dtypes = encode(book)
    target = torch.as_tensor(book["default"].to_numpy(copy=True), dtype=torch.float32)
    q_nums = torch.as_tensor(scaler.transform(numeric(quarter)), dtype=torch.float32)
    q_codes, _ = encode(quarter)
    q_target = quarter["default"].to_numpy()
    print({c: t.categories.size for c, t in dtypes.items()}, "default rate", round(book["default"].mean(), 3))

    loader = DataLoader(TensorDataset(codes, nums, target), batch_size=128, shuffle=True)
    net = LoanNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.02)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(1, 9):
        net.train()
        total = 0.0
        for c, x, t in loader:
            loss = bce(net(c, x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(t)
        net.eval()
        with torch.no_grad():
            prob = torch.sigmoid(net(q_codes, q_nums)).numpy()
        print(f"epoch {epoch:2d}  train loss {total / len(target):.4f}  next-quarter loss {log_loss(q_target, prob):.4f}"
              f"  auc {roc_auc_score(q_target, prob):.4f}")

    print(f"next-quarter AUC {roc_auc_score(q_target, prob):.4f}")


if __name__ == "__main__":
    main()
