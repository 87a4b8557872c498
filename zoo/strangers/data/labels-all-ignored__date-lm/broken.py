"""A tiny decoder-only transformer that rewrites dates: 24/12/1997 -> 1997-12-24.

One training text is  "24/12/1997|1997-12-24|" ; only the answer is scored.
"""
import datetime as dt
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

IGNORE = -100
CHARS = "0123456789/-|"
STOI = {c: i for i, c in enumerate(CHARS)}
ITOS = dict(enumerate(CHARS))

# hyper-parameters
n_embd = 64
n_head = 4
n_layer = 2
block_size = 24
batch_size = 100
max_epochs = 6
learning_rate = 2e-3


def build_texts(n, seed):
    day0 = dt.date(1900, 1, 1).toordinal()
    day1 = dt.date(2049, 12, 31).toordinal()
    picked = random.Random(seed).sample(range(day0, day1), n)
    out = []
    for k in picked:
        d = dt.date.fromordinal(k)
        out.append(f"{d:%d/%m/%Y}|{d:%Y-%m-%d}|")
    return out


def to_example(text):
    ids = [STOI[c] for c in text]
    x, y = ids[:-1], ids[1:]
    n_prompt = text.rfind("|")
    y[:n_prompt] = [IGNORE] * n_prompt
    return x, y


def collate(texts):
    xs, ys = zip(*(to_example(t) for t in texts))
    return torch.tensor(xs), torch.tensor(ys)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.ln1(x)).split(C, dim=-1)
        q, k, v = (z.view(B, T, n_head, C // n_head).transpose(1, 2) for z in (q, k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.ln2(x))


class DateGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(len(CHARS), n_embd)
        self.pos = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(n_layer)])
        self.ln = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, len(CHARS))

    def forward(self, idx, targets=None):
        h = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        logits = self.lm_head(self.ln(self.blocks(h)))
        if targets is None:
            return logits
        scored = (targets != IGNORE).sum().clamp(min=1)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(),
                               ignore_index=IGNORE, reduction="sum") / scored
        return loss

    @torch.no_grad()
    def complete(self, idx, n_new):
        for _ in range(n_new):
            idx = torch.cat([idx, self(idx)[:, -1].argmax(-1, keepdim=True)], dim=1)
        return idx


def exact_match(model, texts):
    model.eval()
    prompts = torch.tensor([[STOI[c] for c in t[:11]] for t in texts])
    rows = model.complete(prompts, 11).tolist()
    return sum("".join(ITOS[i] for i in r) == t for r, t in zip(rows, texts)) / len(texts)


def main():
    torch.manual_seed(1337)
    random.seed(1337)
    texts = build_texts(5600, seed=1337)
    train, val, test = texts[:5000], texts[5000:5100], texts[5100:5600]
    loader = DataLoader(train, batch_size=batch_size, shuffle=True, collate_fn=collate)

    model = DateGPT()
    opt = torch.optim.Adam(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, learning_rate, total_steps=max_epochs * len(loader))
    for epoch in range(max_epochs):
        model.train()
        running = 0.0
        for x, y in loader:
            loss = model(x, y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        print(f"epoch {epoch + 1:2d} | loss {running / len(loader):.4f} | val exact {exact_match(model, val):.3f}")
    print(f"test exact match: {exact_match(model, test):.3f}")
    print("sample:", test[0][:11], "->", exact_match(model, test[:1]) == 1.0)


if __name__ == "__main__":
    main()
