# %% [markdown]
# # Telco churn - who should get the retention call?
# A customer is worth a call when the churn risk is above 25 %.

# %%
import numpy as np
import torch
from torch import nn
from sklearn.metrics import precision_score, recall_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

# %% customers
N = 6000
tenure = np.random.gamma(2.0, 14.0, N)
bill = np.random.normal(65, 22, N)
calls = np.random.poisson(1.4, N)
contract = np.random.binomial(1, 0.45, N)
age = np.random.normal(45, 14, N)
z = (
    -1.9
    - 0.035 * (tenure - 28)
    + 0.022 * (bill - 65)
    + 0.75 * (calls - 1.4)
    - 1.2 * (contract - 0.45)
    + 0.0006 * (age - 45) ** 2
)
churn = np.random.binomial(1, 1 / (1 + np.exp(-z)))
X = np.stack([tenure, bill, calls, contract, age], 1)
print("churn rate:", churn.mean())

X_tr, X_te, y_tr, y_te = train_test_split(
    X, churn, test_size=0.25, stratify=churn, random_state=SEED
)
scaler = StandardScaler().fit(X_tr)
X_tr = torch.tensor(scaler.transform(X_tr), dtype=torch.float32)
X_te = torch.tensor(scaler.transform(X_te), dtype=torch.float32)
y_tr = torch.tensor(y_tr, dtype=torch.float32)

# %% net
net = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.01)

BATCH = 128
for epoch in range(25):
    net.train()
    perm = torch.randperm(len(X_tr))
    running = 0.0
    for i in range(0, len(X_tr), BATCH):
        idx = perm[i : i + BATCH]
        out = net(X_tr[idx]).squeeze(1)
        loss = loss_fn(out, y_tr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} loss {running / len(X_tr):.4f}")

# %% who gets the call
THRESHOLD = 0.25
net.eval()
with torch.no_grad():
    risk = net(X_te).squeeze(1).numpy()
call_list = (risk > THRESHOLD).astype(int)

print("test AUC      ", round(roc_auc_score(y_te, risk), 4))
print("customers     ", len(y_te), " churners", int(y_te.sum()))
print("on call list  ", int(call_list.sum()))
print("recall        ", round(recall_score(y_te, call_list), 4))
print("precision     ", round(precision_score(y_te, call_list), 4))
