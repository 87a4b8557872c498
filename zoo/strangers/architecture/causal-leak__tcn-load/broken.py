"""One-step-ahead forecasting of a power-load-like signal with a dilated TCN.

Reports the teacher-forced validation error at every position, and a backtest where
the forecast for the last hour is made from the history alone.
"""
import numpy as np
import torch
import torch.nn as nn

WINDOW = 96
torch.manual_seed(21)
rng = np.random.default_rng(21)


def simulate(n):
    t = np.arange(n)
    day = np.sin(2 * np.pi * t / 24) + 0.4 * np.sin(2 * np.pi * t / 12 + 0.7)
    week = 0.5 * np.sin(2 * np.pi * t / 168)
    ar = np.zeros(n)
    for i in range(2, n):
        ar[i] = 1.1 * ar[i - 1] - 0.35 * ar[i - 2] + 0.35 * rng.normal()
    return (day + week + ar).astype(np.float32)


series = simulate(6000)
cut_val, cut_test = 4200, 5100
mu, sd = series[:cut_val].mean(), series[:cut_val].std()
series = torch.from_numpy((series - mu) / sd)


def windows(lo, hi, stride):
    seg = series[lo:hi].unfold(0, WINDOW + 1, stride)
    return seg[:, None, :-1].contiguous(), seg[:, None, 1:].contiguous()


class TemporalBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(c_in, c_out, kernel, padding=self.pad, dilation=dilation)
        self.mix = nn.Conv1d(c_out, c_out, 1)
        self.skip = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else nn.Identity()
        self.act = nn.GELU()

    def forward(self, x):
        y = self.conv(x)[..., self.pad:]
        y = self.mix(self.act(y))
        return self.act(y + self.skip(x))


class TCN(nn.Module):
    def __init__(self, channels=(24, 24, 24, 24), kernel=3):
        super().__init__()
        blocks, prev = [], 1
        for i, c in enumerate(channels):
            blocks.append(TemporalBlock(prev, c, kernel, 2 ** i))
            prev = c
        self.net = nn.Sequential(*blocks, nn.Conv1d(prev, 1, 1))

    def forward(self, x):
        return self.net(x)


def mse_on(model, x, y):
    model.eval()
    with torch.inference_mode():
        return torch.nn.functional.mse_loss(model(x), y).item()


def backtest(model, lo, hi):
    """Error of the forecast for the hour after each window."""
    x, y = windows(lo, hi, 1)
    model.eval()
    with torch.inference_mode():
        pred = model(x)[:, 0, -1]
    return ((pred - y[:, 0, -1]) ** 2).mean().item()


x_tr, y_tr = windows(0, cut_val, 8)
x_va, y_va = windows(cut_val, cut_test, 24)
model = TCN()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
epochs = 14
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
print(f"{len(x_tr)} training windows, persistence mse {((x_va - y_va) ** 2).mean():.4f}")
for ep in range(epochs):
    model.train()
    for idx in torch.randperm(len(x_tr)).split(32):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x_tr[idx]), y_tr[idx])
        loss.backward()
        opt.step()
    sched.step()
    print(f"ep {ep + 1:2d} train {loss.item():.4f} val {mse_on(model, x_va, y_va):.4f}")
print(f"backtest, next-hour mse {backtest(model, cut_test, len(series)):.4f}")
