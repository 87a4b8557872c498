"""A target taken out of a table by its name has one axis, the answer of the last layer two."""

import pandas as pd
import torch
from torch import nn

table = pd.read_parquet("houses.parquet").dropna().sample(frac=1.0, random_state=0)
first = table[table["year"] < 2020]
x = torch.tensor(first[["area", "rooms", "age"]].to_numpy(), dtype=torch.float32)
y = torch.from_numpy(first["price"].to_numpy()).float()
net = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(200):
    optimizer.zero_grad()
    loss = nn.functional.smooth_l1_loss(net(x), y)  # loss-broadcast
    loss.backward()
    optimizer.step()
