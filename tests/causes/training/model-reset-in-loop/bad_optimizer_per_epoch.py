import torch
from torch import nn

model = nn.Linear(16, 4)
for epoch in range(20):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # model-reset-in-loop
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
