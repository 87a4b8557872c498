#!/usr/bin/env python
# coding: utf-8

# # Week 7: multiple-instance learning with attention pooling
#
# A *bag* is a handful of handwritten digits. The bag is positive when it contains at least one **8**.
# Only the bag label is known during training (Ilse et al., 2018 do the same on MNIST).

# In[1]:

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
rng = np.random.default_rng(0)
TARGET = 8

# ## 1. Data
# Split the digits first, so that no digit occurs in a training bag and in a test bag.

# In[2]:

digits = load_digits()
images = (digits.images / 16.0 - 0.3).astype(np.float32)[:, None]
img_tr, img_te, dig_tr, dig_te = train_test_split(images, digits.target, test_size=0.35,
                                                  random_state=0, stratify=digits.target)


def make_bags(imgs, labels, n_bags):
    eights = np.flatnonzero(labels == TARGET)
    others = np.flatnonzero(labels != TARGET)
    bags, ys = [], []
    for b in range(n_bags):
        size = int(rng.integers(5, 13))
        y = b % 2
        k = int(rng.integers(1, 3)) if y else 0
        idx = np.concatenate([rng.choice(eights, k), rng.choice(others, size - k)]).astype(int)
        rng.shuffle(idx)
        bags.append(torch.from_numpy(imgs[idx]))
        ys.append(y)
    return bags, torch.tensor(ys, dtype=torch.float32)


train_bags, train_y = make_bags(img_tr, dig_tr, 600)
test_bags, test_y = make_bags(img_te, dig_te, 400)
print("bags:", len(train_bags), "train,", len(test_bags), "test; mean size",
      np.mean([len(b) for b in train_bags]).round(2))

# ## 2. Model
# All instances of a minibatch go through the CNN in one call; afterwards they are padded per bag.

# In[3]:


def pad_bags(flat, sizes):
    """(sum(sizes), D) -> (B, max(sizes), D) and a boolean mask of the real instances."""
    out = flat.new_zeros(len(sizes), max(sizes), flat.shape[-1])
    mask = torch.zeros(len(sizes), max(sizes), dtype=torch.bool)
    for i, chunk in enumerate(flat.data.split(sizes)):
        out[i, :len(chunk)] = chunk
        mask[i, :len(chunk)] = True
    return out, mask


class InstanceEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24 * 2 * 2, dim)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.relu(self.fc(x.flatten(1)))


class AttentionMIL(nn.Module):
    def __init__(self, dim=32, att=24):
        super().__init__()
        self.encoder = InstanceEncoder(dim)
        self.att_v = nn.Linear(dim, att)
        self.att_u = nn.Linear(dim, att)
        self.att_w = nn.Linear(att, 1)
        self.classifier = nn.Linear(dim, 1)

    def forward(self, bags):
        sizes = [len(b) for b in bags]
        h, mask = pad_bags(self.encoder(torch.cat(bags)), sizes)
        score = self.att_w(torch.tanh(self.att_v(h)) * torch.sigmoid(self.att_u(h))).squeeze(-1)
        alpha = score.masked_fill(~mask, float("-inf")).softmax(dim=1)
        z = (alpha.unsqueeze(-1) * h).sum(1)
        return self.classifier(z).squeeze(-1), alpha


# ## 3. Training

# In[4]:

model = AttentionMIL()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
print(sum(p.numel() for p in model.parameters()), "parameters")


def evaluate(bags, y):
    model.eval()
    with torch.no_grad():
        logits, _ = model(bags)
    acc = ((logits > 0).float() == y).float().mean().item()
    return acc, roc_auc_score(y.numpy(), logits.numpy())


EPOCHS, BS = 40, 20
history = []
for epoch in range(EPOCHS):
    model.train()
    order = torch.randperm(len(train_bags))
    epoch_loss = 0.0
    for batch in order.split(BS):
        logits, _ = model([train_bags[i] for i in batch.tolist()])
        loss = F.binary_cross_entropy_with_logits(logits, train_y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(batch)
    history.append(epoch_loss / len(train_bags))
    if (epoch + 1) % 5 == 0:
        print(f"epoch {epoch + 1:2d}  loss {history[-1]:.4f}  train acc {evaluate(train_bags, train_y)[0]:.3f}")

# ## 4. Results

# In[5]:

acc, auc = evaluate(test_bags, test_y)
print(f"test accuracy {acc:.3f}   test AUC {auc:.3f}")

with torch.no_grad():
    _, alpha = model(test_bags[1:2])
print("attention weights of one positive bag:", alpha[0].numpy().round(2))
