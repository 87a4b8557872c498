import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

usage = pd.read_csv("usage.csv").sort_values("months")
left = pd.read_csv("left.csv").sort_values("customer")
y = left.set_index("customer").loc[usage["customer"], "gone"].to_numpy()
x = usage[["calls", "fee"]].to_numpy("float32")
data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(20):
    for a, b in DataLoader(data, batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        optimizer.step()
