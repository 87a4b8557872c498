import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
bce = nn.BCELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    p = model(x).squeeze(1)
    loss = bce(p, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    predicted = p.round()
    sure = (p > 0.9) | (p < 0.1)
