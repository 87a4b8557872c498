import numpy as np
import pandas as pd
import torch
from torch import nn


def tomorrow(series, count):
    """Today's level is known when tomorrow's is foretold."""
    frame = pd.DataFrame({"level": series})
    for back in range(count):
        frame[f"level_{back}"] = frame["level"].shift(back)
    frame["target"] = frame["level"].shift(-1)
    return frame.dropna()


def today(series, count):
    frame = pd.DataFrame({"flow": series})
    for back in range(count):
        frame[f"flow_{back + 1}"] = frame["flow"].shift(back + 1)
    weather = pd.DataFrame({f"rain_{k}": pd.Series(series)["rain"].shift(k) for k in range(3)})
    return frame.join(weather).dropna()


def fit(frame, inputs, answer):
    x = torch.tensor(frame[inputs].to_numpy(), dtype=torch.float32)
    y = torch.tensor(frame[[answer]].to_numpy(), dtype=torch.float32)
    model = nn.Linear(len(inputs), 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(200):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return model


def behind(series, count):
    frame = pd.DataFrame({"depth": series})
    for back in range(count):
        frame[f"depth_{back}"] = frame["depth"].shift(back)
    frame = frame.dropna()
    y = frame["depth"].to_numpy()[1:]
    return frame.filter(like="depth_").to_numpy()[:-1], y


walk = np.cumsum(np.random.default_rng(0).normal(size=3000))
ahead = tomorrow(walk, 6)
fit(ahead, [name for name in ahead if name.startswith("level_")], "target")
y_train = today(walk, 6)[["flow"]]
fit(today(walk, 6), ["flow_1", "flow_2"], "flow")
