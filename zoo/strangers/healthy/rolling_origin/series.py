"""Hourly heat demand of a small district network, and the features that are known when the forecast is made."""
import numpy as np


def make_series(hours, seed):
    rng = np.random.default_rng(seed)
    h = np.arange(hours)
    day, week = 2 * np.pi * h / 24, 2 * np.pi * h / 168
    outside = np.zeros(hours)
    shock = rng.normal(0, 0.35, hours)
    for k in range(1, hours):
        outside[k] = 0.99 * outside[k - 1] + shock[k]
    season = 6 * np.cos(2 * np.pi * h / 8760)
    temperature = 8 - season + 3 * np.sin(day - 2.1) + outside
    workday = ((h // 24) % 7 < 5).astype(float)
    demand = 210 + 2.4 * np.maximum(18 - temperature, 0) + 28 * np.sin(day - 0.6) * (0.6 + 0.4 * workday) \
        + 10 * np.sin(2 * day) + 6 * np.sin(week)
    noise = rng.normal(0, 4 + 3 * (np.sin(day) > 0), hours)
    return (demand + noise).astype(np.float32)


LAGS = (0, 1, 2, 3, 6, 12, 24, 48, 120, 144)   # counted back from the moment the forecast is issued


def make_table(series, horizon):
    """Row r forecasts hour target[r]; everything in the row was known at hour target[r] - horizon (the clock excepted)."""
    first = max(max(LAGS), 168) + horizon
    target = np.arange(first, len(series))
    now = target - horizon
    cols = [series[now - k] for k in LAGS]
    csum = np.concatenate([[0.0], np.cumsum(series, dtype=np.float64)])
    for w in (24, 168):
        cols.append((csum[now + 1] - csum[now + 1 - w]) / w)
    amounts = np.stack(cols, 1).astype(np.float32)
    hour, dow = target % 24, (target // 24) % 7
    clock = np.stack([np.sin(2 * np.pi * k * hour / 24) for k in (1, 2, 3)] + [np.cos(2 * np.pi * k * hour / 24) for k in (1, 2, 3)]
                     + [np.sin(2 * np.pi * dow / 7), np.cos(2 * np.pi * dow / 7), (dow < 5) * 2.0 - 1.0], 1).astype(np.float32)
    return target, amounts, clock
