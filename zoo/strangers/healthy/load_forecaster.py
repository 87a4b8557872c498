# %% Electricity-like load: predict the next 12 hours from the last 72
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(7)
torch.manual_seed(7)

T, CONTEXT, HORIZON = 5000, 72, 12
t = np.arange(T)
noise = np.zeros(T)
for k in range(1, T):
    noise[k] = 0.85 * noise[k - 1] + rng.normal(0, 1.2)
weekend = (t // 24) % 7 >= 5
series = 100 + 18 * np.sin(2 * np.pi * (t - 8) / 24) * np.where(weekend, 0.6, 1.0) \
    + 6 * np.sin(4 * np.pi * t / 24) - 8 * weekend + noise
series = series.astype(np.float32)

# %% chronological split, windows never cross a boundary
cut1, cut2 = int(0.7 * T), int(0.85 * T)
mean, std = series[:cut1].mean(), series[:cut1].std()


def windows(segment):
    z = torch.from_numpy((segment - mean) / std)
    w = z.unfold(0, CONTEXT + HORIZON, 1)
    return w[:, :CONTEXT].contiguous(), w[:, CONTEXT:].contiguous()


train_x, train_y = windows(series[:cut1])
val_x, val_y = windows(series[cut1:cut2])
test_x, test_y = windows(series[cut2:])
print("windows", len(train_x), len(val_x), len(test_x))


# %% model: linear shortcut plus a small nonlinear correction
class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(CONTEXT, HORIZON)
        self.mlp = nn.Sequential(nn.Linear(CONTEXT, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, HORIZON))

    def forward(self, x):
        last = x[:, -1:]
        centred = x - last
        return last + self.linear(centred) + self.mlp(centred)


model = Forecaster()
loss_fn = nn.SmoothL1Loss()
EPOCHS, BATCH = 25, 64
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
steps_per_epoch = -(-len(train_x) // BATCH)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=EPOCHS * steps_per_epoch)


def mae(x, y):
    model.eval()
    with torch.no_grad():
        return (model(x) - y).abs().mean().item() * std


# %% fit
for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(train_x)).split(BATCH):
        opt.zero_grad()
        loss = loss_fn(model(train_x[idx]), train_y[idx])
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() * len(idx)
    if epoch % 4 == 0 or epoch == EPOCHS - 1:
        print(f"epoch {epoch:2d} train loss {total / len(train_x):.4f} val MAE {mae(val_x, val_y):.3f}")

# %% compare with seasonal naive
naive = (test_x[:, -24:-24 + HORIZON] - test_y).abs().mean().item() * std
print(f"test MAE {mae(test_x, test_y):.3f}   seasonal naive {naive:.3f}")
