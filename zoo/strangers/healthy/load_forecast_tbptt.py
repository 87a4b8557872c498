"""
Hourly load forecasting with a stateful LSTM.

Twelve substations are read side by side as twelve batch lanes.  Time runs forward through
the chunks, the hidden state travels from chunk to chunk (values only, the graph is cut),
so chunks MUST come in order: the loader here is a plain generator over time.

train = first 70 % of the hours, val = next 15 %, test = last 15 %.
"""
import math
import torch
from torch import nn

torch.manual_seed(3)

N_SERIES, HOURS, CHUNK = 12, 24 * 7 * 26, 48


def make_load(n, T):
    g = torch.Generator().manual_seed(99)
    t = torch.arange(T, dtype=torch.float32)
    level = 40 + 20 * torch.rand(n, 1, generator=g)
    day = torch.sin(2 * math.pi * (t / 24 + 0.15 * torch.rand(n, 1, generator=g)))
    half = 0.5 * torch.sin(4 * math.pi * (t / 24 + 0.15 * torch.rand(n, 1, generator=g)))
    weekend = ((t // 24) % 7 >= 5).float()
    # slow AR(1) weather effect
    eps = torch.randn(n, T, generator=g)
    w = torch.zeros(n, T)
    for i in range(1, T):
        w[:, i] = 0.95 * w[:, i - 1] + 0.12 * eps[:, i]
    y = level * (1 + 0.25 * (day + half) * (1 - 0.4 * weekend) - 0.12 * weekend + 0.10 * w)
    return y, t


load, t = make_load(N_SERIES, HOURS)
n_tr, n_va = int(0.70 * HOURS), int(0.15 * HOURS)

# per-station scaling, from the training hours only
mu = load[:, :n_tr].mean(1, keepdim=True)
sd = load[:, :n_tr].std(1, keepdim=True)
z = (load - mu) / sd

calendar = torch.stack([
    torch.sin(2 * math.pi * t / 24), torch.cos(2 * math.pi * t / 24),
    torch.sin(2 * math.pi * t / 168), torch.cos(2 * math.pi * t / 168),
    2 * ((t // 24) % 7 >= 5).float() - 1,
], dim=-1)                                                   # (T, 5)

# input at hour h: load at h and the calendar of h+1 (known ahead); target: load at h+1
inputs = torch.cat([z[:, :-1, None], calendar[None, 1:].expand(N_SERIES, -1, -1)], dim=-1)
targets = z[:, 1:, None]


def chunks(start, stop):
    for a in range(start, stop, CHUNK):
        b = min(a + CHUNK, stop)
        yield inputs[:, a:b], targets[:, a:b]


class Forecaster(nn.Module):
    def __init__(self, d_in=6, d_h=48):
        super().__init__()
        self.rnn = nn.LSTM(d_in, d_h, batch_first=True)
        self.out = nn.Linear(d_h, 1)

    def forward(self, x, state=None):
        h, state = self.rnn(x, state)
        return x[..., :1] + self.out(h), state              # predicts the change from the last hour


model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
EPOCHS = 30
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS, eta_min=4e-5)
mse = nn.MSELoss()


@torch.inference_mode()
def run(start, stop, state):
    model.eval()
    se, n = 0.0, 0
    for x, y in chunks(start, stop):
        pred, state = model(x, state)
        se += (pred - y).square().sum().item()
        n += y.numel()
    return se / n, state


last = HOURS - 1
for epoch in range(EPOCHS):
    model.train()
    state = None                                             # a new pass over time starts cold
    total, count = 0.0, 0
    for x, y in chunks(0, n_tr):
        if state is not None:
            state = tuple(s.detach() for s in state)
        pred, state = model(x, state)
        loss = mse(pred, y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item() * y.numel()
        count += y.numel()
    sched.step()
    # warm the state over the training era with the current weights, then continue into validation
    fit, state_tr = run(0, n_tr, None)
    val, state_va = run(n_tr, n_tr + n_va, state_tr)
    if epoch % 3 == 0 or epoch == EPOCHS - 1:
        print(f"epoch {epoch:3d} | running mse {total / count:.5f} | train {fit:.5f} | val {val:.5f}")

test, _ = run(n_tr + n_va, last, state_va)
naive = (z[:, n_tr + n_va + 1:] - z[:, n_tr + n_va:-1]).square().mean().item()
week = (z[:, n_tr + n_va + 1:] - z[:, n_tr + n_va + 1 - 168:-168]).square().mean().item()
print(f"test mse {test:.5f}   persistence {naive:.5f}   same hour last week {week:.5f}")
