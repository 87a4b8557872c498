import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR

EPOCHS = 10
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = CosineAnnealingLR(optimizer, T_max=EPOCHS * len(loader))
for epoch in range(EPOCHS):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
        if epoch < EPOCHS - 1:
            scheduler.step()
    if epoch == EPOCHS - 1:
        scheduler.step()

fade = LambdaLR(optimizer, lambda step: 0.9999**step)
for epoch in range(EPOCHS):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
        fade.step()
