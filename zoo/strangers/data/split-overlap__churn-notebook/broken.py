#!/usr/bin/env python
# coding: utf-8

# # Telco churn: quick MLP baseline
# Rows are anonymised customers; churners are about 1 in 10.

# In[1]:


import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score, roc_auc_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils import resample

SEED = 7
np.random.seed(SEED)
torch.manual_seed(SEED)


# In[2]:


def load_customers(n=4000):
    X, y = make_classification(
        n_samples=n, n_features=18, n_informative=9, n_redundant=3,
        n_clusters_per_class=3, weights=[0.89], flip_y=0.02,
        class_sep=1.35, random_state=SEED,
    )
    cols = ["tenure", "monthly", "total", "calls", "data_gb", "roaming"]
    cols += [f"f{i:02d}" for i in range(X.shape[1] - len(cols))]
    frame = pd.DataFrame(X, columns=cols)
    frame["tenure"] = (frame["tenure"] * 9 + 30).clip(0)
    frame["monthly"] = frame["monthly"] * 20 + 65
    frame["churn"] = y
    return frame


df = load_customers()
print(df.shape)
print(df.churn.value_counts(normalize=True))


# Churners are rare, so bring them up to par with the stayers.

# In[3]:


stay, gone = df[df.churn == 0], df[df.churn == 1]
gone = resample(gone, replace=True, n_samples=len(stay), random_state=SEED)
balanced = pd.concat([stay, gone])
train_df, test_df = train_test_split(balanced, test_size=0.25, stratify=balanced.churn, random_state=SEED)
print("train", train_df.shape, "test", test_df.shape)


# In[4]:


features = [c for c in df.columns if c != "churn"]
sc = StandardScaler().fit(train_df[features])
Xtr = torch.tensor(sc.transform(train_df[features]), dtype=torch.float32)
Xte = torch.tensor(sc.transform(test_df[features]), dtype=torch.float32)
ytr = torch.tensor(train_df.churn.to_numpy(), dtype=torch.float32)
yte = test_df.churn.to_numpy()


# In[5]:


net = nn.Sequential(
    nn.Linear(len(features), 128), nn.ReLU(), nn.Dropout(0.1),
    nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.1),
    nn.Linear(64, 1),
)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
bce = nn.BCEWithLogitsLoss()

EPOCHS, BS = 30, 128
for epoch in range(EPOCHS):
    net.train()
    running = 0.0
    perm = torch.randperm(len(Xtr))
    for start in range(0, len(perm), BS):
        idx = perm[start:start + BS]
        opt.zero_grad()
        loss = bce(net(Xtr[idx]).squeeze(1), ytr[idx])
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    net.eval()
    with torch.no_grad():
        prob = torch.sigmoid(net(Xte).squeeze(1)).numpy()
    print(f"epoch {epoch + 1:2d}/{EPOCHS}  logloss {running / len(Xtr):.4f}  "
          f"test AUC {roc_auc_score(yte, prob):.4f}  test F1 {f1_score(yte, prob > 0.5):.4f}")


# In[6]:


print(confusion_matrix(yte, prob > 0.5))
recall = ((prob > 0.5) & (yte == 1)).sum() / (yte == 1).sum()
precision = ((prob > 0.5) & (yte == 1)).sum() / max((prob > 0.5).sum(), 1)
print(f"churner recall {recall:.4f}  precision {precision:.4f}")
