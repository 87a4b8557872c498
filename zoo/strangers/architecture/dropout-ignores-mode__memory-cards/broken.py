# Memory (the card game) with a tiny transformer.
# The table shows pairs (place, card); at the end a place is named and the model has to say the card.
# Built from the "write attention yourself" tutorial, ported to F.scaled_dot_product_attention.

import math
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

cfg = dict(
    places=12, cards=10, shown=6,
    dim=48, heads=2, layers=2, dropout=0.4,
    batch=64, steps=800, lr=2e-3, warmup=100,
    seed=int(os.environ.get("SEED", 0)),
)

random.seed(cfg["seed"])
np.random.seed(cfg["seed"])
torch.manual_seed(cfg["seed"])


def deal(n, gen):
    """token ids: 0..places-1 are places, then the cards. Sequence: p c p c ... p c p?"""
    P, C, S = cfg["places"], cfg["cards"], cfg["shown"]
    places = torch.rand(n, P, generator=gen).argsort(dim=1)[:, :S]
    cards = torch.randint(0, C, (n, S), generator=gen)
    pick = torch.randint(0, S, (n,), generator=gen)
    seq = torch.stack([places, cards + P], dim=2).flatten(1)
    rows = torch.arange(n)
    seq = torch.cat([seq, places[rows, pick][:, None]], dim=1)
    return seq, cards[rows, pick]


class Attention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.dropout = dropout

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, D))


class Block(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.att = Attention(dim, heads, dropout)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


class CardModel(nn.Module):
    def __init__(self, places, cards, shown, dim, heads, layers, dropout, **_):
        super().__init__()
        self.tok = nn.Embedding(places + cards, dim)
        self.pos = nn.Embedding(2 * shown + 1, dim)
        nn.init.normal_(self.tok.weight, std=0.3)
        nn.init.normal_(self.pos.weight, std=0.3)
        self.blocks = nn.ModuleList([Block(dim, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, cards)

    def forward(self, seq):
        x = self.tok(seq) + self.pos.weight[: seq.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x[:, -1]))


def lr_at(step):
    if step < cfg["warmup"]:
        return (step + 1) / cfg["warmup"]
    done = (step - cfg["warmup"]) / (cfg["steps"] - cfg["warmup"])
    return 0.5 * (1 + math.cos(math.pi * done)) * 0.95 + 0.05


@torch.no_grad()
def score(model, seq, card):
    model.eval()
    out = model(seq)
    return F.cross_entropy(out, card).item(), (out.argmax(dim=1) == card).float().mean().item()


train_gen = torch.Generator().manual_seed(1000 + cfg["seed"])
val = deal(600, torch.Generator().manual_seed(2000 + cfg["seed"]))
test = deal(2000, torch.Generator().manual_seed(3000 + cfg["seed"]))

model = CardModel(**cfg)
opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=0.01)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
print("parameters:", sum(p.numel() for p in model.parameters()))

t0, recent = time.time(), []
for step in range(1, cfg["steps"] + 1):
    model.train()
    seq, card = deal(cfg["batch"], train_gen)
    loss = F.cross_entropy(model(seq), card)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    recent.append(loss.item())
    if step % 100 == 0:
        vl, va = score(model, *val)
        print(f"{step:5d}  loss {np.mean(recent[-100:]):.3f}  val loss {vl:.3f}  val acc {va:.3f}  {time.time() - t0:.0f}s")

tl, ta = score(model, *test)
print(f"test: loss {tl:.3f}  accuracy {ta:.3f}")
