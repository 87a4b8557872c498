"""Look a value up in a small key/value list with a transformer encoder.

Each example is a list of (key, value) pairs followed by one query key; the answer is the value that
stood beside that key.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

N_KEYS, N_VALUES, PAIRS = 24, 10, 8


def sample_batch(n, gen):
    keys = torch.rand(n, N_KEYS, generator=gen).argsort(dim=1)[:, :PAIRS]
    values = torch.randint(0, N_VALUES, (n, PAIRS), generator=gen)
    which = torch.randint(0, PAIRS, (n, 1), generator=gen)
    query = keys.gather(1, which)
    answer = values.gather(1, which).squeeze(1)
    return keys, values, query, answer


class SelfAttention(nn.Module):
    def __init__(self, d_model, heads, p_drop):
        super().__init__()
        self.heads = heads
        self.p_drop = p_drop
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p_drop)
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d_model, heads, p_drop):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.attn = SelfAttention(d_model, heads, p_drop)
        self.norm2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))
        self.drop = nn.Dropout(0.05)

    def forward(self, x):
        x = x + self.drop(self.attn(self.norm1(x)))
        return x + self.drop(self.mlp(self.norm2(x)))


class LookupTransformer(nn.Module):
    def __init__(self, d_model=48, heads=1, depth=1, p_drop=0.3):
        super().__init__()
        self.key_emb = nn.Embedding(N_KEYS, d_model)
        self.value_emb = nn.Embedding(N_VALUES, d_model)
        self.ask = nn.Parameter(torch.zeros(1, 1, d_model))
        self.blocks = nn.ModuleList(Block(d_model, heads, p_drop) for _ in range(depth))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, N_VALUES)

    def forward(self, keys, values, query):
        pairs = self.key_emb(keys) + self.value_emb(values)
        ask = self.key_emb(query) + self.ask
        x = torch.cat([pairs, ask], dim=1)
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x[:, -1]))


def evaluate(model, data, batch=256):
    model.eval()
    nll, hits = 0.0, 0
    n = len(data[-1])
    with torch.no_grad():
        for i in range(0, n, batch):
            keys, values, query, answer = (t[i:i + batch] for t in data)
            logits = model(keys, values, query)
            nll += F.cross_entropy(logits, answer, reduction="sum").item()
            hits += (logits.argmax(-1) == answer).sum().item()
    return nll / n, hits / n


def main(steps=1000, batch=64, warmup=100):
    torch.manual_seed(0)
    train_gen = torch.Generator().manual_seed(1)
    heldout = sample_batch(2048, torch.Generator().manual_seed(2))

    model = LookupTransformer()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))

    sched = torch.optim.lr_scheduler.LambdaLR(opt, factor)

    running, count = 0.0, 0
    for step in range(1, steps + 1):
        model.train()
        keys, values, query, answer = sample_batch(batch, train_gen)
        loss = F.cross_entropy(model(keys, values, query), answer)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        running += loss.item()
        count += 1
        if step % 200 == 0:
            nll, acc = evaluate(model, heldout)
            print(f"step {step:5d}  train loss {running / count:.3f}  held-out loss {nll:.3f}  accuracy {acc:.3f}")
            running, count = 0.0, 0

    scores = [evaluate(model, heldout)[1] for _ in range(3)]
    print("held-out accuracy, three passes:", "  ".join(f"{s:.4f}" for s in scores))


if __name__ == "__main__":
    main()
