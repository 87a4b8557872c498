import torch
from torch.optim.lr_scheduler import CosineAnnealingLR

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(epochs):
    scheduler = CosineAnnealingLR(optimizer, T_max=50)  # model-reset-in-loop
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
    scheduler.step()
