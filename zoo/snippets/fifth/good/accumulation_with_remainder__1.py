opt.zero_grad()
n = len(loader)
for i, (x, y) in enumerate(loader):
    size = accum if i < n - n % accum else n % accum
    loss = crit(model(x), y) / size
    loss.backward()
    if (i + 1) % accum == 0 or i + 1 == n:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
