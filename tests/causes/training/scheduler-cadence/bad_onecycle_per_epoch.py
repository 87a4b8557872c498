import torch
from torch.optim.lr_scheduler import OneCycleLR

EPOCHS = 12
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=EPOCHS, steps_per_epoch=len(loader))
for epoch in range(EPOCHS):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
    scheduler.step()  # scheduler-cadence
