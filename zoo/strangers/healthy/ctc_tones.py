#!/usr/bin/env python
"""Recognise digit strings from synthetic tone spectrograms with CTC.

usage: ctc_tones.py [--steps 300] [--batch 24] [--lr 5e-3]
"""
import argparse
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

BLANK = 0
N_SYMBOLS = 10          # labels 1..10 stand for digits 0..9
N_MELS = 24


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=300)
    p.add_argument("--batch", type=int, default=24)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--eval-every", type=int, default=60)
    return p.parse_args()


def make_templates(rng):
    """Each digit is a rising or falling pair of formants."""
    out = []
    for d in range(N_SYMBOLS):
        lo, hi = 1 + d, N_MELS - 2 - (d * 7) % 12
        slope = 1 if d % 2 else -1
        out.append((lo, hi, slope))
    return out


def synth(rng, templates, n_digits):
    digits = rng.integers(0, N_SYMBOLS, size=n_digits)
    cols = [np.zeros((rng.integers(2, 5), N_MELS))]
    bins = np.arange(N_MELS)
    for d in digits:
        lo, hi, slope = templates[d]
        dur = rng.integers(5, 10)
        seg = np.zeros((dur, N_MELS))
        drift = rng.normal(0, 0.35)
        for t in range(dur):
            u = t / dur * 2 * slope
            seg[t] = np.exp(-0.5 * (bins - lo - u - drift) ** 2) + np.exp(-0.5 * (bins - hi + u - drift) ** 2)
        cols += [seg * rng.uniform(0.7, 1.3), np.zeros((rng.integers(1, 4), N_MELS))]
    spec = np.concatenate(cols)
    spec = spec + rng.normal(0, 0.15, size=spec.shape)
    return spec.astype(np.float32), (digits + 1).astype(np.int64)


def collate(items):
    specs, labels = zip(*items)
    in_len = torch.tensor([len(s) for s in specs])
    tgt_len = torch.tensor([len(y) for y in labels])
    x = nn.utils.rnn.pad_sequence([torch.from_numpy(s) for s in specs], batch_first=True)
    y = torch.cat([torch.from_numpy(l) for l in labels])
    return x, in_len, y, tgt_len


class Recogniser(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.front = nn.Conv1d(N_MELS, 48, kernel_size=3, padding=1)
        self.rnn = nn.GRU(48, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, N_SYMBOLS + 1)

    def forward(self, x, lengths):
        h = F.relu(self.front(x.transpose(1, 2))).transpose(1, 2)
        packed = nn.utils.rnn.pack_padded_sequence(h, lengths, batch_first=True, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.out(h).log_softmax(-1)


def greedy(logp, lengths):
    best = logp.argmax(-1)
    hyps = []
    for row, n in zip(best, lengths):
        row = torch.unique_consecutive(row[:n])
        hyps.append(row[row != BLANK].tolist())
    return hyps


def edit_distance(a, b):
    prev = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        cur = [i]
        for j, cb in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (ca != cb)))
        prev = cur
    return prev[-1]


@torch.no_grad()
def token_error_rate(model, batches):
    model.eval()
    errs = total = 0
    for x, xl, y, yl in batches:
        refs = [r.tolist() for r in y.split(yl.tolist())]
        for h, r in zip(greedy(model(x, xl), xl), refs):
            errs += edit_distance(h, r)
            total += len(r)
    model.train()
    return errs / total


def main():
    args = parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    train_rng = np.random.default_rng(args.seed)
    dev_rng = np.random.default_rng(args.seed + 1000)
    test_rng = np.random.default_rng(args.seed + 2000)
    templates = make_templates(train_rng)

    def utterances(rng, n):
        return [synth(rng, templates, int(rng.integers(2, 6))) for _ in range(n)]

    pool = utterances(train_rng, 2000)
    dev = [collate(utterances(dev_rng, 32)) for _ in range(2)]
    test = [collate(utterances(test_rng, 50)) for _ in range(6)]

    model = Recogniser()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=args.steps)
    ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)

    t0, running = time.time(), None
    for step in range(1, args.steps + 1):
        x, xl, y, yl = collate(random.sample(pool, args.batch))
        logp = model(x, xl)
        loss = ctc(logp.transpose(0, 1), y, xl, yl)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        running = loss.item() if running is None else 0.95 * running + 0.05 * loss.item()
        if step % args.eval_every == 0:
            print(f"[{time.time() - t0:5.1f}s] step {step:4d}  ctc~{running:.3f}  dev TER {100 * token_error_rate(model, dev):.2f}%")
    print(f"test TER {100 * token_error_rate(model, test):.2f}%")


if __name__ == "__main__":
    main()
