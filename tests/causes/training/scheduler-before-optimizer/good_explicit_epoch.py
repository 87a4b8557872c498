from timm.scheduler import create_scheduler_v2

lr_scheduler, num_epochs = create_scheduler_v2(optimizer, sched="cosine", num_epochs=100)
for epoch in range(num_epochs):
    lr_scheduler.step(epoch)
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
