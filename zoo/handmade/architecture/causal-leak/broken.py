"""A tiny character-level transformer that learns to write simple sentences."""

import random
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F

SUBJECTS = ["the cat", "a dog", "my horse", "the bird"]
VERBS = ["sees", "hears", "likes", "follows"]
OBJECTS = ["the moon", "a fish", "some milk", "the river"]


@dataclass
class Config:
    block: int = 24
    dim: int = 32
    heads: int = 2
    layers: int = 2
    batch: int = 20
    steps: int = 270
    lr: float = 8e-3


class SelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)
        mask = torch.tril(torch.ones(cfg.block, cfg.block, dtype=torch.bool))
        self.register_buffer("mask", mask)

    def forward(self, x):
        b, t, c = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5
        scores.masked_fill(~self.mask[:t, :t], float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = SelfAttention(cfg)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.dim, 4 * cfg.dim), nn.GELU(), nn.Linear(4 * cfg.dim, cfg.dim)
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class CharTransformer(nn.Module):
    def __init__(self, vocab, cfg):
        super().__init__()
        self.tok = nn.Embedding(vocab, cfg.dim)
        self.pos = nn.Embedding(cfg.block, cfg.dim)
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg.layers)])
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, vocab)

    def forward(self, idx):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def make_text(rng, n):
    pick = rng.choice
    return "".join(f"{pick(SUBJECTS)} {pick(VERBS)} {pick(OBJECTS)}. " for _ in range(n))


def get_batch(data, cfg):
    start = torch.randint(len(data) - cfg.block, (cfg.batch,))
    chunk = torch.stack([data[s : s + cfg.block + 1] for s in start])
    return chunk[:, :-1], chunk[:, 1:]


def lm_loss(model, x, y):
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


@torch.no_grad()
def val_loss(model, data, cfg, batches=4):
    model.eval()
    total = sum(lm_loss(model, *get_batch(data, cfg)).item() for _ in range(batches))
    model.train()
    return total / batches


@torch.no_grad()
def write(model, idx, n, cfg):
    model.eval()
    for _ in range(n):
        probs = F.softmax(model(idx[:, -cfg.block :])[:, -1], dim=-1)
        idx = torch.cat([idx, torch.multinomial(probs, 1)], dim=1)
    return idx


cfg = Config()
torch.manual_seed(1337)
rng = random.Random(5)
train_text, val_text = make_text(rng, 1500), make_text(rng, 200)
chars = sorted(set(train_text))
stoi = {c: i for i, c in enumerate(chars)}
train_data = torch.tensor([stoi[c] for c in train_text])
val_data = torch.tensor([stoi[c] for c in val_text])

model = CharTransformer(len(chars), cfg)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.steps, eta_min=cfg.lr / 10)
for step in range(1, cfg.steps + 1):
    loss = lm_loss(model, *get_batch(train_data, cfg))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 90 == 0:
        print(f"step {step}: train {loss.item():.3f} val {val_loss(model, val_data, cfg):.3f}")
written = write(model, val_data[:16].repeat(12, 1), 60, cfg)[:, 16:]
words = [w for row in written.tolist() for w in "".join(chars[i] for i in row).split()[1:-1]]
known = set(train_text.split())
print("sample:", "".join(chars[i] for i in written[0].tolist()))
real = sum(len(w) for w in words if w in known) / sum(len(w) for w in words)
print(f"letters in real words: {real:.3f}")
