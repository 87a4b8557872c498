# Water level one hour ahead at a set of tide gauges.
# One long recording per gauge, cut by calendar time; the recurrent state runs through the whole recording
# (truncated back-propagation), so chunks are served strictly in order and the state is never cleared inside a pass.
import math

import numpy as np
import torch
from torch import nn

HOURS, GAUGES, CHUNK = 3000, 24, 50
TRAIN_END, VALID_END = 2000, 2400


def record(seed):
    rng = np.random.default_rng(seed)
    t = np.arange(HOURS)
    level = np.zeros((GAUGES, HOURS))
    wind = np.zeros((GAUGES, HOURS))
    for g in range(GAUGES):
        phase, amp = rng.uniform(0, 2 * math.pi, 3), rng.uniform(0.6, 1.4, 3)
        tide = (amp[0] * np.sin(2 * math.pi * t / 12.42 + phase[0]) + 0.5 * amp[1] * np.sin(2 * math.pi * t / 12.0 + phase[1])
                + 0.3 * amp[2] * np.sin(2 * math.pi * t / 25.82 + phase[2]))
        w, surge = 0.0, 0.0
        for k in range(HOURS):
            w = 0.95 * w + 0.3 * rng.standard_normal()
            surge = 0.9 * surge + 0.08 * w * abs(w)
            wind[g, k] = w
            level[g, k] = tide[k] + surge
        level[g] += 0.03 * rng.standard_normal(HOURS)
    return np.stack([level, wind], axis=-1).astype(np.float32)


class Gauge(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.cell = nn.LSTM(2, hidden, batch_first=True)
        self.step = nn.Linear(hidden, 1)
        nn.init.zeros_(self.step.weight)     # start as the persistence forecast
        nn.init.zeros_(self.step.bias)

    def forward(self, x, state):
        h, state = self.cell(x, state)
        return x[..., 0] + self.step(h).squeeze(-1), state


def chunks(series, start, stop):
    for a in range(start, stop - 1, CHUNK):
        b = min(a + CHUNK, stop - 1)
        yield series[:, a:b], series[:, a + 1:b + 1, 0]


@torch.no_grad()
def forecast_error(model, series, start, stop):
    """RMSE on [start, stop); the state is warmed up on everything before it."""
    model.eval()
    _, state = model(series[:, :start], None)
    pred, _ = model(series[:, start:stop - 1], state)
    err = pred - series[:, start + 1:stop, 0]
    naive = series[:, start:stop - 1, 0] - series[:, start + 1:stop, 0]
    return err.pow(2).mean().sqrt().item(), naive.pow(2).mean().sqrt().item()


def main():
    torch.manual_seed(8)
    raw = torch.from_numpy(record(8))
    centre = raw[:, :TRAIN_END].mean((0, 1))
    spread = raw[:, :TRAIN_END].std((0, 1))
    series = (raw - centre) / spread

    model = Gauge()
    adam = torch.optim.Adam(model.parameters(), lr=4e-3)
    passes = 12
    n_steps = passes * math.ceil((TRAIN_END - 1) / CHUNK)
    sched = torch.optim.lr_scheduler.LambdaLR(adam, lambda k: min(1.0, k / 30) * 0.5 * (1 + math.cos(math.pi * k / n_steps)))

    for p in range(passes):
        model.train()
        state, losses = None, []
        for x, y in chunks(series, 0, TRAIN_END):
            if state is not None:
                state = tuple(s.detach() for s in state)
            pred, state = model(x, state)
            loss = (pred - y).pow(2).mean()
            model.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            sched.step()
            losses.append(loss.item())
        if p % 2 == 1:
            v, _ = forecast_error(model, series, TRAIN_END, VALID_END)
            print(f"pass {p + 1:2d}: train mse {np.mean(losses):.5f}  valid rmse {v * spread[0]:.4f} m")

    rmse, naive = forecast_error(model, series, VALID_END, HOURS)
    print(f"test rmse {rmse * spread[0]:.4f} m, persistence {naive * spread[0]:.4f} m, skill {1 - (rmse / naive) ** 2:.3f}")


if __name__ == "__main__":
    main()
