"""Small causal LM on generated arithmetic sentences.

Micro-batches hold very different numbers of target tokens, so the mean over the *update* is taken exactly: losses are summed,
back-propagated as sums, and the gradient is divided once by the number of tokens that went into it.
"""
import math
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

ALPHABET = "\0 0123456789+-=;"
STOI = {c: i for i, c in enumerate(ALPHABET)}
IGNORE = -100


@dataclass
class Args:
    micro: int = 16
    accumulate: int = 4
    epochs: int = 8
    n_train: int = 4500
    d: int = 64
    layers: int = 2
    heads: int = 4
    peak_lr: float = 3e-3
    seed: int = 42


def sentence(rng):
    parts = []
    for _ in range(rng.randint(1, 4)):
        a, b = rng.randint(0, 9), rng.randint(0, 9)
        if rng.random() < 0.5:
            parts.append(f"{a}+{b}={a + b}")
        else:
            parts.append(f"{max(a, b)}-{min(a, b)}={max(a, b) - min(a, b)}")
    return ";".join(parts) + ";"


def collate(lines):
    width = max(map(len, lines))
    ids = torch.zeros(len(lines), width, dtype=torch.long)
    tgt = torch.full((len(lines), width), IGNORE)
    for r, line in enumerate(lines):
        code = torch.tensor([STOI[c] for c in line])
        ids[r, 1:len(line)] = code[:-1]      # position 0 stays the begin symbol
        tgt[r, :len(line)] = code
    return ids, tgt


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.n1(x)).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(B, T, D))
        return x + self.ff(self.n2(x))


class LM(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(ALPHABET), a.d), nn.Embedding(32, a.d)
        self.blocks = nn.ModuleList(Block(a.d, a.heads) for _ in range(a.layers))
        self.norm = nn.LayerNorm(a.d)
        for e in (self.tok, self.pos):
            nn.init.normal_(e.weight, std=0.02)

    def forward(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        for b in self.blocks:
            x = b(x)
        return self.norm(x) @ self.tok.weight.T      # tied output layer


def summed_loss(model, lines):
    ids, tgt = collate(lines)
    loss = F.cross_entropy(model(ids).flatten(0, 1), tgt.flatten(), ignore_index=IGNORE, reduction="sum")
    return loss, int((tgt != IGNORE).sum())


@torch.no_grad()
def examine(model, lines):
    """Per-token NLL and the share of answers (characters after '=') that are right."""
    model.eval()
    nll = tokens = right = asked = 0
    for i in range(0, len(lines), 100):
        part = lines[i:i + 100]
        loss, n = summed_loss(model, part)
        nll, tokens = nll + loss.item(), tokens + n
        ids, tgt = collate(part)
        hit = model(ids).argmax(-1) == tgt
        for r, line in enumerate(part):
            for j, c in enumerate(line):
                if c == "=":
                    end = line.index(";", j)
                    asked += 1
                    right += bool(hit[r, j + 1:end].all())
    return nll / tokens, right / asked


def main(a=Args()):
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    train = [sentence(rng) for _ in range(a.n_train)]
    known = set(train)
    test = [s for s in (sentence(rng) for _ in range(1500)) if s not in known][:600]

    model = LM(a)
    opt = torch.optim.AdamW(model.parameters(), lr=a.peak_lr, betas=(0.9, 0.98), weight_decay=0.01)
    per_update = a.micro * a.accumulate
    updates = a.epochs * math.ceil(len(train) / per_update)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: min((k + 1) / 60, max(0.0, 1 - k / updates)))

    for epoch in range(a.epochs):
        model.train()
        rng.shuffle(train)
        epoch_nll = epoch_tokens = 0
        for i in range(0, len(train), per_update):
            group, n_tokens = train[i:i + per_update], 0
            for j in range(0, len(group), a.micro):
                loss, n = summed_loss(model, group[j:j + a.micro])
                loss.backward()
                n_tokens += n
                epoch_nll += loss.item()
            for p in model.parameters():
                p.grad.div_(n_tokens)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
            epoch_tokens += n_tokens
        print(f"epoch {epoch + 1}  train nll/token {epoch_nll / epoch_tokens:.4f}")
    nll, acc = examine(model, test)
    print(f"{len(test)} unseen lines: nll/token {nll:.4f}, answers right {acc:.3f}")


if __name__ == "__main__":
    main()
