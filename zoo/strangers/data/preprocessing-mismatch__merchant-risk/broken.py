# %% [markdown]
# # Playground: merchant chargeback - entity embeddings baseline
# CV later, this is the hold-out version.

# %%
import gc
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score

SEED = 1337
np.random.seed(SEED)
torch.manual_seed(SEED)

CAT = ["merchant_type", "country", "terminal", "weekday_slot"]
NUM = ["amount_log", "n_tx_24h", "account_age"]
TARGET = "chargeback"

# %%
def load_frame(n, rng, effects):
    cards = {"merchant_type": 30, "country": 25, "terminal": 8, "weekday_slot": 14}
    d = {}
    for c, k in cards.items():
        codes = rng.integers(0, k, n)
        d[c] = np.array([f"{c[:3]}_{v:02d}" for v in codes])
        effects.setdefault(c, rng.normal(0, 0.9, k))
        d[c + "_fx"] = effects[c][codes]
    for c in NUM:
        d[c] = rng.normal(size=n)
    z = -1.0 + sum(d.pop(c + "_fx") for c in CAT) + 0.5 * d["amount_log"] - 0.4 * d["account_age"]
    d[TARGET] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.float32)
    return pd.DataFrame(d)


rng = np.random.default_rng(SEED)
effects = {}
train = load_frame(8000, rng, effects)
test = load_frame(2000, rng, effects)
print(train.shape, test.shape, "target mean", round(float(train[TARGET].mean()), 3))
train.head()

# %% encode
codebooks = {}
for col in CAT:
    for part in (train, test):
        codebooks[col] = {v: i + 1 for i, v in enumerate(part[col].unique())}  # 0 = unseen
        part[col] = part[col].map(codebooks[col])

num_mean, num_std = train[NUM].mean(), train[NUM].std()
for part in (train, test):
    part[NUM] = (part[NUM] - num_mean) / num_std


def tensors(part):
    return (torch.tensor(part[CAT].to_numpy(), dtype=torch.long),
            torch.tensor(part[NUM].to_numpy(), dtype=torch.float32),
            torch.tensor(part[TARGET].to_numpy(), dtype=torch.float32))


xc, xn, y = tensors(train)
xc_te, xn_te, y_te = tensors(test)
sizes = [len(codebooks[c]) + 1 for c in CAT]
gc.collect()

# %% model
class EmbMLP(nn.Module):
    def __init__(self, sizes, n_num):
        super().__init__()
        dims = [min(8, (s + 1) // 2) for s in sizes]
        self.embs = nn.ModuleList([nn.Embedding(s, d) for s, d in zip(sizes, dims)])
        self.bn = nn.BatchNorm1d(sum(dims) + n_num)
        self.mlp = nn.Sequential(nn.Linear(sum(dims) + n_num, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))

    def forward(self, c, n):
        e = [emb(c[:, i]) for i, emb in enumerate(self.embs)]
        return self.mlp(self.bn(torch.cat(e + [n], dim=1))).squeeze(1)


model = EmbMLP(sizes, len(NUM))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.1)
criterion = nn.BCEWithLogitsLoss()

# %% train
EPOCHS, BS = 8, 128
for epoch in range(EPOCHS):
    model.train()
    order = torch.randperm(len(y))
    seen, loss_sum = [], 0.0
    for b in order.split(BS):
        out = model(xc[b], xn[b])
        loss = criterion(out, y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(b)
        seen.append((out.detach(), y[b]))
    p, t = (torch.cat(a).numpy() for a in zip(*seen))
    print(f"Epoch {epoch + 1}/{EPOCHS}  loss={loss_sum / len(y):.4f}  train_auc={roc_auc_score(t, p):.4f}")

# %% hold-out
model.eval()
with torch.no_grad():
    p_te = torch.sigmoid(model(xc_te, xn_te)).numpy()
print(f"hold-out AUC: {roc_auc_score(y_te.numpy(), p_te):.4f}")
