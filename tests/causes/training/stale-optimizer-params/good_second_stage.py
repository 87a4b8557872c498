import torch
from torch import nn


def fit(model, optimizer, x, y):
    for _ in range(500):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
fit(model, optimizer, x, y)
model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
fit(model, optimizer, x, y)
