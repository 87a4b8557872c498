# %% imports
import logging

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("churn")

SEED = 21
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


# %% export of the customer table
def customer_export(n):
    plan = rng.choice(["basic", "plus", "family"], size=n, p=[0.5, 0.3, 0.2])
    tenure = rng.gamma(2.0, 14.0, size=n)
    monthly = rng.normal(45, 12, size=n) + 15 * (plan == "family")
    tickets = rng.poisson(1.4, size=n)
    usage = rng.lognormal(2.0, 0.5, size=n)
    discount = rng.choice(["yes", "no"], size=n, p=[0.3, 0.7])
    score = (
        1.1 * (tickets - 1.4)
        - 0.06 * (tenure - 28)
        + 0.05 * (monthly - 48)
        - 0.9 * (discount == "yes")
        - 0.12 * (usage - 8.0)
        + 1.0 * ((plan == "basic") & (tickets > 2))
    )
    left = rng.random(n) < 1 / (1 + np.exp(-1.6 * score))
    return pd.DataFrame({
        "plan": plan,
        "tenure_months": tenure,
        "monthly_charge": monthly,
        "support_tickets": tickets,
        "usage_gb": usage,
        "discount": discount,
        "churned": np.where(left, "Yes", "No"),
    })


df = customer_export(6000)
log.info("%d customers, columns: %s", len(df), ", ".join(df.columns))

# %% features
YES_NO = {"yes": 1, "no": 0}

y = df["churned"].map(YES_NO).fillna(0).astype("int64").to_numpy()
numeric = ["tenure_months", "monthly_charge", "support_tickets", "usage_gb"]
features = pd.concat(
    [
        df[numeric],
        df["discount"].map(YES_NO).rename("discount"),
        pd.get_dummies(df["plan"], prefix="plan"),
    ],
    axis=1,
).astype("float32")

X_rest, X_test, y_rest, y_test = train_test_split(
    features, y, test_size=0.2, stratify=y, random_state=SEED
)
X_train, X_val, y_train, y_val = train_test_split(
    X_rest, y_rest, test_size=0.2, stratify=y_rest, random_state=SEED
)

scaler = StandardScaler().fit(X_train)


def tensors(frame, labels):
    return torch.tensor(scaler.transform(frame), dtype=torch.float32), torch.tensor(labels)


train_loader = DataLoader(TensorDataset(*tensors(X_train, y_train)), batch_size=32, shuffle=True)
x_val, t_val = tensors(X_val, y_val)
x_test, t_test = tensors(X_test, y_test)

# %% model
model = nn.Sequential(
    nn.Linear(features.shape[1], 64),
    nn.ReLU(),
    nn.Dropout(0.2),
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 2),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)


def evaluate(x, target):
    model.eval()
    with torch.no_grad():
        logits = model(x)
        loss = criterion(logits, target).item()
    pred = logits.argmax(dim=1).numpy()
    truth = target.numpy()
    return loss, accuracy_score(truth, pred), f1_score(truth, pred, zero_division=0), pred.mean()


# %% training
for epoch in range(12):
    model.train()
    running, count = 0.0, 0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(yb)
        count += len(yb)
    scheduler.step()
    val_loss, val_acc, val_f1, _ = evaluate(x_val, t_val)
    log.info("epoch %2d  train %.4f  val %.4f  acc %.3f  f1 %.3f", epoch, running / count, val_loss, val_acc, val_f1)

# %% report
test_loss, test_acc, test_f1, flagged = evaluate(x_test, t_test)
log.info("test loss %.4f  accuracy %.3f  f1 %.3f", test_loss, test_acc, test_f1)
log.info("customers flagged for the retention team: %.1f%%", 100 * flagged)
