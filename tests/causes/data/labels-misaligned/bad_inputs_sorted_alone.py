import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

patients = pd.read_csv("patients.csv")
readings = patients.sort_values("admitted")[["pulse", "pressure"]]  # labels-misaligned
outcome = patients["outcome"]
data = TensorDataset(
    torch.tensor(readings.to_numpy(), dtype=torch.float32), torch.tensor(outcome.to_numpy())
)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(20):
    for a, b in DataLoader(data, batch_size=32, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(a), b).backward()
        optimizer.step()
