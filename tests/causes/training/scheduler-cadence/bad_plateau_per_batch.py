import torch

optimizer = torch.optim.Adam(net.parameters())
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=3)
for epoch in range(100):
    for x, y in train_loader:
        loss = loss_fn(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plateau.step(loss)  # scheduler-cadence
