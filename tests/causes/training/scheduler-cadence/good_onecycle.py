import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR

opt = torch.optim.SGD(model.parameters(), lr=0.01)
one = OneCycleLR(opt, max_lr=0.1, total_steps=EPOCHS * len(loader))
for epoch in range(EPOCHS):
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()
        one.step()

cosine = CosineAnnealingLR(opt, T_max=EPOCHS * len(loader))
for epoch in range(EPOCHS):
    for x, y in loader:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()
        cosine.step()
