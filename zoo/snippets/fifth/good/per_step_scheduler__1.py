opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
total = epochs * len(loader)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-4, total_steps=total)
for epoch in range(epochs):
    model.train()
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
        sched.step()
