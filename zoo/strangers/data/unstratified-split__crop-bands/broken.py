#!/usr/bin/env python
# coding: utf-8

# # Crop type from satellite reflectance
# Six bands at three dates, one row per field.

# In[1]:

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split

np.random.seed(8)
torch.manual_seed(8)

# In[2]:  the field register lists the crops one after the other

crops = ["wheat", "maize", "barley", "rapeseed", "sugar beet"]
fields = [900, 800, 600, 450, 350]

frames, targets = [], []
for k, (crop, n) in enumerate(zip(crops, fields)):
    curve = np.random.normal(0, 1, 18)                      # typical reflectance
    vigour = np.random.normal(0, 1, (n, 1))
    slope = np.random.normal(0, 0.5, (1, 18))
    frames.append(curve + vigour * slope + np.random.normal(0, 1.0, (n, 18)))
    targets.append(np.full(n, k))
X = np.concatenate(frames).astype("float32")
y = np.concatenate(targets)
X.shape, np.bincount(y)

# In[3]:

X_fit, X_test, y_fit, y_test = train_test_split(X, y, test_size=0.2, shuffle=False)
X_train, X_val, y_train, y_val = train_test_split(X_fit, y_fit, test_size=0.15, stratify=y_fit, random_state=8)

mu, sigma = X_train.mean(0), X_train.std(0)
X_train, X_val, X_test = [torch.from_numpy((a - mu) / sigma) for a in (X_train, X_val, X_test)]
y_train, y_val, y_test = map(torch.from_numpy, (y_train, y_val, y_test))
print("fields:", len(X_train), "train", len(X_val), "val", len(X_test), "test")

# In[4]:

model = nn.Sequential(
    nn.Linear(18, 32),
    nn.ReLU(),
    nn.Dropout(0.2),
    nn.Linear(32, len(crops)),
)
criterion = nn.CrossEntropyLoss()
epochs = 30
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)

# In[5]:

for epoch in range(epochs):
    model.train()
    perm = torch.randperm(len(X_train))
    losses = []
    for i in range(0, len(perm) - 31, 32):
        rows = perm[i:i + 32]
        optimizer.zero_grad()
        loss = criterion(model(X_train[rows]), y_train[rows])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()

    model.eval()
    with torch.no_grad():
        out = model(X_val)
        val_loss = criterion(out, y_val).item()
        val_acc = (out.argmax(1) == y_val).float().mean().item()
    if epoch % 3 == 2:
        print(f"{epoch + 1:3d}  train {np.mean(losses):.4f}  val {val_loss:.4f}  val acc {val_acc:.3f}")

# In[6]:

model.eval()
with torch.no_grad():
    pred = model(X_test).argmax(1)
print(classification_report(y_test, pred, labels=range(len(crops)), target_names=crops, zero_division=0))
print("test accuracy %.3f, macro F1 %.3f" % (
    (pred == y_test).float().mean(),
    f1_score(y_test, pred, labels=range(len(crops)), average="macro", zero_division=0)))
