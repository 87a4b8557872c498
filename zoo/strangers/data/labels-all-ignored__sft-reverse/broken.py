"""SFT toy: a small decoder-only transformer learns "#abcd>" -> "dcba". Loss on the answer only."""
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

CHARS = "abcdefgh"
VOCAB = ["<pad>", "<eos>", ">", "#"] + list(CHARS)
STOI = {s: i for i, s in enumerate(VOCAB)}
PAD, EOS = STOI["<pad>"], STOI["<eos>"]
IGNORE = -100
N_WORD = (3, 6)
BLOCK = 2 * N_WORD[1] + 3


def encode(s):
    return [STOI[c] for c in s]


def make_pairs(n, rng, exclude=()):
    seen, out = set(exclude), []
    while len(out) < n:
        w = "".join(rng.choice(CHARS) for _ in range(rng.randint(*N_WORD)))
        if w not in seen:
            seen.add(w)
            out.append((f"#{w}>", w[::-1]))
    return out


def build_example(question, answer):
    ids = prompt = encode(question)
    ids += encode(answer) + [EOS]
    labels = [IGNORE] * len(prompt) + ids[len(prompt):]
    x, y = ids[:-1], labels[1:]
    pad = BLOCK - len(x)
    return x + [PAD] * pad, y + [IGNORE] * pad


def to_tensors(pairs):
    xs, ys = zip(*(build_example(q, a) for q, a in pairs))
    return torch.tensor(xs), torch.tensor(ys)


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.o = nn.Linear(d, d, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.a, self.la, self.lm = Attn(d, h), nn.LayerNorm(d), nn.LayerNorm(d)
        self.m = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.a(self.la(x))
        return x + self.m(self.lm(x))


class GPT(nn.Module):
    def __init__(self, d=64, h=4, n=2):
        super().__init__()
        self.tok = nn.Embedding(len(VOCAB), d)
        self.pos = nn.Embedding(BLOCK, d)
        self.blocks = nn.ModuleList([Block(d, h) for _ in range(n)])
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, len(VOCAB), bias=False)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.05)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, idx):
        x = self.tok(idx) + self.pos.weight[: idx.size(1)]
        for b in self.blocks:
            x = b(x)
        return self.head(self.ln(x))


def answer_loss(logits, y):
    nll = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=IGNORE, reduction="sum")
    return nll / (y != IGNORE).sum().clamp(min=1)


@torch.no_grad()
def exact_match(model, pairs):
    model.eval()
    hit = 0
    for q, a in pairs:
        ids = encode(q)
        for _ in range(len(a) + 1):
            nxt = model(torch.tensor([ids]))[0, -1].argmax().item()
            ids.append(nxt)
            if nxt == EOS:
                break
        hit += ids == encode(q) + encode(a) + [EOS]
    model.train()
    return hit / len(pairs)


def main(steps=400, bs=64, lr=2e-3, warmup=40, seed=0):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    train = make_pairs(8000, rng)
    held = make_pairs(150, rng, exclude=[q[1:-1] for q, _ in train])
    x, y = to_tensors(train)
    xv, yv = to_tensors(held)
    model = GPT()
    opt = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.98), weight_decay=0.01)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / warmup, 0.5 * (1 + math.cos(math.pi * s / steps)) + 0.01))
    run, order = 0.0, torch.randperm(len(x))
    per_pass = len(x) // bs
    for s in range(1, steps + 1):
        j = (s - 1) % per_pass
        if j == 0:
            order = torch.randperm(len(x))
        ix = order[j * bs:(j + 1) * bs]
        loss = answer_loss(model(x[ix]), y[ix])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        run += loss.item()
        if s % 50 == 0:
            model.eval()
            with torch.no_grad():
                vl = answer_loss(model(xv), yv).item()
            model.train()
            print(f"step {s:5d}  train {run / 50:.4f}  held-out {vl:.4f}")
            run = 0.0
    print(f"exact match on held-out prompts: {exact_match(model, held):.3f}")


if __name__ == "__main__":
    main()
