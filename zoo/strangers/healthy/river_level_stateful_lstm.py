"""Next-hour river level with a stateful LSTM: many gauges run side by side, the state is carried from chunk to chunk."""
import argparse

import numpy as np
import torch
from torch import nn

GAUGES, HOURS, CHUNK = 32, 2000, 40


def simulate(seed):
    rng = np.random.default_rng(seed)
    rain = rng.gamma(2.0, 0.5, size=(GAUGES, HOURS)) * (rng.random((GAUGES, HOURS)) < 0.2)
    fast, slow = np.zeros(GAUGES), np.zeros(GAUGES)
    level = np.zeros((GAUGES, HOURS))
    for t in range(HOURS):
        fast = 0.80 * fast + 0.5 * rain[:, t]
        slow = 0.985 * slow + 0.05 * rain[:, t]
        level[:, t] = fast + slow + 0.1 * rng.normal(size=GAUGES)
    return np.stack([rain, level], axis=-1).astype(np.float32)


class LevelNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(2, hidden, batch_first=True)
        self.delta = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        h, state = self.lstm(x, state)
        return x[..., 1] + self.delta(h).squeeze(-1), state


def chunks(series):
    """Consecutive pieces in time order: inputs at t, the level at t + 1."""
    for s in range(0, series.shape[1] - 1, CHUNK):
        e = min(s + CHUNK, series.shape[1] - 1)
        yield series[:, s:e], series[:, s + 1:e + 1, 1]


def evaluate(model, warm, series):
    model.eval()
    with torch.no_grad():
        _, state = model(warm)
        pred, _ = model(series[:, :-1], state)
    target = series[:, 1:, 1]
    return nn.functional.mse_loss(pred, target).item(), nn.functional.mse_loss(series[:, :-1, 1], target).item()


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=6)
    a = ap.parse_args()
    torch.manual_seed(a.seed)

    data = simulate(a.seed)
    n_train, n_val = 1400, 1650
    mean, std = data[:, :n_train].mean((0, 1)), data[:, :n_train].std((0, 1))
    data = torch.from_numpy((data - mean) / std)
    train, val, test = data[:, :n_train], data[:, n_train:n_val], data[:, n_val:]

    model = LevelNet()
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs, eta_min=a.lr / 20)
    for epoch in range(a.epochs):
        model.train()
        state, total, count = None, 0.0, 0
        for x, y in chunks(train):
            pred, state = model(x, state)
            state = tuple(s.detach() for s in state)
            loss = nn.functional.mse_loss(pred, y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item() * y.numel()
            count += y.numel()
        sched.step()
        val_mse, _ = evaluate(model, train[:, -200:], val)
        print(f"epoch {epoch:2d}  train {total / count:.4f}  val {val_mse:.4f}")
    mse, naive = evaluate(model, val[:, -200:], test)
    print(f"test mse {mse:.4f}, persistence {naive:.4f}, skill {1 - mse / naive:.3f}")


if __name__ == "__main__":
    main()
