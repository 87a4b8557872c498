# Next-day stock movement for a set of warehouses, read strictly in time order.
# The LSTM's memory is handed from window to window and from train to validation to test.
import numpy as np
import torch
from torch import nn
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
SEED = parser.parse_args().seed
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

N_SITES, N_DAYS, WINDOW = 48, 1200, 30

# ---- data: each site switches between a quiet and a busy regime; orders echo two days later
regime = np.zeros((N_SITES, N_DAYS))
signal = np.zeros((N_SITES, N_DAYS))
for s in range(N_SITES):
    r = 0
    for d in range(N_DAYS):
        if rng.random() < 0.02:
            r = 1 - r
        regime[s, d] = r
        echo = signal[s, d - 2] if d >= 2 else 0.0
        last = signal[s, d - 1] if d >= 1 else 0.0
        signal[s, d] = (0.8 * last - 0.1 * echo if r == 0 else -0.6 * last + 0.3 * echo) \
            + 0.5 * np.sin(2 * np.pi * d / 7) + 0.4 * rng.normal()
weekday = np.broadcast_to(np.stack([np.sin(2 * np.pi * np.arange(N_DAYS) / 7),
                                    np.cos(2 * np.pi * np.arange(N_DAYS) / 7)], -1), (N_SITES, N_DAYS, 2))

a, b = int(0.7 * N_DAYS), int(0.85 * N_DAYS)
mu, sd = signal[:, :a].mean(), signal[:, :a].std()
z = (signal - mu) / sd
inputs = torch.tensor(np.concatenate([z[..., None], weekday], -1), dtype=torch.float32)[:, :-1]
targets = torch.tensor(z, dtype=torch.float32)[:, 1:]
parts = {"train": (0, a - 1), "valid": (a - 1, b - 1), "test": (b - 1, N_DAYS - 1)}


class Stock(nn.Module):
    def __init__(self, n_in=3, hidden=40):
        super().__init__()
        self.lstm = nn.LSTM(n_in, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, 1)
        # forget gate open at the start
        with torch.no_grad():
            self.lstm.bias_hh_l0[hidden:2 * hidden].fill_(1.0)

    def forward(self, x, state):
        h, state = self.lstm(x, state)
        return self.readout(h).squeeze(-1), state


def windows(part):
    start, stop = parts[part]
    for s in range(start, stop, WINDOW):
        e = min(s + WINDOW, stop)
        yield inputs[:, s:e], targets[:, s:e]


def cut(state):
    return tuple(t.detach() for t in state)


model = Stock()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)


def replay(part, state):
    model.eval()
    se, n = 0.0, 0
    with torch.no_grad():
        for x, y in windows(part):
            pred, state = model(x, state)
            se += (pred - y).square().sum().item()
            n += y.numel()
    return se / n, state


for epoch in range(25):
    model.train()
    state, total, n = None, 0.0, 0
    for x, y in windows("train"):
        pred, state = model(x, state)
        state = cut(state)
        loss = (pred - y).square().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        total += loss.item() * y.numel()
        n += y.numel()
    valid_mse, state = replay("valid", state)
    sched.step(valid_mse)
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d}  train mse {total / n:.4f}  valid mse {valid_mse:.4f}")

_, state = replay("train", None)
_, state = replay("valid", state)
test_mse, _ = replay("test", state)
s, e = parts["test"]
naive = (inputs[:, s:e, 0] - targets[:, s:e]).square().mean().item()
print(f"test mse {test_mse:.4f}   (yesterday's value: {naive:.4f}, noise floor {(0.4 / sd) ** 2:.4f})")
