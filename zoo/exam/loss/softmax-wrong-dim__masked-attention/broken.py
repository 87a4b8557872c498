import math

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(25)
KEYS, VALS, MAXLEN = 10, 6, 8


def make(n):
    """Lists of (key, value) cells, padded; the last real cell asks for one of the keys."""
    keys = torch.stack([torch.randperm(KEYS)[:MAXLEN] for _ in range(n)]) + 1
    vals = torch.randint(1, VALS + 1, (n, MAXLEN))
    lens = torch.randint(4, MAXLEN + 1, (n,))
    mask = torch.arange(MAXLEN)[None] < lens[:, None]
    pick = (torch.rand(n) * lens).long()
    ask = keys[torch.arange(n), pick]
    y = vals[torch.arange(n), pick] - 1
    return keys * mask, vals * mask, mask, ask, y


class Heads(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.dk = h, d // h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], -1, self.h, self.dk).transpose(1, 2)

    def forward(self, query, memory, mask):
        q, k, v = self.split(self.q(query)), self.split(self.k(memory)), self.split(self.v(memory))
        score = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        score = score.masked_fill(~mask[:, None, None], -1e4)
        w = F.softmax(score, dim=-2)
        return self.o((w @ v).transpose(1, 2).flatten(2))


class Lookup(nn.Module):
    def __init__(self, d=32, h=2):
        super().__init__()
        self.key = nn.Embedding(KEYS + 1, d)
        self.val = nn.Embedding(VALS + 1, d)
        self.attn = Heads(d, h)
        self.head = nn.Linear(d, VALS)

    def forward(self, keys, vals, mask, ask):
        memory = self.key(keys) + self.val(vals)
        return self.head(self.attn(self.key(ask).unsqueeze(1), memory, mask).squeeze(1))


data, held = make(4000), make(600)
net = Lookup()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(10):
    for idx in torch.randperm(4000).split(80):
        *inp, y = (t[idx] for t in data)
        loss = F.cross_entropy(net(*inp), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 2:
        print(f"epoch {epoch} loss {loss.item():.4f}")
with torch.no_grad():
    *inp, y = held
    print(f"retrieval accuracy {(net(*inp).argmax(-1) == y).float().mean():.3f}")
