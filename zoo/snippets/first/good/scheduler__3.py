import torch

opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=10, T_mult=2)
iters = len(loader)
for epoch in range(70):
    net.train()
    for i, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()
        sched.step(epoch + i / iters)
    print(epoch, sched.get_last_lr(), loss.item())
