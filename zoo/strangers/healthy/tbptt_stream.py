"""Streaming forecaster: a GRU reads one long series in order, carries its state, and is trained by truncated BPTT.

The chunks are served in time order on purpose (the state belongs to them); the split is by time too.
"""
import logging
import sys

import numpy as np
import torch

logging.basicConfig(stream=sys.stdout, format="%(levelname).1s %(message)s", level=logging.INFO)
LANES, CHUNK, PASSES = 16, 25, 12


def series(n, rng):
    """Noisy regime-switching oscillation: the hidden regime lasts for a hundred steps or so."""
    out, phase, fast = np.empty(n), 0.0, False
    for i in range(n):
        if rng.random() < 0.01:
            fast = not fast
        phase += 0.6 if fast else 0.25
        out[i] = np.sin(phase) + 0.3 * np.sin(2.1 * phase) + 0.08 * rng.normal()
    return out


class Forecaster(torch.nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.rnn = torch.nn.GRU(1, width, batch_first=True)
        self.read = torch.nn.Linear(width, 1)

    def forward(self, x, state=None):
        h, state = self.rnn(x, state)
        return x + self.read(h), state


def lanes(values, k):
    n = (len(values) - 1) // k
    a = torch.stack([values[i * n:(i + 1) * n + 1] for i in range(k)]).unsqueeze(-1)
    return a[:, :-1], a[:, 1:]


def stream_error(model, values):
    model.eval()
    x, y = lanes(values, 1)
    with torch.no_grad():
        p, _ = model(x)
    return torch.mean((p[:, 50:] - y[:, 50:]) ** 2).item(), torch.mean((x[:, 50:] - y[:, 50:]) ** 2).item()


def main():
    torch.manual_seed(9)
    raw = series(24_000, np.random.default_rng(9))
    past, recent, future = raw[:18_000], raw[18_000:20_500], raw[20_500:]
    m, s = past.mean(), past.std()
    past, recent, future = (torch.tensor((v - m) / s, dtype=torch.float32) for v in (past, recent, future))

    model = Forecaster()
    x, y = lanes(past, LANES)
    chunks = list(zip(x.split(CHUNK, 1), y.split(CHUNK, 1)))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=PASSES * len(chunks))
    for n_pass in range(1, PASSES + 1):
        model.train()
        state, total = None, 0.0
        for cx, cy in chunks:
            if state is not None:
                state = state.detach()
            pred, state = model(cx, state)
            loss = torch.nn.functional.mse_loss(pred, cy)
            for p in model.parameters():
                p.grad = None
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item() * cx.shape[1]
        val, naive = stream_error(model, recent)
        logging.info("pass %2d  loss %.4f  val mse %.4f (last value: %.4f)", n_pass, total / x.shape[1], val, naive)

    final, naive = stream_error(model, future)
    logging.info("test mse %.4f, last-value forecast %.4f", final, naive)


if __name__ == "__main__":
    main()
