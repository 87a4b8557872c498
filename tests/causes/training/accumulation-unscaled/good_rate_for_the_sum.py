import torch

base_lr, accum = 0.1, get_accum()
optimizer = torch.optim.SGD(model.parameters(), lr=base_lr / accum)
for i, (x, y) in enumerate(loader):
    torch.nn.functional.mse_loss(model(x), y).backward()
    if (i + 1) % accum == 0:
        optimizer.step()
        optimizer.zero_grad()
