"""Stateful GRU language model over one long symbol stream.

The stream is cut into parallel lanes which are read strictly from left to right; the hidden
state walks along with them (detached), so chunks are never shuffled. Later parts of the stream serve
as validation and test.
"""
import math
import random

import torch
import torch.nn as nn

LANES, CHUNK, EPOCHS = 20, 25, 8
WORDS = ["lorem", "ipsum", "dolor", "sit", "amet", "magna", "velit", "nulla", "quis", "ea"]


def stream(n_words, rnd):
    """A first-order Markov chain over words: two likely successors for each."""
    succ = {w: rnd.sample(WORDS, 2) for w in WORDS}
    w, out = WORDS[0], []
    for _ in range(n_words):
        out.append(w)
        u = rnd.random()
        w = succ[w][0] if u < 0.6 else succ[w][1] if u < 0.9 else rnd.choice(WORDS)
    return " ".join(out) + " "


def lanes(ids, k):
    n = (len(ids) - 1) // k
    x = ids[: n * k].view(k, n).t().contiguous()          # time first
    y = ids[1: n * k + 1].view(k, n).t().contiguous()
    return x, y


class CharGRU(nn.Module):
    def __init__(self, vocab, dim=24, hidden=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, x, state=None):
        h, state = self.gru(self.emb(x), state)
        return self.out(h), state


@torch.no_grad()
def bits_per_char(model, x, y):
    model.eval()
    state, nats = None, 0.0
    for i in range(0, len(x), 100):
        logits, state = model(x[i:i + 100], state)
        nats += nn.functional.cross_entropy(logits.flatten(0, 1), y[i:i + 100].flatten(), reduction="sum").item()
    return nats / y.numel() / math.log(2)


def main():
    random.seed(10)
    torch.manual_seed(10)
    text = stream(9000, random.Random(10))
    chars = sorted(set(text))
    ids = torch.tensor([chars.index(c) for c in text])
    a, b = int(0.8 * len(ids)), int(0.9 * len(ids))
    x, y = lanes(ids[:a], LANES)
    val, test = lanes(ids[a:b], 4), lanes(ids[b:], 4)

    model = CharGRU(len(chars))
    steps = math.ceil(len(x) / CHUNK)
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * s / (steps * EPOCHS))))

    for epoch in range(EPOCHS):
        model.train()
        state, nats = None, 0.0                 # a new pass starts at the stream's beginning
        for i in range(0, len(x), CHUNK):
            xc, yc = x[i:i + CHUNK], y[i:i + CHUNK]
            if state is not None:
                state = state.detach()
            logits, state = model(xc, state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), yc.flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            nats += loss.item() * yc.numel()
        print(f"epoch {epoch + 1}  train {nats / y.numel() / math.log(2):.4f} bits/char  "
              f"valid {bits_per_char(model, *val):.4f}")

    freq = torch.bincount(ids[:a]).float()
    unigram = -(freq / freq.sum()).log2()
    print(f"test {bits_per_char(model, *test):.4f} bits/char (letter frequencies alone: {unigram[ids[b:]].mean():.4f})")


if __name__ == "__main__":
    main()
