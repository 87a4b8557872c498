"""Masked-token modelling on an endless stream of palindromes.

Sequences are produced on demand, a few positions are masked, and a small bidirectional
transformer fills them in. Scores are taken with an exponential average of the weights.
"""
import argparse
import random

import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, IterableDataset

LETTERS, HALF, SKIP = 12, 7, -100
MASK, LENGTH = LETTERS, 2 * HALF


class PalindromeStream(IterableDataset):
    """Yields (tokens, targets) for ever; targets are SKIP wherever nothing was masked."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def __iter__(self):
        while True:
            half = [self.rng.randrange(LETTERS) for _ in range(HALF)]
            word = half + half[::-1]
            side = [self.rng.choice((p, LENGTH - 1 - p)) for p in range(HALF)]
            hidden = self.rng.sample(side, k=3)
            x, y = torch.tensor(word), torch.full((LENGTH,), SKIP)
            y[hidden] = x[hidden]
            x[hidden] = MASK
            yield x, y


class Filler(nn.Module):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.tok = nn.Embedding(LETTERS + 1, dim)
        self.pos = nn.Parameter(torch.randn(LENGTH, dim))
        layer = nn.TransformerEncoderLayer(
            dim, heads, dim_feedforward=2 * dim, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        h = self.norm(self.body(self.tok(x) + self.pos))
        return h @ self.tok.weight[:LETTERS].T


def warmup_then_linear(warm, total):
    def factor(step):
        return (step + 1) / warm if step < warm else max(0.05, (total - step) / (total - warm))
    return factor


@torch.no_grad()
def masked_accuracy(model, x, y):
    model.eval()
    guess, keep = model(x).argmax(-1), y != SKIP
    return (guess[keep] == y[keep]).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=350)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--dim", type=int, default=48)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=13)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    stream = iter(DataLoader(PalindromeStream(args.seed), batch_size=args.batch))
    x_dev, y_dev = next(iter(DataLoader(PalindromeStream(args.seed + 1), batch_size=1000)))

    model = Filler(args.dim, heads=4, depth=2)
    nn.init.normal_(model.tok.weight, std=args.dim ** -0.5)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.98))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, warmup_then_linear(50, args.steps))
    criterion = nn.CrossEntropyLoss(ignore_index=SKIP)

    for step in range(1, args.steps + 1):
        model.train()
        x, y = next(stream)
        logits = model(x)
        loss = criterion(logits.transpose(1, 2), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)
        optimizer.step()
        schedule.step()
        average.update_parameters(model)
        if step % 50 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}  dev accuracy {masked_accuracy(average, x_dev, y_dev):.4f}")


if __name__ == "__main__":
    main()
