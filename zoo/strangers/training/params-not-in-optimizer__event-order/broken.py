"""
Event-log classifier: was the LOGIN recorded before the TRANSFER?
"""
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 20
    length: int = 14
    d_model: int = 32
    heads: int = 4
    layers: int = 2
    dropout: float = 0.0
    lr: float = 3e-3
    weight_decay: float = 0.02
    batch: int = 64
    epochs: int = 8
    seed: int = 5
    betas: tuple = field(default=(0.9, 0.98))


def make_logs(cfg, n, gen):
    x = torch.randint(2, cfg.vocab, (n, cfg.length), generator=gen)
    where = torch.rand(n, cfg.length, generator=gen).argsort(1)[:, :2]
    rows = torch.arange(n)
    x[rows, where[:, 0]] = 0      # LOGIN
    x[rows, where[:, 1]] = 1      # TRANSFER
    return x, (where[:, 0] < where[:, 1]).long()


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.d_model)
        self.attn = nn.MultiheadAttention(cfg.d_model, cfg.heads, dropout=cfg.dropout, batch_first=True)
        self.norm2 = nn.LayerNorm(cfg.d_model)
        self.mlp = nn.Sequential(
            nn.Linear(cfg.d_model, 2 * cfg.d_model), nn.GELU(), nn.Linear(2 * cfg.d_model, cfg.d_model)
        )

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class LogFormer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.d_model)
        nn.init.normal_(self.embed.weight, std=0.3)
        self.readout = nn.Parameter(torch.zeros(1, 1, cfg.d_model))
        self.position = nn.Parameter(torch.zeros(1, cfg.length + 1, cfg.d_model))
        self.blocks = nn.Sequential(*[Block(cfg) for _ in range(cfg.layers)])
        self.norm = nn.LayerNorm(cfg.d_model)
        self.head = nn.Linear(cfg.d_model, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = torch.cat([self.readout.expand(len(x), -1, -1), x], dim=1) + self.position
        return self.head(self.norm(self.blocks(x))[:, 0])


def build_optimizer(model, cfg):
    """No weight decay for biases and layer norms, the usual recipe."""
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if name.endswith("weight") and "norm" not in name:
            decay.append(p)
        elif name.endswith("bias") or "norm" in name:
            no_decay.append(p)
    groups = [
        {"params": decay, "weight_decay": cfg.weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=cfg.lr, betas=cfg.betas)


def warmup_linear(total, warm):
    return lambda s: min((s + 1) / warm, max(0.02, (total - s) / (total - warm)))


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    out = torch.cat([model(c) for c in x.split(500)])
    return F.cross_entropy(out, y).item(), (out.argmax(-1) == y).float().mean().item()


def run(cfg):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed + 1)
    x_tr, y_tr = make_logs(cfg, 3000, gen)
    x_va, y_va = make_logs(cfg, 1000, gen)
    model = LogFormer(cfg)
    opt = build_optimizer(model, cfg)
    per_epoch = -(-len(x_tr) // cfg.batch)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup_linear(cfg.epochs * per_epoch, 60))
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x_tr)).split(cfg.batch):
            loss = F.cross_entropy(model(x_tr[idx]), y_tr[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
        vl, va = evaluate(model, x_va, y_va)
        print(f"epoch {epoch:2d}  train {total / len(x_tr):.4f}  val {vl:.4f}  acc {va:.3f}")


if __name__ == "__main__":
    run(Config())
