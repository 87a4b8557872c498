# %% [markdown]
# # Response to treatment from a gene-expression panel
# 260 patients, 3000 genes, a few dozen of them weakly related to the response. Pick a panel, then train a small net.

# %%
import numpy as np
import pandas as pd
import torch
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = 7
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
n_patients, n_genes, n_active = 260, 3000, 30
rng = np.random.default_rng(SEED)
response = rng.permutation(np.arange(n_patients) % 2)
expr = rng.normal(size=(n_patients, n_genes))
pathway = rng.normal(size=(n_patients, 25)) @ rng.normal(size=(25, n_genes)) * 0.08
expr = expr + pathway
active = rng.choice(n_genes, n_active, replace=False)
expr[:, active] += np.outer(2 * response - 1, rng.choice([-1, 1], n_active) * 0.27)
counts = np.exp(0.6 * expr + rng.normal(3, 1, n_genes))
df = pd.DataFrame(counts, columns=[f"g{i:04d}" for i in range(n_genes)])
df["response"] = response
print(df.shape, df["response"].value_counts().to_dict())

# %%
X = np.log1p(df.drop(columns="response").to_numpy())
y = df["response"].to_numpy()
PANEL = 40
selector = SelectKBest(f_classif, k=PANEL).fit(X, y)
X = selector.transform(X)


# %%
class PanelNet(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.net = nn.Sequential(nn.Dropout(0.3), nn.Linear(n_in, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def train_net(xt, yt, epochs=24, batch=16, lr=1e-3):
    net = PanelNet(xt.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=0.1)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        net.train()
        order = torch.randperm(len(xt))
        total = 0.0
        for idx in order.split(batch):
            opt.zero_grad()
            loss = loss_fn(net(xt[idx]), yt[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        if (epoch + 1) % 8 == 0:
            print(f"    epoch {epoch + 1:3d} train loss {total / len(xt):.3f}")
    return net


def to_tensor(a):
    return torch.tensor(a, dtype=torch.float32)


# %%
rows = []
for repeat in range(10):
    torch.manual_seed(SEED + repeat)
    x_tr, x_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=SEED + repeat)
    scaler = StandardScaler().fit(x_tr)
    x_tr, x_te = scaler.transform(x_tr), scaler.transform(x_te)
    print(f"repeat {repeat}: train {x_tr.shape}, test {x_te.shape}")
    net = train_net(to_tensor(x_tr), to_tensor(y_tr))
    net.eval()
    with torch.no_grad():
        prob = torch.sigmoid(net(to_tensor(x_te))).numpy()
    rows.append({"repeat": repeat, "auc": roc_auc_score(y_te, prob), "acc": ((prob > 0.5) == y_te).mean()})
    print(f"    held-out auc {rows[-1]['auc']:.3f} acc {rows[-1]['acc']:.3f}")

# %%
res = pd.DataFrame(rows)
print(res.round(3).to_string(index=False))
print(f"held-out auc {res.auc.mean():.3f} +- {res.auc.std():.3f}   acc {res.acc.mean():.3f} +- {res.acc.std():.3f}")
