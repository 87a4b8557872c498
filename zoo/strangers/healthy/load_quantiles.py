"""Day-ahead style load forecast with uncertainty: a small causal TCN that predicts three quantiles.

Time is never shuffled across the splits: the first 70% of the hours train, the next 15% validate, the last
15% test, and windows never straddle a border. (Shuffling the *windows* inside the training part is fine.)
"""
import copy
import csv
import math
import os
import tempfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

CONTEXT, HORIZON, QUANTILES = 48, 12, (0.1, 0.5, 0.9)


def simulate(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    day = 18 * np.sin(2 * np.pi * (t - 7) / 24) + 6 * np.sin(4 * np.pi * t / 24 + 0.6)
    week = np.where((t // 24) % 7 >= 5, -9.0, 0.0)
    ar, noise = np.zeros(hours), rng.normal(size=hours)
    spread = 1.2 + 1.0 * (1 + np.sin(2 * np.pi * (t - 10) / 24))      # afternoons are less certain
    for i in range(1, hours):
        ar[i] = 0.85 * ar[i - 1] + spread[i] * noise[i]
    load = 120 + day + week + ar
    cal = np.stack([np.sin(2 * np.pi * t / 24), np.cos(2 * np.pi * t / 24),
                    np.sin(2 * np.pi * t / 168), np.cos(2 * np.pi * t / 168)])
    return load, cal


class Windows(Dataset):
    """item i: load and calendar of CONTEXT hours (5, CONTEXT), and the next HORIZON loads"""

    def __init__(self, load, cal, mean, std, stride=1):
        self.z = torch.tensor((load - mean) / std, dtype=torch.float32)
        self.cal = torch.tensor(cal, dtype=torch.float32)
        self.starts = range(0, len(load) - CONTEXT - HORIZON + 1, stride)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        s = self.starts[i]
        m = s + CONTEXT
        return torch.cat([self.z[None, s:m], self.cal[:, s:m]]), self.z[m:m + HORIZON]


class CausalConv(nn.Module):
    def __init__(self, cin, cout, k, dilation):
        super().__init__()
        self.pad = (k - 1) * dilation
        self.conv = nn.Conv1d(cin, cout, k, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))


class ResidualTCN(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Conv1d(5, width, 1)
        self.layers = nn.ModuleList([CausalConv(width, width, 3, d) for d in (1, 2, 4, 8, 16)])
        self.drop = nn.Dropout(0.05)
        self.head = nn.Linear(width, HORIZON * len(QUANTILES))

    def forward(self, x):
        h = self.stem(x)
        for layer in self.layers:
            h = h + self.drop(F.relu(layer(h)))
        raw = self.head(h[..., -1]).view(len(x), HORIZON, len(QUANTILES))
        low = raw[..., :1]
        steps = F.softplus(raw[..., 1:])                 # quantiles cannot cross
        return torch.cat([low, low + steps.cumsum(-1)], dim=-1)


def pinball(pred, target):
    q = torch.tensor(QUANTILES)
    err = target.unsqueeze(-1) - pred                    # (B, H, 1) against (B, H, Q)
    return torch.maximum(q * err, (q - 1) * err).mean()


def train_one_epoch(net, loader, opt):
    net.train()
    total = count = 0
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = pinball(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
        count += len(x)
    return total / count


@torch.no_grad()
def collect(net, loader):
    net.eval()
    out = [(net(x), y) for x, y in loader]
    return torch.cat([p for p, _ in out]), torch.cat([y for _, y in out])


def main():
    torch.manual_seed(0)
    load, cal = simulate(9000, seed=0)
    a, b = int(0.70 * len(load)), int(0.85 * len(load))
    mean, std = load[:a].mean(), load[:a].std()
    train = Windows(load[:a], cal[:, :a], mean, std)
    val = Windows(load[a:b], cal[:, a:b], mean, std)
    test = Windows(load[b:], cal[:, b:], mean, std)
    train_dl = DataLoader(train, batch_size=128, shuffle=True)
    val_dl, test_dl = DataLoader(val, batch_size=512), DataLoader(test, batch_size=512)
    print(f"windows: train {len(train)}  val {len(val)}  test {len(test)}; load {mean:.1f} +- {std:.1f} MW")

    net = ResidualTCN()
    epochs, lr = 10, 4e-3
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs, eta_min=lr / 20)
    best, best_weights = math.inf, None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "history.csv")
        with open(path, "w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow(["epoch", "lr", "train", "val"])
            for epoch in range(1, epochs + 1):
                used = opt.param_groups[0]["lr"]
                tr = train_one_epoch(net, train_dl, opt)
                va = pinball(*collect(net, val_dl)).item()
                sched.step()
                writer.writerow([epoch, used, tr, va])
                print(f"[{epoch:02d}/{epochs}] lr {used:.2e}  train pinball {tr:.4f}  val pinball {va:.4f}")
                if va < best:
                    best, best_weights = va, copy.deepcopy(net.state_dict())
        with open(path) as f:
            print(f"history: {sum(1 for _ in f) - 1} rows")

    net.load_state_dict(best_weights)
    pred, y = collect(net, test_dl)
    inside = ((y >= pred[..., 0]) & (y <= pred[..., 2])).float().mean().item()
    mae = (pred[..., 1] - y).abs().mean().item() * std
    naive = np.mean([np.abs(load[b + s + CONTEXT - 24:b + s + CONTEXT - 24 + HORIZON]
                            - load[b + s + CONTEXT:b + s + CONTEXT + HORIZON]).mean() for s in test.starts])
    print(f"test: pinball {pinball(pred, y).item():.4f}  MAE {mae:.2f} MW (same hour yesterday: {naive:.2f})  "
          f"80% band covers {100 * inside:.1f}%")


if __name__ == "__main__":
    main()
