"""Next-hour electricity load from calendar, lags and smoothed history."""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

HORIZON_LABEL = "load_next"


def simulate_grid(hours=24 * 7 * 30, seed=12):
    rng = np.random.default_rng(seed)
    stamp = pd.date_range("2021-01-04", periods=hours, freq="h")
    h, dow = stamp.hour.to_numpy(), stamp.dayofweek.to_numpy()
    daily = 120 * np.sin((h - 7) / 24 * 2 * np.pi) + 60 * np.sin((h - 2) / 12 * 2 * np.pi)
    weekend = np.where(dow >= 5, -90.0, 0.0)
    temp = 8 * np.sin(np.arange(hours) / (24 * 365) * 2 * np.pi) + rng.normal(0, 0.4, hours).cumsum() * 0.05
    ar = np.zeros(hours)
    for i in range(1, hours):
        ar[i] = 0.8 * ar[i - 1] + rng.normal(0, 28)
    load = 900 + daily + weekend - 4 * temp + ar
    return pd.DataFrame({"load": load, "temp": temp, "hour": h, "dow": dow}, index=stamp)


def build_features(df):
    out = pd.DataFrame(index=df.index)
    nxt = (df["hour"] + 1) % 24
    for k in (1, 2):
        out[f"sin{k}"] = np.sin(2 * np.pi * k * nxt / 24)
        out[f"cos{k}"] = np.cos(2 * np.pi * k * nxt / 24)
    out["weekend"] = (df["dow"] >= 5).astype(float)
    out["temp"] = df["temp"]
    for lag in (0, 1, 2, 23, 24, 167):
        out[f"lag{lag}"] = df["load"].shift(lag)
    out["smooth5"] = df["load"].rolling(5, center=True).mean()
    out["smooth24"] = df["load"].rolling(24).mean()
    out[HORIZON_LABEL] = df["load"].shift(-1)
    return out.dropna()


class Forecaster(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.linear = nn.Linear(n_in, 1)
        self.deep = nn.Sequential(nn.Linear(n_in, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))

    def forward(self, x):
        return (self.linear(x) + self.deep(x)).squeeze(-1)


def main():
    torch.manual_seed(12)
    table = build_features(simulate_grid())
    n = len(table)
    a, b = int(0.7 * n), int(0.85 * n)
    cols = [c for c in table.columns if c != HORIZON_LABEL]
    mu, sd = table.iloc[:a].mean(), table.iloc[:a].std()
    scaled = (table - mu) / sd
    as_tensor = lambda frame: torch.tensor(frame.to_numpy(), dtype=torch.float32)
    pieces = {k: (as_tensor(scaled[cols].iloc[s]), as_tensor(scaled[HORIZON_LABEL].iloc[s]))
              for k, s in {"train": slice(0, a), "valid": slice(a, b), "test": slice(b, n)}.items()}
    unit = float(sd[HORIZON_LABEL])
    persistence = float((table["lag0"] - table[HORIZON_LABEL]).iloc[b:].abs().mean())
    print(f"rows {n}  features {len(cols)}  persistence MAE on test {persistence:.1f} MW")

    model = Forecaster(len(cols))
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.4)
    x, y = pieces["train"]
    best, best_state = float("inf"), None
    for epoch in range(1, 31):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(x)).split(64):
            loss = nn.functional.huber_loss(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        model.eval()
        with torch.no_grad():
            vmae = (model(pieces["valid"][0]) - pieces["valid"][1]).abs().mean().item() * unit
        if vmae < best:
            best, best_state = vmae, {k: v.clone() for k, v in model.state_dict().items()}
        if epoch % 3 == 0:
            print(f"epoch {epoch:2d}: huber {tot / len(x):.5f}  valid MAE {vmae:.2f} MW")
    model.load_state_dict(best_state)
    with torch.no_grad():
        tx, ty = pieces["test"]
        err = (model(tx) - ty) * unit
    print(f"test MAE {err.abs().mean():.2f} MW, RMSE {err.pow(2).mean().sqrt():.2f} MW, "
          f"skill over persistence {1 - err.abs().mean().item() / persistence:.1%}")


if __name__ == "__main__":
    main()
