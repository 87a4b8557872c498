"""Teach a post-norm transformer encoder to sort short lists of digits."""
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class TrainConfig:
    vocab: int = 10
    length: int = 8
    d_model: int = 32
    heads: int = 4
    layers: int = 6
    ff: int = 64
    train_size: int = 6400
    test_size: int = 1000
    batch_size: int = 64
    epochs: int = 5
    peak_lr: float = 1.6e-2
    warmup_frac: float = 0.15
    seed: int = 0


class Sorter(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.d_model)
        self.pos = nn.Parameter(torch.randn(cfg.length, cfg.d_model) * 0.5)
        layer = nn.TransformerEncoderLayer(cfg.d_model, cfg.heads, cfg.ff, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        for p in self.enc.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        self.head = nn.Linear(cfg.d_model, cfg.vocab)

    def forward(self, seq):
        return self.head(self.enc(self.tok(seq) + self.pos))


def make_lists(n, cfg, gen):
    x = torch.randint(cfg.vocab, (n, cfg.length), generator=gen)
    return x, x.sort(dim=1).values


def lr_factor(warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        done = (step - warmup) / max(1, total - warmup)
        return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done))
    return factor


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    hit = torch.cat([model(b).argmax(-1) for b in x.split(250)]) == y
    return hit.float().mean().item(), hit.all(dim=1).float().mean().item()


def train(cfg):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    x, y = make_lists(cfg.train_size, cfg, gen)
    x_test, y_test = make_lists(cfg.test_size, cfg, gen)

    model = Sorter(cfg)
    steps_per_epoch = math.ceil(cfg.train_size / cfg.batch_size)
    total = steps_per_epoch * cfg.epochs
    warmup = int(cfg.warmup_frac * cfg.epochs)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.peak_lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_factor(warmup, total))

    step, running, count = 0, 0.0, 0
    for epoch in range(cfg.epochs):
        model.train()
        for idx in torch.randperm(len(x), generator=gen).split(cfg.batch_size):
            logits = model(x[idx])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y[idx].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running, count, step = running + loss.item(), count + 1, step + 1
            if step % 50 == 0:
                print(f"step {step:4d}/{total}  lr {sched.get_last_lr()[0]:.2e}  loss {running / count:.4f}")
                running, count = 0.0, 0

    digit, whole = evaluate(model, x_test, y_test)
    print(f"test: digits in place {digit:.4f}, lists fully sorted {whole:.4f}")


if __name__ == "__main__":
    train(TrainConfig())
