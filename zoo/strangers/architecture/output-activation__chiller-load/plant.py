"""Simulated chiller plant log: one row per 15 minute interval, independent operating points."""
import numpy as np
import pandas as pd

FEATURES = ["t_out", "rh", "t_supply", "flow", "occupancy", "solar"]
TARGET = "net_kw"


def load_log(n=8000, seed=3):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "t_out": rng.normal(22, 7, n),
        "rh": rng.uniform(25, 95, n),
        "t_supply": rng.normal(7, 1.2, n),
        "flow": rng.gamma(9, 5, n),
        "occupancy": rng.integers(0, 400, n),
        "solar": np.clip(rng.normal(350, 250, n), 0, None),
    })
    enthalpy = df.t_out * (1 + 0.004 * (df.rh - 50))
    cooling = 4.2 * enthalpy + 0.09 * df.occupancy + 0.6 * df.flow * (9 - df.t_supply) * 0.2
    df[TARGET] = cooling - 0.16 * df.solar * (1 + 0.01 * df.t_out) + rng.normal(0, 5, n)
    return df
