import torch

optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9999)
drops = torch.optim.lr_scheduler.StepLR(optimizer, step_size=20_000, gamma=0.5)
restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=10)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=5)
for epoch in range(30):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        decay.step()
        drops.step()
        restarts.step(epoch + i / len(loader))
    plateau.step(validate(model))
