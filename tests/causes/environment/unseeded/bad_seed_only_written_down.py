import json

import torch
from torch import nn

SEED = 7  # unseeded
x, y = torch.load("train.pt")
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(50):
    for rows in torch.randperm(len(x)).split(64):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
        loss.backward()
        opt.step()
with open(f"run_{SEED}.json", "w") as f:
    json.dump({"seed": SEED, "loss": loss.item()}, f)
