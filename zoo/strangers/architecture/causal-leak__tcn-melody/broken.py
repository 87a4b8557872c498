"""tcn_melody.py - a temporal convolutional network that continues folk-like tunes.

Tunes are drawn from a second-order Markov process over 10 pitches, so we know how well anybody could possibly
do (the entropy rate).  The network predicts the next note at each position.
"""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

PITCHES = 10
START = PITCHES
T = 40


def tune_source(rng):
    table = rng.dirichlet(np.full(PITCHES, 0.12), size=(PITCHES, PITCHES))
    table = 0.97 * table + 0.03 / PITCHES
    return table


def compose(table, n, rng):
    cum = table.cumsum(-1)
    tunes = np.zeros((n, T + 20), dtype=np.int64)
    tunes[:, :2] = rng.integers(0, PITCHES, size=(n, 2))
    for t in range(2, T + 20):
        u = rng.random((n, 1))
        tunes[:, t] = (cum[tunes[:, t - 2], tunes[:, t - 1]] < u).sum(1).clip(max=PITCHES - 1)
    return tunes[:, 20:]


class TemporalBlock(nn.Module):
    def __init__(self, ch, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(ch, 2 * ch, kernel, dilation=dilation, padding=dilation * (kernel - 1) // 2)
        self.mix = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        a, b = self.conv(x).chunk(2, dim=1)
        return x + self.mix(torch.tanh(a) * torch.sigmoid(b))


class MelodyTCN(nn.Module):
    def __init__(self, ch=32, kernel=3, levels=3):
        super().__init__()
        self.embed = nn.Embedding(PITCHES + 1, ch)
        self.blocks = nn.Sequential(*[TemporalBlock(ch, kernel, 2 ** i) for i in range(levels)])
        self.readout = nn.Sequential(nn.Conv1d(ch, ch, 1), nn.ReLU(), nn.Conv1d(ch, PITCHES, 1))

    def forward(self, notes):
        return self.readout(self.blocks(self.embed(notes).transpose(1, 2)))  # (B, PITCHES, T)


def shift_right(tunes):
    start = torch.full((len(tunes), 1), START)
    return torch.cat([start, tunes[:, :-1]], dim=1)


def nll(model, tunes):
    return F.cross_entropy(model(shift_right(tunes)), tunes)


@torch.no_grad()
def continue_tune(model, seed_notes, n, gen):
    notes = seed_notes.clone()
    for _ in range(n):
        ctx = torch.cat([torch.full((1, 1), START), notes], dim=1)
        probs = model(ctx)[0, :, -1].softmax(0)
        notes = torch.cat([notes, torch.multinomial(probs, 1, generator=gen)[None]], dim=1)
    return notes[0].tolist()


def main():
    torch.manual_seed(21)
    rng = np.random.default_rng(21)
    table = tune_source(rng)
    train = torch.from_numpy(compose(table, 2000, rng))
    valid = torch.from_numpy(compose(table, 300, rng))
    test_np = compose(table, 300, rng)
    test = torch.from_numpy(test_np)

    p = table[test_np[:, :-2], test_np[:, 1:-1], test_np[:, 2:]]
    print(f"the source itself: {-np.log(p).mean():.3f} nats per note, uniform guess {math.log(PITCHES):.3f}")

    model = MelodyTCN()
    epochs, bs = 9, 40
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(train)).split(bs):
            loss = nll(model, train[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        model.eval()
        with torch.no_grad():
            v = nll(model, valid).item()
        print(f"epoch {epoch:2d}  train nll {total / len(train):.4f}  valid nll {v:.4f}")

    model.eval()
    with torch.no_grad():
        final = nll(model, test).item()
    print(f"test nll {final:.4f}  perplexity {math.exp(final):.2f}")
    print("a continuation:", continue_tune(model, test[:1, :8], 16, torch.Generator().manual_seed(0)))


if __name__ == "__main__":
    main()
