"""Feature table for the district load model."""
import numpy as np
import pandas as pd

TARGET = "load_kw"
LAGS = (1, 2, 24)
CALENDAR = ["hour_sin", "hour_cos", "dow_sin", "dow_cos", "weekend"]


def simulate_raw(n_days=60, n_sites=6, seed=0):
    """Hourly load and outdoor temperature per site."""
    rng = np.random.default_rng(seed)
    stamps = pd.date_range("2023-01-02", periods=24 * n_days, freq="h")
    hour, dow = stamps.hour.to_numpy(), stamps.dayofweek.to_numpy()
    frames = []
    for site in range(n_sites):
        base = rng.uniform(60, 140)
        swing = rng.uniform(0.25, 0.45)
        temp = 8 + 7 * np.sin(2 * np.pi * (hour - 9) / 24) + np.cumsum(rng.normal(0, 0.25, len(stamps)))
        daily = 1 + swing * np.sin(2 * np.pi * (hour - 7) / 24) - 0.18 * (dow >= 5)
        wander = np.zeros(len(stamps))
        for t in range(1, len(stamps)):
            wander[t] = 0.9 * wander[t - 1] + rng.normal(0, 0.02)
        load = base * (daily + wander + 0.012 * np.maximum(15 - temp, 0))
        frames.append(pd.DataFrame({"site": site, "time": stamps, "temp_c": temp, TARGET: load}))
    return pd.concat(frames, ignore_index=True)


def add_calendar(df):
    hour, dow = df["time"].dt.hour, df["time"].dt.dayofweek
    df["hour_sin"], df["hour_cos"] = np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)
    df["dow_sin"], df["dow_cos"] = np.sin(2 * np.pi * dow / 7), np.cos(2 * np.pi * dow / 7)
    df["weekend"] = (dow >= 5).astype(float)
    return df


def add_history(df):
    per_site = df.groupby("site")[TARGET]
    names = []
    for lag in LAGS:
        df[f"lag_{lag}"] = per_site.shift(lag)
        names.append(f"lag_{lag}")
    df["mean_24"] = per_site.transform(lambda s: s.shift(1).rolling(24).mean())
    names.append("mean_24")
    return df, names


def build_table(raw):
    """Returns the table in time order and the names of the input columns."""
    df = raw.sort_values(["site", "time"]).reset_index(drop=True)
    df = add_calendar(df)
    df, history = add_history(df)
    df = df.sort_values(["time", "site"]).reset_index(drop=True)
    return df, CALENDAR + ["temp_c"] + history


def time_split(df, train=0.7, val=0.15):
    edges = df["time"].quantile([train, train + val]).tolist()
    return (df[df["time"] < edges[0]],
            df[(df["time"] >= edges[0]) & (df["time"] < edges[1])],
            df[df["time"] >= edges[1]])


class Scaler:
    """Column-wise standardisation with statistics of the training span."""

    def fit(self, frame):
        self.mean, self.std = frame.mean(), frame.std()
        return self

    def __call__(self, frame):
        return ((frame - self.mean) / self.std).to_numpy(dtype=np.float32, copy=True)
