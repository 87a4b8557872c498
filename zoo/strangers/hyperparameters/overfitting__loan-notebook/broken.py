#!/usr/bin/env python
# coding: utf-8

# # Loan default: first neural baseline
# exported from loan_nn_v2.ipynb

# In[1]:


import random
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


# In[2]:


# stand-in for the real extract: 30 columns, 10 of them useful, some labels wrong
X, y = make_classification(n_samples=8000, n_features=30, n_informative=10, n_redundant=4,
                           n_clusters_per_class=2, flip_y=0.15, class_sep=1.2,
                           weights=[0.6, 0.4], random_state=SEED)
X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=SEED)
X_tr, X_val, y_tr, y_val = train_test_split(X_dev, y_dev, test_size=0.2, stratify=y_dev, random_state=SEED)

sc = StandardScaler().fit(X_tr)
X_tr, X_val, X_test = sc.transform(X_tr), sc.transform(X_val), sc.transform(X_test)
print(X_tr.shape, X_val.shape, X_test.shape)


# In[3]:


def to_ds(a, b):
    return TensorDataset(torch.tensor(a, dtype=torch.float32), torch.tensor(b, dtype=torch.float32))

dl_tr = DataLoader(to_ds(X_tr, y_tr), batch_size=128, shuffle=True)
dl_val = DataLoader(to_ds(X_val, y_val), batch_size=512)
dl_test = DataLoader(to_ds(X_test, y_test), batch_size=512)


# In[4]:


HIDDEN = 256
P_DROP = 0.0
WEIGHT_DECAY = 0.0
EPOCHS = 30

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(30, HIDDEN), nn.ReLU(), nn.Dropout(P_DROP),
            nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Dropout(P_DROP),
            nn.Linear(HIDDEN, 1),
        )
    def forward(self, x):
        return self.net(x).squeeze(1)

model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=WEIGHT_DECAY)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
bce = nn.BCEWithLogitsLoss()


# In[5]:


def evaluate(dl):
    model.eval()
    logits, ys = [], []
    with torch.no_grad():
        for xb, yb in dl:
            logits.append(model(xb))
            ys.append(yb)
    logits, ys = torch.cat(logits), torch.cat(ys)
    auc = roc_auc_score(ys.numpy(), torch.sigmoid(logits).numpy())
    return bce(logits, ys).item(), auc


for epoch in range(EPOCHS):
    model.train()
    s, n = 0.0, 0
    for xb, yb in dl_tr:
        opt.zero_grad()
        loss = bce(model(xb), yb)
        loss.backward()
        opt.step()
        s += loss.item() * len(xb)
        n += len(xb)
    sched.step()
    vl, va = evaluate(dl_val)
    print(f"epoch {epoch + 1:02d}: train loss {s / n:.4f} | val loss {vl:.4f} | val auc {va:.4f}")


# In[6]:


tl, ta = evaluate(dl_test)
print(f"TEST  log-loss {tl:.4f}  auc {ta:.4f}")
