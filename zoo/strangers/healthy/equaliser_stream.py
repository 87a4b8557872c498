# Equaliser for a slowly fading nonlinear channel, trained on continuous streams.
# The state of the receiver runs on from one piece to the next; pieces therefore come in time order.
import dataclasses
import sys

import numpy as np
import torch
from torch import nn


@dataclasses.dataclass(frozen=True)
class Link:
    seed: int = 0
    streams: int = 48
    piece: int = 32
    pieces: int = 60        # per transmission
    transmissions: int = 14
    delay: int = 2
    hidden: int = 40
    lr: float = 4e-3
    snr_db: float = 22.0


LEVELS = np.array([-3.0, -1.0, 1.0, 3.0])


def transmit(n, length, snr_db, rng):
    """PAM-4 through three taps that wander, a soft limiter, noise."""
    sym = rng.integers(0, 4, (n, length))
    s = LEVELS[sym]
    out = np.zeros((n, length))
    taps = np.stack([rng.normal(1.0, 0.08, n), rng.normal(0.35, 0.1, n), rng.normal(-0.2, 0.1, n)], 1)
    home = np.array([1.0, 0.35, -0.2])
    level = rng.normal(0, 0.35, n)                    # log of the fading gain
    none = np.zeros(n)
    for k in range(length):
        level += -0.004 * level + rng.normal(0, 0.03, n)
        taps += 0.002 * (home - taps) + rng.normal(0, 0.006, taps.shape)
        past = np.stack([s[:, k], s[:, k - 1] if k > 0 else none, s[:, k - 2] if k > 1 else none], 1)
        out[:, k] = np.exp(level) * 4.0 * np.tanh((taps * past).sum(1) / 4.0)
    return out + rng.normal(0, out.std() * 10 ** (-snr_db / 20), out.shape), sym


class Receiver(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.cell = nn.GRU(1, hidden, batch_first=True)
        self.decide = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4))

    def forward(self, x, state=None):
        h, state = self.cell(x.unsqueeze(-1), state)
        return self.decide(h), state


def pieces(x, y, link):
    """Cuts of one transmission, oldest first; the decision lags the sample by `delay` symbols"""
    d, L = link.delay, link.piece
    for k in range(0, x.shape[1] - L + 1, L):
        lo = max(k, d)
        yield x[:, k:k + L], y[:, lo - d:k + L - d], lo - k


def loss_of(logits, target):
    picked = torch.log_softmax(logits, -1).gather(-1, target.unsqueeze(-1))
    return -picked.sum() / target.numel()


@torch.no_grad()
def symbol_errors(net, x, y, link):
    net.eval()
    missed = count = 0
    state = None
    for a, b, skip in pieces(x, y, link):
        z, state = net(a, state)
        missed += (z[:, skip:].argmax(-1) != b).sum().item()
        count += b.numel()
    return missed / count


def main(link):
    torch.manual_seed(link.seed)
    rng = np.random.default_rng(link.seed)
    length = link.piece * link.pieces
    scale = None

    def fresh(n):
        x, y = transmit(n, length, link.snr_db, rng)
        return torch.tensor(x / scale, dtype=torch.float32), torch.from_numpy(y)

    scale = transmit(8, length, link.snr_db, rng)[0].std()
    val, test = fresh(32), fresh(64)
    net = Receiver(link.hidden)
    opt = torch.optim.RMSprop(net.parameters(), lr=link.lr, alpha=0.98)
    total = link.transmissions * link.pieces
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.02, total)
    for k in range(link.transmissions):
        x, y = fresh(link.streams)
        state, sums = None, []
        for a, b, skip in pieces(x, y, link):
            net.train()
            if state is not None:
                state = state.detach()
            z, state = net(a, state)
            loss = loss_of(z[:, skip:], b)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            sched.step()
            sums.append(loss.item())
        print(f"transmission {k + 1:2d}: loss {np.mean(sums):.4f} (last pieces {np.mean(sums[-10:]):.4f}), validation SER {symbol_errors(net, *val, link):.4f}")

    x, y = test
    raw = torch.bucketize(x * float(scale), torch.tensor([-1.8, 0.0, 1.8]))
    print(f"test SER {symbol_errors(net, x, y, link):.4f}, plain slicer {(raw != y).float().mean():.4f}")


if __name__ == "__main__":
    main(Link(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 0))
