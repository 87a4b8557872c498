import torch
from torch import nn

model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0
for x, y in loader:
    total = total + nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    total.backward(retain_graph=True)  # loss-not-reset
    optimizer.step()
