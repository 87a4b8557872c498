import torch
from torch import nn

trunk = nn.Sequential(nn.Linear(32, 64), nn.ReLU())
model = nn.Module()
model.trunk = trunk
model.head = nn.Linear(64, 2)
optimizer = torch.optim.Adam(trunk.parameters(), lr=1e-4)
model.extra = nn.Linear(64, 64)
optimizer.add_param_group({"params": model.extra.parameters(), "lr": 1e-3})
optimizer.add_param_group({"params": model.head.parameters(), "lr": 1e-3})
for x, y in loader:
    loss = nn.functional.cross_entropy(model.head(model.extra(trunk(x))), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
