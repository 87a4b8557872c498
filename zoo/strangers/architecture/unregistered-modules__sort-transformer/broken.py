"""Teach a small transformer to sort sequences of digits.

usage: python train_sort.py [--steps 300] [--width 48] [--depth 2]
"""
import argparse
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--length", type=int, default=10)
    p.add_argument("--vocab", type=int, default=16)
    p.add_argument("--width", type=int, default=48)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--depth", type=int, default=2)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=11)
    return p.parse_args()


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attn = SelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 3 * width), nn.GELU(), nn.Linear(3 * width, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Sorter(nn.Module):
    def __init__(self, vocab, length, width, heads, depth):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(length, width)
        self.blocks = [Block(width, heads) for _ in range(depth)]
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def sample(n, args, gen):
    ids = torch.randint(0, args.vocab, (n, args.length), generator=gen)
    return ids, ids.sort(dim=1).values


def lr_at(step, args):
    warm = 30
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / (args.steps - warm)))


@torch.no_grad()
def test(model, ids, target):
    model.eval()
    guess = model(ids).argmax(-1)
    model.train()
    return (guess == target).float().mean().item(), (guess == target).all(1).float().mean().item()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    train_gen = torch.Generator().manual_seed(args.seed + 1)
    test_ids, test_target = sample(1000, args, torch.Generator().manual_seed(args.seed + 2))

    model = Sorter(args.vocab, args.length, args.width, args.heads, args.depth)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: lr_at(s, args))

    start = time.time()
    running = 0.0
    for step in range(1, args.steps + 1):
        ids, target = sample(args.batch, args, train_gen)
        loss = F.cross_entropy(model(ids).flatten(0, 1), target.flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        running += loss.item()
        if step % 30 == 0:
            print(f"step {step:4d} | loss {running / 30:.4f} | {time.time() - start:.1f}s")
            running = 0.0

    token, whole = test(model, test_ids, test_target)
    print(f"held-out: token accuracy {token:.3f}, whole sequence {whole:.3f}")


if __name__ == "__main__":
    main()
