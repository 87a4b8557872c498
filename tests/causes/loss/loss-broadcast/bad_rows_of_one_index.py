import pandas as pd
import torch
from torch import nn

table = pd.read_csv("flats.csv")
rent = torch.tensor(table["rent"].values, dtype=torch.float32)
facts = torch.tensor(table.drop(columns="rent").values, dtype=torch.float32)
net = nn.Sequential(nn.Linear(9, 20), nn.ReLU(), nn.Linear(20, 1))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(100):
    chosen = torch.randint(0, len(rent), (64,))
    loss = nn.functional.mse_loss(net(facts[chosen]), rent[chosen])  # loss-broadcast
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
