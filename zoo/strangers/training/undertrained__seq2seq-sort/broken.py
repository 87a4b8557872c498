#!/usr/bin/env python
"""Sequence to sequence: read a list of numbers, write it sorted. GRU encoder/decoder with attention."""
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

BOS = 0
OFFSET = 1


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--length", type=int, default=8)
    p.add_argument("--vocab", type=int, default=24)
    p.add_argument("--hidden", type=int, default=64)
    p.add_argument("--emb", type=int, default=32)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--steps", type=int, default=120)
    p.add_argument("--log-every", type=int, default=40)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def sample_batch(n, length, vocab, gen):
    src = torch.randint(0, vocab, (n, length), generator=gen) + OFFSET
    return src, src.sort(dim=1).values


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab + OFFSET, emb)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)

    def forward(self, src):
        return self.rnn(self.emb(src))


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab + OFFSET, emb)
        self.rnn = nn.GRU(emb, hidden, batch_first=True)
        self.query = nn.Linear(hidden, hidden)
        self.out = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.Tanh(), nn.Linear(hidden, vocab + OFFSET))

    def forward(self, tokens, state, memory):
        h, state = self.rnn(self.emb(tokens), state)
        scores = self.query(h) @ memory.transpose(1, 2) / memory.shape[-1] ** 0.5
        context = scores.softmax(dim=-1) @ memory
        return self.out(torch.cat([h, context], dim=-1)), state


class Seq2Seq(nn.Module):
    def __init__(self, vocab, emb, hidden):
        super().__init__()
        self.encoder = Encoder(vocab, emb, hidden)
        self.decoder = Decoder(vocab, emb, hidden)

    def forward(self, src, tgt):
        memory, state = self.encoder(src)
        bos = torch.full_like(tgt[:, :1], BOS)
        logits, _ = self.decoder(torch.cat([bos, tgt[:, :-1]], dim=1), state, memory)
        return logits

    @torch.no_grad()
    def greedy(self, src):
        memory, state = self.encoder(src)
        tok = torch.full_like(src[:, :1], BOS)
        out = []
        for _ in range(src.shape[1]):
            logits, state = self.decoder(tok, state, memory)
            tok = logits.argmax(dim=-1)
            out.append(tok)
        return torch.cat(out, dim=1)


def evaluate(model, src, tgt):
    model.eval()
    pred = model.greedy(src)
    model.train()
    hit = pred == tgt
    return hit.float().mean().item(), hit.all(dim=1).float().mean().item()


def main():
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    train_gen = torch.Generator().manual_seed(args.seed + 1)
    heldout_gen = torch.Generator().manual_seed(args.seed + 2)

    val = sample_batch(512, args.length, args.vocab, heldout_gen)
    test = sample_batch(1000, args.length, args.vocab, heldout_gen)

    model = Seq2Seq(args.vocab, args.emb, args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.998)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {args.steps} steps of {args.batch}")

    window = []
    for step in range(1, args.steps + 1):
        src, tgt = sample_batch(args.batch, args.length, args.vocab, train_gen)
        logits = model(src, tgt)
        loss = F.cross_entropy(logits.flatten(0, 1), tgt.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step()
        window.append(loss.item())
        if step % args.log_every == 0:
            tok, seq = evaluate(model, *val)
            print(f"step {step:5d}  loss {sum(window) / len(window):.4f}  val token {tok:.3f}  val exact {seq:.3f}")
            window = []

    tok, seq = evaluate(model, *test)
    print(f"test token accuracy {tok:.3f}  exact match {seq:.3f}")


if __name__ == "__main__":
    main()
