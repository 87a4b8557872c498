# Temporal convolutional network: one-step-ahead training, free-running forecast of a power-load series.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = dict(
    seed=5,
    data=dict(steps=6000, train_frac=0.75, window=72),
    model=dict(channels=16, kernel=3, dilations=[1, 2, 4, 8]),
    optim=dict(lr=3e-3, steps=300, batch=24),
    forecast=dict(horizon=12, starts=60),
)


def load_series(n, rng):
    t = np.arange(n)
    daily = np.sin(2 * np.pi * t / 24) + 0.4 * np.sin(4 * np.pi * t / 24 + 0.7)
    weekly = 0.5 * np.sin(2 * np.pi * t / 168)
    ar = np.zeros(n)
    for i in range(2, n):
        ar[i] = 0.5 * ar[i - 1] + 0.2 * ar[i - 2] + 0.3 * rng.standard_normal()
    return (50 + 9 * (daily + weekly + ar)).astype(np.float32)


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(c_in, c_out, kernel, dilation=dilation)
        self.mix = nn.Conv1d(c_out, c_out, 1)
        self.skip = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x):
        h = F.pad(x, (self.pad // 2, self.pad - self.pad // 2))
        h = F.gelu(self.conv(h))
        return self.skip(x) + self.mix(h)


class TCN(nn.Module):
    def __init__(self, channels, kernel, dilations):
        super().__init__()
        widths = [1] + [channels] * len(dilations)
        self.blocks = nn.Sequential(*[ConvBlock(a, b, kernel, d) for a, b, d in zip(widths, widths[1:], dilations)])
        self.head = nn.Conv1d(channels, 1, 1)

    def forward(self, x):                      # (B, T) -> (B, T): estimate of the following value
        return self.head(F.gelu(self.blocks(x.unsqueeze(1)))).squeeze(1)


def windows(series, length, starts):
    idx = starts[:, None] + torch.arange(length + 1)
    w = series[idx]
    return w[:, :-1], w[:, 1:]


@torch.no_grad()
def one_step_rmse(model, series, length):
    starts = torch.arange(0, len(series) - length - 1, length // 2)
    x, y = windows(series, length, starts)
    return F.mse_loss(model(x)[:, length // 2:], y[:, length // 2:]).sqrt().item()


@torch.no_grad()
def rollout_rmse(model, series, length, horizon, n):
    starts = torch.linspace(0, len(series) - length - horizon - 1, n).long()
    ctx = series[starts[:, None] + torch.arange(length)]
    truth = series[starts[:, None] + length + torch.arange(horizon)]
    for _ in range(horizon):
        nxt = model(ctx[:, -length:])[:, -1:]
        ctx = torch.cat([ctx, nxt], dim=1)
    naive = series[starts[:, None] + length - 24 + torch.arange(horizon)]
    return (ctx[:, -horizon:] - truth).pow(2).mean().sqrt().item(), (naive - truth).pow(2).mean().sqrt().item()


torch.manual_seed(CFG["seed"])
raw = load_series(CFG["data"]["steps"], np.random.default_rng(CFG["seed"]))
cut = int(len(raw) * CFG["data"]["train_frac"])
mean, std = raw[:cut].mean(), raw[:cut].std()
series = torch.from_numpy((raw - mean) / std)
train, test = series[:cut], series[cut:]

L = CFG["data"]["window"]
model = TCN(**CFG["model"])
opt = torch.optim.Adam(model.parameters(), lr=CFG["optim"]["lr"])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, CFG["optim"]["steps"])
running = None
for step in range(1, CFG["optim"]["steps"] + 1):
    starts = torch.randint(0, len(train) - L - 1, (CFG["optim"]["batch"],))
    x, y = windows(train, L, starts)
    loss = F.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    running = loss.item() if running is None else 0.95 * running + 0.05 * loss.item()
    if step % 50 == 0:
        print(f"step {step:4d}  train mse {running:.4f}  test one-step rmse {one_step_rmse(model, test, L):.4f}")

h = CFG["forecast"]["horizon"]
model_rmse, naive_rmse = rollout_rmse(model, test, L, h, CFG["forecast"]["starts"])
print(f"{h}-step free-running forecast rmse: model {model_rmse:.3f}, seasonal naive {naive_rmse:.3f} (std units)")
