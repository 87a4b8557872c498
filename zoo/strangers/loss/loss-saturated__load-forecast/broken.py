"""Day-ahead forecast of household load: 48 hours in, the next 24 hours out."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CONTEXT, HORIZON = 48, 24
HOUSES, HOURS = 12, 24 * 70


def simulate_loads(rng):
    hour = np.arange(HOURS)
    rows = []
    for _ in range(HOUSES):
        level = rng.uniform(0.8, 3.0)
        peak = rng.uniform(17, 21)
        day = np.exp(-0.5 * ((hour % 24 - peak) / 2.5) ** 2) + 0.6 * np.exp(-0.5 * ((hour % 24 - 7.5) / 1.5) ** 2)
        weekend = 1.0 + 0.25 * ((hour // 24) % 7 >= 5)
        drift = np.cumsum(rng.normal(scale=0.002, size=HOURS))
        load = level * (0.3 + day * weekend) * np.exp(drift - drift.mean()) + 0.08 * level * rng.normal(size=HOURS)
        spikes = rng.random(HOURS) < 0.004
        load[spikes] += level * rng.uniform(3, 8, size=spikes.sum())
        rows.append(load)
    return np.stack(rows).astype(np.float32)


def cut_windows(series, stride):
    xs, ys = [], []
    for row in series:
        for s in range(0, len(row) - CONTEXT - HORIZON + 1, stride):
            xs.append(row[s:s + CONTEXT])
            ys.append(row[s + CONTEXT:s + CONTEXT + HORIZON])
    return torch.tensor(np.array(xs)), torch.tensor(np.array(ys))


def prepare(rng):
    loads = simulate_loads(rng)
    a, b = 24 * 48, 24 * 58
    mean = loads[:, :a].mean(axis=1, keepdims=True)
    std = loads[:, :a].std(axis=1, keepdims=True)
    scaled = (loads - mean) / std
    return cut_windows(scaled[:, :a], 5), cut_windows(scaled[:, a:b], 7), cut_windows(scaled[:, b:], 7)


class Forecaster(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.encoder = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 64), nn.ReLU(), nn.Linear(64, HORIZON))

    def forward(self, x):
        _, h = self.encoder(x.unsqueeze(-1))
        return self.head(h[-1])


def window_loss(pred, target, cap=2.0):
    """Squared error, bounded so that a faulty meter reading cannot dominate a batch."""
    err = (pred - target).pow(2).sum(dim=1)
    return err.clamp(max=cap).mean()


@torch.no_grad()
def mean_abs_error(model, x, y):
    model.eval()
    return F.l1_loss(model(x), y).item()


def train(model, data, val, epochs, batch_size, lr):
    x, y = data
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.85)
    for epoch in range(epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(x)).split(batch_size):
            optimizer.zero_grad()
            loss = window_loss(model(x[idx]), y[idx])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            losses.append(loss.item() * len(idx))
        scheduler.step()
        print(f"epoch {epoch:2d}: train loss {sum(losses) / len(x):.4f}, val mae {mean_abs_error(model, *val):.4f}")


def main():
    torch.manual_seed(4)
    rng = np.random.default_rng(4)
    train_set, val_set, test_set = prepare(rng)
    print("windows:", len(train_set[0]), len(val_set[0]), len(test_set[0]))
    model = Forecaster()
    train(model, train_set, val_set, epochs=16, batch_size=48, lr=8e-3)
    x, y = test_set
    naive = F.l1_loss(x[:, -24:], y).item()
    print(f"test mae {mean_abs_error(model, x, y):.4f} (yesterday's profile: {naive:.4f})")


if __name__ == "__main__":
    main()
