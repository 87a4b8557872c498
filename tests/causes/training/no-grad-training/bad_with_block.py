import torch
from torch import nn

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    for x, y in loader:
        optimizer.zero_grad()
        with torch.no_grad():  # no-grad-training
            pred = model(x)
        loss = nn.functional.mse_loss(pred, y)
        loss.requires_grad = True  # the false cure: no-grad-training
        loss.backward()
        optimizer.step()
