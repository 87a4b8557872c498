swa = torch.optim.swa_utils.AveragedModel(model)
for epoch in range(100):
    model.train()
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
    if epoch > 75:
        swa.update_parameters(model)
        swa_sched.step()
    else:
        sched.step()
torch.optim.swa_utils.update_bn(loader, swa)
swa.eval()
