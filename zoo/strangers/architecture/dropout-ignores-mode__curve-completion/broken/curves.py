"""Tasks for the curve-completion model: each task is one random smooth curve seen at a few places."""
import numpy as np
import torch
from torch.utils.data import TensorDataset

N_CONTEXT, N_TARGET = 10, 10


def make_tasks(n, seed):
    rng = np.random.default_rng(seed)
    m = N_CONTEXT + N_TARGET
    x = rng.uniform(-2, 2, (n, m))
    freq = rng.uniform(0.5, 1.2, (n, 1))
    phase = rng.uniform(0, 2 * np.pi, (n, 1))
    amp = rng.uniform(0.5, 1.2, (n, 1))
    slope = rng.normal(0, 0.4, (n, 1))
    offset = rng.normal(0, 0.5, (n, 1))
    y = amp * np.sin(freq * x + phase) + slope * x + offset
    y_obs = y + rng.normal(0, 0.03, y.shape)
    x, y, y_obs = (torch.tensor(a, dtype=torch.float32).unsqueeze(-1) for a in (x, y, y_obs))
    c = N_CONTEXT
    return TensorDataset(x[:, :c], y_obs[:, :c], x[:, c:], y[:, c:])
