for epoch in range(epochs):
    sampler.set_epoch(epoch)
    model.train()
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = crit(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), f"{epoch}.pt")
    sched.step()
