#!/usr/bin/env python
# coding: utf-8

# # Routing support tickets to queues
# Small bag-of-words baseline before we try anything with a transformer.

# In[1]:

import random
from collections import Counter

import numpy as np
import torch
from sklearn.metrics import classification_report, f1_score
from torch import nn

SEED = 42
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


# In[2]:  the ticket export, one CSV per queue (texts are templated here because of GDPR)

QUEUES = {
    "billing": (700, "invoice refund charge payment card receipt tax amount duplicate overcharged bank statement".split()),
    "login": (520, "password reset locked account signin token sso email code expired username twofactor".split()),
    "shipping": (380, "parcel courier delivery tracking late address customs lost box depot label driver".split()),
    "app_crash": (260, "crash freeze android ios update screen error restart version black log stack".split()),
    "privacy": (90, "gdpr delete data export consent erase request personal records dpo cookie portability".split()),
    "fraud": (84, "stolen scam phishing suspicious unknown transaction chargeback identity police report fake spoofed".split()),
}
FILLER = ("hello please help me with this i have tried it again today and my the is not still thanks team since "
          "yesterday we cannot customer number need urgent order when would you like want could").split()


def write_ticket(words):
    n = random.randint(9, 18)
    other = [w for _, ws in QUEUES.values() for w in ws]
    toks = []
    for _ in range(n):
        r = random.random()
        toks.append(random.choice(words) if r < 0.28 else random.choice(other) if r < 0.40 else random.choice(FILLER))
    return " ".join(toks)


texts, labels = [], []
names = list(QUEUES)
for q, (count, words) in QUEUES.items():
    for _ in range(count):
        texts.append(write_ticket(words))
        labels.append(names.index(q))
labels = np.array(labels)
print(len(texts), "tickets", {q: int((labels == i).sum()) for i, q in enumerate(names)})
print(texts[0])


# In[3]:

idx = np.arange(len(texts))
n_test = int(0.2 * len(idx))
train_idx, test_idx = idx[:-n_test], idx[-n_test:]
print(len(train_idx), "train", len(test_idx), "test")


# In[4]:  vocabulary from the training tickets only

counts = Counter(w for i in train_idx for w in texts[i].split())
vocab = {w: k + 1 for k, (w, c) in enumerate(counts.most_common()) if c >= 2}


def encode(i):
    return [vocab.get(w, 0) for w in texts[i].split()]


def collate(indices):
    seqs = [encode(i) for i in indices]
    offsets = np.cumsum([0] + [len(s) for s in seqs[:-1]])
    flat = torch.tensor([t for s in seqs for t in s])
    return flat, torch.tensor(offsets), torch.tensor(labels[indices])


# In[5]:

class TicketNet(nn.Module):
    def __init__(self, n_words, n_queues, dim=32):
        super().__init__()
        self.emb = nn.EmbeddingBag(n_words, dim, mode="mean")
        self.drop = nn.Dropout(0.2)
        self.fc1 = nn.Linear(dim, 48)
        self.fc2 = nn.Linear(48, n_queues)

    def forward(self, flat, offsets):
        z = self.drop(self.emb(flat, offsets))
        return self.fc2(torch.relu(self.fc1(z)))


net = TicketNet(len(vocab) + 1, len(names))
freq = np.bincount(labels[train_idx], minlength=len(names))
weights = torch.tensor(np.sqrt(freq.max() / np.maximum(freq, 1)), dtype=torch.float32)
criterion = nn.CrossEntropyLoss(weight=weights)
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)


# In[6]:

for epoch in range(14):
    net.train()
    order = np.random.permutation(train_idx)
    seen, hits, total = 0, 0, 0.0
    for s in range(0, len(order), 64):
        flat, off, y = collate(order[s:s + 64])
        out = net(flat, off)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(y)
        hits += (out.argmax(1) == y).sum().item()
        seen += len(y)
    print(f"epoch {epoch:2d}  loss {total / seen:.3f}  train acc {hits / seen:.3f}")


# In[7]:

net.eval()
with torch.no_grad():
    flat, off, y_test = collate(test_idx)
    pred = net(flat, off).argmax(1).numpy()
y_test = y_test.numpy()
print(classification_report(y_test, pred, labels=range(len(names)), target_names=names, zero_division=0))
print("test accuracy %.3f   macro F1 %.3f" % (
    (pred == y_test).mean(), f1_score(y_test, pred, average="macro", labels=range(len(names)), zero_division=0)))
