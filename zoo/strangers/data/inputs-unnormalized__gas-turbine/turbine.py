import numpy as np
import pandas as pd

SENSORS = ["ambient_K", "ambient_Pa", "humidity", "inlet_dp_Pa", "shaft_rpm", "fuel_kg_s", "exhaust_K"]


def read_runs(n, seed):
    """steady-state points of a gas turbine, with a few dropped readings"""
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "ambient_K": rng.normal(291, 7, n),
        "ambient_Pa": rng.normal(101300, 800, n),
        "humidity": rng.uniform(0.3, 0.95, n),
        "inlet_dp_Pa": rng.normal(360, 70, n),
        "shaft_rpm": rng.normal(11000, 260, n),
        "fuel_kg_s": rng.normal(1.9, 0.22, n),
        "exhaust_K": rng.normal(815, 14, n),
    })
    u = (df.fuel_kg_s - 1.9) / 0.22
    v = (df.ambient_K - 291) / 7
    w = (df.shaft_rpm - 11000) / 260
    e = (df.exhaust_K - 815) / 14
    q = (df.ambient_Pa - 101300) / 800
    nox = 62 + 9 * u + 4 * u * e - 5 * v + 3 * np.sin(2 * w) - 4 * (df.humidity - 0.6) * 5 + 2 * q
    df["nox"] = nox + rng.normal(0, 1.5, n)
    for c in SENSORS:
        df.loc[rng.random(n) < 0.01, c] = np.nan
    return df
