"""Next-hour load forecast for a distribution grid.

Feature table with pandas, plain MLP, split by date.
Two reports at the end: MAE over the test table, and MAE in replay, where the
forecaster is called hour by hour the way operations calls it.
"""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn

SEED = 17
LAGS = (1, 2, 3, 24, 25, 168)


def load_history(hours=24 * 7 * 30):
    rng = np.random.default_rng(SEED)
    idx = pd.date_range("2023-01-02", periods=hours, freq="h")
    hod, dow = idx.hour.to_numpy(), idx.day_of_week.to_numpy()
    temp = 12 - 9 * np.cos(2 * np.pi * idx.day_of_year.to_numpy() / 365) + 4 * np.sin(2 * np.pi * (hod - 9) / 24)
    drift = np.zeros(hours)
    for t in range(1, hours):
        drift[t] = 0.97 * drift[t - 1] + rng.normal(0, 0.7)
    temp = temp + drift
    base = 410 + 70 * np.sin(2 * np.pi * (hod - 8) / 24) + 30 * np.sin(4 * np.pi * (hod - 3) / 24)
    base = base * np.where(dow >= 5, 0.86, 1.0) + 4.2 * np.abs(temp - 16)
    ar = np.zeros(hours)
    for t in range(1, hours):
        ar[t] = 0.8 * ar[t - 1] + rng.normal(0, 7)
    return pd.DataFrame({"load": base + ar, "temp": temp}, index=idx)


def features(hist):
    """Rows of inputs for every hour of `hist`; 'load' itself is the target column."""
    f = pd.DataFrame(index=hist.index)
    for k in LAGS:
        f[f"load_lag{k}"] = hist["load"].shift(k)
    f["ramp_1h"] = hist["load"].diff()
    f["ramp_day"] = hist["load"].shift(1) - hist["load"].shift(25)
    f["mean_24h"] = hist["load"].shift(1).rolling(24).mean()
    f["temp"] = hist["temp"]
    f["temp_dev"] = (hist["temp"] - 16).abs()
    hod = 2 * np.pi * hist.index.hour / 24
    f["hod_sin"], f["hod_cos"] = np.sin(hod), np.cos(hod)
    f["hod_sin2"], f["hod_cos2"] = np.sin(2 * hod), np.cos(2 * hod)
    f["weekend"] = (hist.index.day_of_week >= 5).astype(float)
    return f


class Forecaster:
    def __init__(self, n_in):
        self.net = nn.Sequential(nn.Linear(n_in, 64), nn.SiLU(), nn.Linear(64, 32), nn.SiLU(), nn.Linear(32, 1))

    def fit(self, x, y, epochs=25, batch=128, lr=2e-3):
        self.xm, self.xs = x.mean(), x.std()
        self.ym, self.ys = y.mean(), y.std()
        xt = torch.tensor(((x - self.xm) / self.xs).to_numpy(), dtype=torch.float32)
        yt = torch.tensor(((y - self.ym) / self.ys).to_numpy(), dtype=torch.float32)
        opt = torch.optim.AdamW(self.net.parameters(), lr=lr, weight_decay=1e-4)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
        for e in range(epochs):
            tot = 0.0
            for idx in torch.randperm(len(xt)).split(batch):
                loss = nn.functional.smooth_l1_loss(self.net(xt[idx])[:, 0], yt[idx])
                opt.zero_grad()
                loss.backward()
                opt.step()
                tot += loss.item() * len(idx)
            sched.step()
            if e % 5 == 0 or e == epochs - 1:
                print(f"  epoch {e:2d} loss {tot / len(xt):.5f} lr {sched.get_last_lr()[0]:.1e}")

    @torch.no_grad()
    def predict(self, x):
        z = ((x - self.xm) / self.xs).fillna(0.0)
        out = self.net(torch.tensor(z.to_numpy(), dtype=torch.float32))[:, 0].numpy()
        return out * self.ys + self.ym


def replay(model, hist, hours):
    """Forecast each hour with its load still unknown (the weather forecast is known)."""
    errors = []
    for when in hours:
        window = hist.loc[when - pd.Timedelta(hours=200):when].copy()
        actual = window.loc[when, "load"]
        window.loc[when, "load"] = np.nan
        errors.append(abs(model.predict(features(window).iloc[[-1]])[0] - actual))
    return float(np.mean(errors))


def main():
    torch.manual_seed(SEED)
    hist = load_history()
    table = features(hist).join(hist["load"]).dropna()
    cut = table.index[int(0.8 * len(table))]
    train, test = table[table.index < cut], table[table.index >= cut]
    x_cols = [c for c in table.columns if c != "load"]
    print(f"{len(train)} training hours, {len(test)} test hours from {cut:%Y-%m-%d}, {len(x_cols)} features")

    model = Forecaster(len(x_cols))
    model.fit(train[x_cols], train["load"])

    mae = (model.predict(test[x_cols]) - test["load"]).abs().mean()
    persistence = (test["load_lag1"] - test["load"]).abs().mean()
    print(f"test MAE {mae:.2f} MW   (persistence {persistence:.2f} MW)")
    print(f"replay MAE {replay(model, hist, test.index[::4]):.2f} MW")


if __name__ == "__main__":
    main()
