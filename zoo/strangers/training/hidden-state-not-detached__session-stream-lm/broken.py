"""Next-event model for user sessions.

Sessions are long, so they are cut into chunks; the recurrent state travels from one chunk to the
next inside a session and starts from zero for a new group of sessions.
"""
import math
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 11
N_EVENTS = 12
MODES = 3
CHUNK = 8
CHUNKS_PER_SESSION = 18
GROUP = 24
HIDDEN = 48


def simulate_sessions(n, length, table, rng):
    """Each session has an intent that rarely changes; the intent decides what follows what."""
    out = np.zeros((n, length + 1), dtype=np.int64)
    mode = rng.integers(0, MODES, size=n)
    out[:, 0] = rng.integers(0, N_EVENTS, size=n)
    for t in range(1, length + 1):
        switch = rng.random(n) < 0.01
        mode = np.where(switch, rng.integers(0, MODES, size=n), mode)
        follow = table[mode, out[:, t - 1]]
        noise = rng.random(n) < 0.15
        out[:, t] = np.where(noise, rng.integers(0, N_EVENTS, size=n), follow)
    return torch.from_numpy(out)


class GRULayer(nn.Module):
    def __init__(self, d_in, d_hidden):
        super().__init__()
        self.x2g = nn.Linear(d_in, 3 * d_hidden)
        self.h2g = nn.Linear(d_hidden, 3 * d_hidden)
        nn.init.orthogonal_(self.h2g.weight)

    def forward(self, x, h):
        xr, xz, xn = self.x2g(x).chunk(3, dim=-1)
        outs = []
        for t in range(x.shape[1]):
            hr, hz, hn = self.h2g(h).chunk(3, dim=-1)
            r = torch.sigmoid(xr[:, t] + hr)
            z = torch.sigmoid(xz[:, t] + hz)
            n = torch.tanh(xn[:, t] + r * hn)
            h = (1 - z) * n + z * h
            outs.append(h)
        return torch.stack(outs, dim=1), h


class EventModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(N_EVENTS, 32)
        self.rnn = GRULayer(32, HIDDEN)
        self.out = nn.Linear(HIDDEN, N_EVENTS)

    def initial_state(self, batch):
        return torch.zeros(batch, HIDDEN)

    def forward(self, tokens, h):
        feats, h = self.rnn(self.emb(tokens), h)
        return self.out(feats), h


def chunks(group):
    for c in range(CHUNKS_PER_SESSION):
        lo = c * CHUNK
        yield group[:, lo:lo + CHUNK], group[:, lo + 1:lo + CHUNK + 1]


@torch.no_grad()
def evaluate(model, sessions):
    model.eval()
    nll, hits, count = 0.0, 0, 0
    for start in range(0, len(sessions), 64):
        group = sessions[start:start + 64]
        h = model.initial_state(len(group))
        for x, y in chunks(group):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, h = model(x, h)
            logits = logits.float()
            nll += F.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="sum").item()
            hits += (logits.argmax(-1) == y).sum().item()
            count += y.numel()
    return nll / count, hits / count


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    table = np.stack([rng.permutation(N_EVENTS) for _ in range(MODES)])
    length = CHUNK * CHUNKS_PER_SESSION
    train = simulate_sessions(120, length, table, rng)
    valid = simulate_sessions(96, length, table, rng)

    model = EventModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3, weight_decay=1e-3)

    for epoch in range(4):
        model.train()
        began = time.perf_counter()
        total, seen = 0.0, 0
        chunk_ms = np.zeros(CHUNKS_PER_SESSION)
        order = torch.randperm(len(train))
        for ids in order.split(GROUP):
            h = model.initial_state(len(ids))
            for c, (x, y) in enumerate(chunks(train[ids])):
                t0 = time.perf_counter()
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits, h_next = model(x, h)
                loss = F.cross_entropy(logits.float().flatten(0, 1), y.flatten())
                loss.backward(retain_graph=True)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                h = h_next
                total += loss.item() * y.numel()
                seen += y.numel()
                chunk_ms[c] += 1000 * (time.perf_counter() - t0)
        chunk_ms /= math.ceil(len(train) / GROUP)
        nll, acc = evaluate(model, valid)
        print(f"epoch {epoch}  train {total / seen:.3f}  valid {nll:.3f}  acc {acc:.3f}  "
              f"{time.perf_counter() - began:.1f}s  "
              f"ms/chunk first {chunk_ms[0]:.0f} last {chunk_ms[-1]:.0f}")

    nll, acc = evaluate(model, valid)
    print(f"final: perplexity {math.exp(nll):.2f}  accuracy {acc:.3f}")


if __name__ == "__main__":
    main()
