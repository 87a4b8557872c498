"""
melodyGPT: a very small GPT that continues folk-like melodies.
Notes are scale degrees 0..11, token 12 is a bar line.
"""
import math
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block_size: int = 32
    vocab_size: int = 13
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 48
    dropout: float = 0.1


class SelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n_head = cfg.n_head
        self.dropout = cfg.dropout
        self.qkv = nn.Linear(cfg.n_embd, 3 * cfg.n_embd)
        self.proj = nn.Linear(cfg.n_embd, cfg.n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1 = nn.LayerNorm(cfg.n_embd)
        self.attn = SelfAttention(cfg)
        self.ln2 = nn.LayerNorm(cfg.n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.n_embd, 4 * cfg.n_embd), nn.GELU(),
            nn.Linear(4 * cfg.n_embd, cfg.n_embd), nn.Dropout(cfg.dropout),
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab_size, cfg.n_embd)
        self.pos = nn.Embedding(cfg.block_size, cfg.n_embd)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.n_layer))
        self.ln_f = nn.LayerNorm(cfg.n_embd)
        self.head = nn.Linear(cfg.n_embd, cfg.vocab_size)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def compose(n_bars, rng):
    """Bars of seven notes; each bar walks in small steps and likes to repeat the bar before."""
    out, prev = [], None
    for _ in range(n_bars):
        if prev is not None and rng.random() < 0.5:
            bar = [(n + 2) % 12 for n in prev]
        else:
            bar = [int(rng.integers(12))]
            while len(bar) < 7:
                bar.append(int(np.clip(bar[-1] + rng.choice([-2, -1, 1, 2], p=[0.1, 0.3, 0.4, 0.2]), 0, 11)))
        out += bar + [12]
        prev = bar
    return torch.tensor(out)


def get_batch(data, cfg, batch_size, g):
    start = torch.randint(len(data) - cfg.block_size - 1, (batch_size,), generator=g)
    x = torch.stack([data[s:s + cfg.block_size] for s in start])
    y = torch.stack([data[s + 1:s + 1 + cfg.block_size] for s in start])
    return x, y


@torch.no_grad()
def evaluate(model, data, cfg):
    model.eval()
    n = (len(data) - 1) // cfg.block_size
    x = data[:n * cfg.block_size].view(n, cfg.block_size)
    y = data[1:n * cfg.block_size + 1].view(n, cfg.block_size)
    _, loss = model(x, y)
    model.train()
    return loss.item()


def main():
    torch.manual_seed(1337)
    g = torch.Generator().manual_seed(1337)
    cfg = GPTConfig()
    tune = compose(6000, np.random.default_rng(1337))
    a, b = int(0.8 * len(tune)), int(0.9 * len(tune))
    train, val, test = tune[:a], tune[a:b], tune[b:]
    print(f"{len(train)} training tokens, uniform loss {math.log(cfg.vocab_size):.3f}")

    model = GPT(cfg)
    max_iters, warmup = 600, 50
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    decay = lambda i: min((i + 1) / warmup, 0.5 * (1 + math.cos(math.pi * min(i, max_iters) / max_iters)) + 0.02)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, decay)

    t0 = time.time()
    for it in range(1, max_iters + 1):
        x, y = get_batch(train, cfg, 24, g)
        _, loss = model(x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        if it % 100 == 0:
            print(f"iter {it}: train {loss.item():.4f}, val {evaluate(model, val, cfg):.4f}, {time.time() - t0:.1f}s")

    final = evaluate(model, test, cfg)
    print(f"test loss {final:.4f}, perplexity {math.exp(final):.2f}")


if __name__ == "__main__":
    main()
