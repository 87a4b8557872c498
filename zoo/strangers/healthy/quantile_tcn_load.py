"""Probabilistic forecast of hourly load: a causal dilated convolution predicts three quantiles of the next hour.

Split by time (the past trains, the future tests, no window crosses a cut), scaled by the training period alone.
Pinball loss has a floor set by the noise; the floor for the true quantiles is printed. The 'naive' line is yesterday.
"""
import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

QUANTILES = torch.tensor([0.1, 0.5, 0.9])
WINDOW, BATCH = 40, 128


def make_frame(n=6000, seed=14):
    rng = np.random.default_rng(seed)
    stamp = pd.date_range("2022-01-01", periods=n, freq="h")
    hour, day = stamp.hour.to_numpy(), stamp.day_of_week.to_numpy()
    shape = 8 * np.sin(2 * np.pi * (hour - 7) / 24) + 3 * np.sin(4 * np.pi * (hour - 3) / 24)
    weekend = np.where(day >= 5, -4.0, 0.0)
    scale = 1.0 + 0.8 * (hour >= 8) * (hour <= 20)
    slow = np.zeros(n)
    for t in range(1, n):
        slow[t] = 0.9 * slow[t - 1] + rng.normal(scale=0.6) * scale[t]
    load = 50 + shape + weekend + slow
    return pd.DataFrame({"load": load, "sin": np.sin(2 * np.pi * hour / 24), "cos": np.cos(2 * np.pi * hour / 24),
                         "weekend": (day >= 5).astype(float), "spread": 0.6 * scale}, index=stamp)


class Windows(Dataset):
    """40 hours of (load, calendar of the hour that follows) -> load at the hour that follows."""

    def __init__(self, frame, mean, std):
        load = torch.tensor((frame["load"].to_numpy() - mean) / std, dtype=torch.float32)
        cal = torch.tensor(frame[["sin", "cos", "weekend"]].to_numpy(), dtype=torch.float32)
        self.inputs = torch.cat([load[:-1, None], cal[1:]], 1).T   # column t holds load[t] and calendar[t+1]
        self.target = load[1:]

    def __len__(self):
        return self.inputs.shape[1] - WINDOW + 1

    def __getitem__(self, i):
        return self.inputs[:, i:i + WINDOW], self.target[i + WINDOW - 1]


class CausalTCN(nn.Module):
    def __init__(self, channels=20):
        super().__init__()
        self.inp = nn.Conv1d(4, channels, 1)
        self.convs = nn.ModuleList(nn.Conv1d(channels, channels, 2, dilation=2 ** k) for k in range(4))
        self.head = nn.Linear(channels, 3)

    def forward(self, x):
        h = self.inp(x)
        for k, conv in enumerate(self.convs):
            h = h + F.relu(conv(F.pad(h, (2 ** k, 0))))
        base, lo, hi = self.head(h[:, :, -1]).unbind(1)
        base = base + x[:, 0, -1]                                     # last observed load, as a skip connection
        return torch.stack([base - F.softplus(lo - 1), base, base + F.softplus(hi - 1)], 1)  # ordered quantiles


def pinball(pred, target):
    err = target[:, None] - pred
    return torch.maximum(QUANTILES * err, (QUANTILES - 1) * err).mean()


@torch.no_grad()
def assess(model, loader):
    model.eval()
    pred, true = zip(*[(model(x), y) for x, y in loader])
    pred, true = torch.cat(pred), torch.cat(true)
    inside = ((true > pred[:, 0]) & (true < pred[:, 2])).float().mean().item()
    return pinball(pred, true).item(), inside


def main():
    torch.manual_seed(14)
    frame = make_frame()
    cuts = frame.iloc[:4200], frame.iloc[4200:5000], frame.iloc[5000:]
    mean, std = cuts[0]["load"].mean(), cuts[0]["load"].std()
    train, val, test = (Windows(c, mean, std) for c in cuts)
    train_loader = DataLoader(train, BATCH, shuffle=True, generator=torch.Generator().manual_seed(1))
    val_loader, test_loader = DataLoader(val, 400), DataLoader(test, 400)
    model = CausalTCN()
    opt = torch.optim.RAdam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=4, gamma=0.3)
    for epoch in range(13):
        model.train()
        total = 0.0
        for x, y in train_loader:
            loss = pinball(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        sched.step()
        v, cover = assess(model, val_loader)
        print(f"epoch {epoch:2d} train {total / len(train):.4f} val {v:.4f} 80% band covers {cover:.1%}")
    t, cover = assess(model, test_loader)
    z = torch.distributions.Normal(0, 1).icdf(QUANTILES)
    spread = torch.tensor(cuts[2]["spread"].to_numpy()[WINDOW:], dtype=torch.float32) / std
    floor = pinball(spread[:, None] * z, spread * torch.randn(len(spread))).item()
    day = torch.stack([test.target[:-24]] * 3, 1)
    print(f"final: test pinball {t:.4f} (true quantiles {floor:.4f}, yesterday {pinball(day, test.target[24:]):.4f}), "
          f"80% band covers {cover:.1%}")


if __name__ == "__main__":
    main()
