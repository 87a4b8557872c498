"""Stateful GRU language model over a synthetic grammar: state carried between chunks, summed token loss, gradient accumulation."""
import math
import random

import torch
from torch import nn

VOCAB = sorted(set("abcdefgh()+*= ."))
STOI = {c: i for i, c in enumerate(VOCAB)}


def sentence(rng, depth=0):
    if depth > 2 or rng.random() < 0.4:
        return rng.choice("abcdefgh")
    return "(" + sentence(rng, depth + 1) + rng.choice("+*") + sentence(rng, depth + 1) + ")"


def corpus(n, seed):
    rng = random.Random(seed)
    text = ""
    while len(text) < n:
        s = sentence(rng)
        text += s + "=" + s[::-1][0] + ". "
    return torch.tensor([STOI[c] for c in text[:n]])


def lanes(ids, width):
    usable = (len(ids) - 1) // width * width
    return ids[:usable].view(width, -1), ids[1:usable + 1].view(width, -1)


class CharLM(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embed = nn.Embedding(len(VOCAB), 24)
        self.rnn = nn.GRU(24, hidden, batch_first=True)
        self.out = nn.Linear(hidden, len(VOCAB))

    def forward(self, x, state):
        h, state = self.rnn(self.embed(x), state)
        return self.out(h).log_softmax(dim=-1), state


def bits(model, ids, width=16, chunk=64):
    x, y = lanes(ids, width)
    state, total = None, 0.0
    model.eval()
    with torch.inference_mode():
        for i in range(0, x.shape[1], chunk):
            logp, state = model(x[:, i:i + chunk], state)
            total += nn.functional.nll_loss(logp.flatten(0, 1), y[:, i:i + chunk].flatten(), reduction="sum").item()
    return total / y.numel() / math.log(2)


torch.manual_seed(9)
train_ids, valid_ids = corpus(60_000, 9), corpus(10_000, 10)
x, y = lanes(train_ids, 32)
model = CharLM()
ACCUM, CHUNK, EPOCHS = 2, 32, 10
chunks = list(range(0, x.shape[1], CHUNK))
groups = [chunks[i:i + ACCUM] for i in range(0, len(chunks), ACCUM)]
opt = torch.optim.Adam(model.parameters(), lr=8e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=8e-3, total_steps=EPOCHS * len(groups))

for epoch in range(EPOCHS):
    model.train()
    state, seen, total = None, 0, 0.0
    for group in groups:
        tokens = sum(y[:, i:i + CHUNK].numel() for i in group)
        opt.zero_grad()
        for i in group:
            logp, state = model(x[:, i:i + CHUNK], state)
            state = state.detach()
            loss = nn.functional.nll_loss(logp.flatten(0, 1), y[:, i:i + CHUNK].flatten(), reduction="sum")
            (loss / tokens).backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        seen += tokens
    print(f"epoch {epoch + 1:2d} train {total / seen / math.log(2):.4f} bits/char  valid {bits(model, valid_ids):.4f} bits/char")
