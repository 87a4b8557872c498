"""Simulated audit of dwellings: envelope figures and yearly heating demand (kWh/m2)."""
import numpy as np

FEATURES = ["u_wall", "u_window", "glazing", "compactness", "air_changes", "setpoint", "degree_days", "attic"]


def audit(n, rng):
    u_wall = rng.uniform(0.15, 1.6, n)
    u_window = rng.uniform(0.8, 5.0, n)
    glazing = rng.uniform(0.08, 0.45, n)
    compact = rng.uniform(0.4, 1.1, n)
    air = rng.gamma(4.0, 0.15, n)
    setpoint = rng.normal(20.5, 1.2, n)
    degree_days = rng.normal(3000, 450, n)
    attic = rng.integers(0, 2, n).astype(float)
    envelope = compact * ((1 - glazing) * u_wall + glazing * u_window) * (1 - 0.2 * attic)
    losses = (envelope + 0.85 * air) * degree_days * 0.024
    demand = 20 + 0.95 * losses * (1 + 0.07 * (setpoint - 20)) - 55 * glazing
    demand = demand + rng.normal(0, 5, n)
    return np.column_stack([u_wall, u_window, glazing, compact, air, setpoint, degree_days, attic]), demand
