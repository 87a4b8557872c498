import sys
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 8
HOURS = 24 * 7 * 26
LOOKBACK, HORIZON = 72, 12
FRACTIONS = (0.7, 0.15)


def load_frame():
    rng = np.random.default_rng(SEED)
    t = pd.date_range("2021-01-04", periods=HOURS, freq="h")
    hour, dow = t.hour.to_numpy(), t.day_of_week.to_numpy()
    ar = np.zeros(HOURS)
    for i in range(1, HOURS):
        ar[i] = 0.93 * ar[i - 1] + rng.normal(0, 1.2)
    daily = 14 * np.exp(-0.5 * ((hour - 18) / 3.0) ** 2) + 8 * np.exp(-0.5 * ((hour - 8) / 2.0) ** 2)
    load = 60 + daily * np.where(dow < 5, 1.0, 0.55) + ar + 0.0012 * np.arange(HOURS)
    return pd.DataFrame({"load": load, "hour": hour, "dow": dow}, index=t)


class Windows(Dataset):
    def __init__(self, values, calendar, start, stop):
        self.v, self.c, self.start, self.n = values, calendar, start, stop - start - LOOKBACK - HORIZON + 1

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        a = self.start + i
        b, c = a + LOOKBACK, a + LOOKBACK + HORIZON
        return self.v[a:b], self.c[b:c], self.v[b:c]


class Forecaster(nn.Module):
    """Linear skip on the recent window + calendar-aware residual MLP."""

    def __init__(self, n_cal, width=96):
        super().__init__()
        self.skip = nn.Linear(LOOKBACK, HORIZON)
        self.body = nn.Sequential(nn.Linear(LOOKBACK + HORIZON * n_cal, width), nn.ReLU(), nn.Dropout(0.1),
                                  nn.Linear(width, width), nn.ReLU(), nn.Linear(width, HORIZON))

    def forward(self, past, cal):
        anchor = past[:, -1:]
        z = past - anchor
        return anchor + self.skip(z) + self.body(torch.cat([z, cal.flatten(1)], 1))


def mae(model, loader, scale):
    model.eval()
    with torch.no_grad():
        e = torch.cat([(model(p, c) - y).abs() for p, c, y in loader])
    return e.mean().item() * scale, (e.mean(0) * scale)


def main():
    torch.manual_seed(SEED)
    df = load_frame()
    i1, i2 = int(FRACTIONS[0] * len(df)), int(sum(FRACTIONS) * len(df))
    mean, std = df["load"].iloc[:i1].mean(), df["load"].iloc[:i1].std()
    values = torch.tensor(((df["load"] - mean) / std).to_numpy(), dtype=torch.float32)
    cal = np.stack([np.sin(2 * np.pi * df.hour / 24), np.cos(2 * np.pi * df.hour / 24),
                    np.sin(4 * np.pi * df.hour / 24), np.cos(4 * np.pi * df.hour / 24), (df.dow >= 5).astype(float)], 1)
    cal = torch.tensor(cal, dtype=torch.float32)
    spans = {"train": (0, i1), "valid": (i1, i2), "test": (i2, len(df))}
    for k, (a, b) in spans.items():
        print(f"{k:>5}: {df.index[a]} .. {df.index[b - 1]}")
    sets = {k: Windows(values, cal, a, b) for k, (a, b) in spans.items()}
    loaders = {k: DataLoader(s, batch_size=64 if k == "train" else 512, shuffle=(k == "train")) for k, s in sets.items()}

    naive_last = torch.cat([(p[:, -1:] - y).abs() for p, _, y in loaders["test"]]).mean().item() * std
    naive_day = torch.cat([(p[:, LOOKBACK - 24:LOOKBACK - 24 + HORIZON] - y).abs() for p, _, y in loaders["test"]]).mean().item() * std

    net = Forecaster(cal.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2, factor=0.4)
    crit = nn.SmoothL1Loss(beta=0.3)
    best, since, snapshot = np.inf, 0, None
    for epoch in range(40):
        net.train()
        acc = []
        for past, c, y in loaders["train"]:
            loss = crit(net(past, c), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            acc.append(loss.item())
        v, _ = mae(net, loaders["valid"], std)
        sched.step(v)
        if v < best:
            best, since = v, 0
            snapshot = {k: p.clone() for k, p in net.state_dict().items()}
        else:
            since += 1
        sys.stdout.write(f"\repoch {epoch:02d} huber {np.mean(acc):.4f} valid MAE {v:.3f} MW" + ("\n" if epoch % 4 == 3 else ""))
        if since >= 7:
            print("\nearly stop")
            break
    net.load_state_dict(snapshot)
    m, per_step = mae(net, loaders["test"], std)
    print(f"\ntest MAE {m:.3f} MW | persistence {naive_last:.3f} | same hour yesterday {naive_day:.3f}")
    print("per horizon:", " ".join(f"{v:.2f}" for v in per_step))


if __name__ == "__main__":
    main()
