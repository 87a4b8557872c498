import torch
from torch.optim.lr_scheduler import LambdaLR, LinearLR

optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
warm = LinearLR(optimizer, start_factor=0.01, total_iters=500)
inverse = LambdaLR(optimizer, lambda step: min((step + 1) ** -0.5, (step + 1) * 4000**-1.5))
for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        warm.step()
        inverse.step()
