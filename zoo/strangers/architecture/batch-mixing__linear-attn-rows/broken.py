# tiny linear-attention encoder, digits read row by row, [cls] readout
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


@dataclass
class Config:
    n_tok: int = 8
    d_in: int = 8
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 48
    n_cls: int = 10
    dropout: float = 0.1
    bs: int = 48
    lr: float = 2e-3
    wd: float = 0.05
    epochs: int = 20
    warmup: int = 30
    seed: int = 7


class LinearAttention(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.h = c.n_head
        self.qkv = nn.Linear(c.n_embd, 3 * c.n_embd, bias=False)
        self.out = nn.Linear(c.n_embd, c.n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("bhtd,bhte->hde", k, v)
        z = torch.einsum("bhtd,bhd->bht", q, k.sum(2))
        y = torch.einsum("bhtd,hde->bhte", q, kv) / (z.unsqueeze(-1) + 1e-6)
        return self.out(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attn = LinearAttention(c)
        self.mlp = nn.Sequential(nn.Linear(c.n_embd, 2 * c.n_embd), nn.GELU(), nn.Linear(2 * c.n_embd, c.n_embd))
        self.drop = nn.Dropout(c.dropout)

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln1(x)))
        return x + self.drop(self.mlp(self.ln2(x)))


class RowFormer(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.inp = nn.Linear(c.d_in, c.n_embd)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, c.n_embd))
        self.pos = nn.Parameter(0.02 * torch.randn(1, c.n_tok + 1, c.n_embd))
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.n_layer))
        self.ln = nn.LayerNorm(c.n_embd)
        self.head = nn.Linear(c.n_embd, c.n_cls)

    def forward(self, x):
        x = torch.cat([self.cls.expand(len(x), -1, -1), self.inp(x)], 1) + self.pos
        for b in self.blocks:
            x = b(x)
        return self.head(self.ln(x[:, 0]))


@torch.no_grad()
def evaluate(model, x, y, bs):
    model.eval()
    nll = hit = 0
    for i in range(0, len(x), bs):
        z = model(x[i:i + bs])
        nll += F.cross_entropy(z, y[i:i + bs], reduction="sum").item()
        hit += (z.argmax(-1) == y[i:i + bs]).sum().item()
    model.train()
    return nll / len(x), hit / len(x)


def main(c: Config):
    torch.set_num_threads(1)
    torch.manual_seed(c.seed)
    X, y = load_digits(return_X_y=True)
    Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.2, stratify=y, random_state=c.seed)
    mu, sd = Xtr.mean(), Xtr.std()
    prep = lambda a: torch.tensor((a - mu) / sd, dtype=torch.float32).view(-1, c.n_tok, c.d_in)
    xtr, xva, ytr, yva = prep(Xtr), prep(Xva), torch.tensor(ytr), torch.tensor(yva)

    model = RowFormer(c)
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, weight_decay=c.wd)
    spe = len(xtr) // c.bs
    total = spe * c.epochs
    lr_at = lambda s: (s + 1) / c.warmup if s < c.warmup else 0.02 + 0.98 * 0.5 * (
        1 + math.cos(math.pi * (s - c.warmup) / (total - c.warmup)))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)

    for ep in range(c.epochs):
        perm, run = torch.randperm(len(xtr)), 0.0
        for i in range(spe):
            idx = perm[i * c.bs:(i + 1) * c.bs]
            loss = F.cross_entropy(model(xtr[idx]), ytr[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            run += loss.item()
        vl, va = evaluate(model, xva, yva, c.bs)
        print(f"epoch {ep:02d} | train {run / spe:.4f} | val {vl:.4f} | acc {va:.4f}")


if __name__ == "__main__":
    main(Config())
