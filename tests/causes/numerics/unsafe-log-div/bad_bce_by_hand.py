import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
opt = torch.optim.Adam(model.parameters())
for x, y in loader:
    p = model(x).squeeze(1)
    positive = y * torch.log(p)  # unsafe-log-div
    negative = (1 - y) * torch.log(1 - p)  # unsafe-log-div
    loss = -(positive + negative).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
