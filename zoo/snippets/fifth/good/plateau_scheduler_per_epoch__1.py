sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3)
for epoch in range(50):
    model.train()
    for x, y in tl:
        opt.zero_grad()
        F.l1_loss(model(x).squeeze(1), y).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        v = torch.cat([(model(x).squeeze(1) - y).abs() for x, y in vl]).mean().item()
    sched.step(v)
