"""Synthetic store sales and the feature table built from them."""
import numpy as np
import pandas as pd


def simulate_sales(n_stores=40, n_days=420, seed=0):
    rng = np.random.default_rng(seed)
    frames = []
    dates = pd.date_range("2022-01-03", periods=n_days, freq="D")
    dow_effect = np.array([-0.15, -0.1, -0.05, 0.0, 0.2, 0.45, 0.1])
    for store in range(n_stores):
        level = rng.normal(4.0, 0.3)
        drift = np.cumsum(rng.normal(0, 0.025, n_days))
        promo = (rng.random(n_days) < 0.12).astype(int)
        price = 1.0 - 0.2 * promo + rng.normal(0, 0.02, n_days)
        season = 0.2 * np.sin(2 * np.pi * np.arange(n_days) / 365 + rng.uniform(0, 6))
        log_units = (level + drift + season + dow_effect[dates.dayofweek]
                     + 0.5 * promo + rng.normal(0, 0.28, n_days))
        frames.append(pd.DataFrame({
            "store": store, "date": dates, "promo": promo, "price": price,
            "units": np.round(np.exp(log_units)),
        }))
    return pd.concat(frames, ignore_index=True)


def add_history(df):
    """Lags and moving statistics of log sales, per store."""
    df = df.sort_values(["store", "date"]).copy()
    df["y"] = np.log1p(df["units"])
    by_store = df.groupby("store")["y"]
    for lag in (1, 2, 7, 14):
        df[f"lag_{lag}"] = by_store.shift(lag)
    for window in (3, 7, 28):
        df[f"avg_{window}"] = by_store.transform(lambda s: s.rolling(window).mean())
    df["std_28"] = by_store.transform(lambda s: s.shift(1).rolling(28).std())
    return df.dropna().reset_index(drop=True)


def add_calendar(df):
    df = df.copy()
    angle = 2 * np.pi * df["date"].dt.dayofyear / 365.25
    df["doy_sin"], df["doy_cos"] = np.sin(angle), np.cos(angle)
    df["dow"] = df["date"].dt.dayofweek
    return df


NUMERIC = ["promo", "price", "lag_1", "lag_2", "lag_7", "lag_14",
           "avg_3", "avg_7", "avg_28", "std_28", "doy_sin", "doy_cos"]


def build_table(seed=0):
    return add_calendar(add_history(simulate_sales(seed=seed)))
