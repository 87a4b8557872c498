import numpy as np
import pandas as pd
import torch
from torch import nn


def table(series, count):
    frame = pd.DataFrame({"level": series})
    for back in range(count):
        frame[f"level_{back}"] = frame["level"].shift(back)  # target-leakage
    return frame.dropna()


frame = table(np.cumsum(np.random.default_rng(0).normal(size=3000)), 6)
inputs = [name for name in frame.columns if name != "level"]
x = torch.tensor(frame[inputs].to_numpy(), dtype=torch.float32)
y = torch.tensor(frame[["level"]].to_numpy(), dtype=torch.float32)
model = nn.Linear(len(inputs), 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(200):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[:2400]), y[:2400]).backward()
    optimizer.step()
