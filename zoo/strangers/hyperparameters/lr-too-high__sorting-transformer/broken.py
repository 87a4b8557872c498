#!/usr/bin/env python
# coding: utf-8

# # Can a tiny transformer sort?
# Read eight symbols, write them out in order. Encoder only, one output per position.

# In[1]:

import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

def seed_everything(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)

seed_everything(1)

# In[2]:

VOCAB, LENGTH = 12, 8
rng = np.random.default_rng(1)

# draw distinct rows, so that no sequence stands in two of the sets
pool = np.unique(rng.integers(0, VOCAB, size=(9000, LENGTH)), axis=0)
pool = pool[rng.permutation(len(pool))]
src = torch.from_numpy(pool)
tgt = torch.sort(src, dim=1).values
n_test = 1000
train_src, train_tgt = src[:-n_test], tgt[:-n_test]
test_src, test_tgt = src[-n_test:], tgt[-n_test:]
train_src.shape, test_src.shape

# In[3]:

class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        att = (q @ k.transpose(-1, -2)) / math.sqrt(d // self.heads)
        mixed = (att.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(mixed)
        return x + self.ff(self.ln2(x))

class Sorter(nn.Module):
    def __init__(self, dim=48, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, dim)
        self.pos = nn.Parameter(0.02 * torch.randn(LENGTH, dim))
        self.blocks = nn.Sequential(*[Block(dim, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tok(ids) + self.pos)))

# In[4]:

@torch.no_grad()
def score(model, ids, want):
    model.eval()
    guess = model(ids).argmax(-1)
    hit = guess == want
    return hit.float().mean().item(), hit.all(1).float().mean().item()

# In[5]:

model = Sorter()
sum(p.numel() for p in model.parameters())

# In[6]:

LR = 3e-1
epochs, batch = 8, 128
steps = epochs * math.ceil(len(train_src) / batch)
optim = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.01)

def ramp(step):
    warm = 40
    if step < warm:
        return (step + 1) / warm
    return 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - warm) / (steps - warm)))

sched = torch.optim.lr_scheduler.LambdaLR(optim, ramp)

losses = []
for epoch in range(epochs):
    model.train()
    for idx in torch.randperm(len(train_src)).split(batch):
        logits = model(train_src[idx])
        loss = F.cross_entropy(logits.reshape(-1, VOCAB), train_tgt[idx].reshape(-1))
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
        sched.step()
        losses.append(loss.item())
    print(f"epoch {epoch}  loss {np.mean(losses[-60:]):.4f}")

# In[7]:

per_symbol, whole = score(model, test_src, test_tgt)
print(f"unseen sequences: {per_symbol:.3f} of the symbols right, {whole:.3f} sorted without a mistake")
