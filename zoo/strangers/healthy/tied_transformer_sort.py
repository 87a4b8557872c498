"""Decoder-only transformer that learns to sort: "<seq> = <sorted seq>"; loss on the answer only."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class HParams:
    n_digits: int = 10
    seq: int = 7
    d_model: int = 64
    n_head: int = 4
    n_layer: int = 2
    dropout: float = 0.0
    batch: int = 64
    steps: int = 700
    warmup: int = 100
    peak_lr: float = 2e-3
    seed: int = 0

    @property
    def vocab(self): return self.n_digits + 1

    @property
    def ctx(self): return 2 * self.seq


def batch_of(hp: HParams, n: int, gen: torch.Generator, holdout: bool):
    """Sequences whose digit sum is a multiple of 7 are reserved for testing."""
    rows = []
    have = 0
    while have < n:
        s = torch.randint(hp.n_digits, (n * 8 if holdout else n * 2, hp.seq), generator=gen)
        s = s[(s.sum(1) % 7 == 0) == holdout]
        rows.append(s)
        have += len(s)
    src = torch.cat(rows)[:n]
    sep = torch.full((n, 1), hp.n_digits)
    full = torch.cat([src, sep, src.sort(1).values], 1)
    inp, tgt = full[:, :-1], full[:, 1:].clone()
    tgt[:, : hp.seq] = -100
    return inp, tgt


class Block(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.h = hp.n_head
        self.ln1, self.ln2 = nn.LayerNorm(hp.d_model), nn.LayerNorm(hp.d_model)
        self.qkv = nn.Linear(hp.d_model, 3 * hp.d_model, bias=False)
        self.proj = nn.Linear(hp.d_model, hp.d_model, bias=False)
        self.mlp = nn.Sequential(nn.Linear(hp.d_model, 4 * hp.d_model), nn.GELU(), nn.Linear(4 * hp.d_model, hp.d_model))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.h, d // self.h).transpose(1, 2) for z in self.qkv(self.ln1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class LM(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.tok = nn.Embedding(hp.vocab, hp.d_model)
        self.pos = nn.Parameter(torch.zeros(hp.ctx, hp.d_model))
        self.blocks = nn.Sequential(*[Block(hp) for _ in range(hp.n_layer)])
        self.norm = nn.LayerNorm(hp.d_model)
        self.head = nn.Linear(hp.d_model, hp.vocab, bias=False)
        self.apply(self._init)
        nn.init.normal_(self.pos, std=0.02)
        self.head.weight = self.tok.weight

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.05)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tok(ids) + self.pos[: ids.size(1)])))


def param_groups(model, wd):
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]


@torch.inference_mode()
def exact_match(model, hp, inp, tgt):
    model.eval()
    ids = inp[:, : hp.seq + 1]
    for _ in range(hp.seq):
        ids = torch.cat([ids, model(ids)[:, -1].argmax(-1, keepdim=True)], 1)
    model.train()
    return (ids[:, hp.seq + 1 :] == tgt[:, hp.seq :]).all(1).float().mean().item()


def run(hp: HParams):
    torch.manual_seed(hp.seed)
    g_train, g_test = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)
    test_inp, test_tgt = batch_of(hp, 500, g_test, holdout=True)
    model = LM(hp)
    opt = torch.optim.AdamW(param_groups(model, 0.05), lr=hp.peak_lr, betas=(0.9, 0.98))

    def factor(s):
        if s < hp.warmup:
            return (s + 1) / hp.warmup
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (s - hp.warmup) / (hp.steps - hp.warmup)))

    sched = torch.optim.lr_scheduler.LambdaLR(opt, factor)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    for s in range(hp.steps):
        inp, tgt = batch_of(hp, hp.batch, g_train, holdout=False)
        loss = F.cross_entropy(model(inp).flatten(0, 1), tgt.flatten(), ignore_index=-100)
        loss.backward()
        gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad()
        if s == 0 or (s + 1) % 140 == 0:
            print(f"{s + 1:>5} loss={loss.item():.4f} |g|={gn:.2f} lr={sched.get_last_lr()[0]:.2e} heldout_exact={exact_match(model, hp, test_inp, test_tgt):.3f}")


if __name__ == "__main__":
    run(HParams())
