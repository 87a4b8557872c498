import torch

scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max")
for epoch in range(50):
    fit_one_epoch(model, optimizer)
    scheduler.step(measure(model))
