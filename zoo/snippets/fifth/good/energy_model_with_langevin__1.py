def sgld(E, x, n=20, eta=0.1):
    x = x.detach().requires_grad_(True)
    for _ in range(n):
        g = torch.autograd.grad(E(x).sum(), x)[0]
        x = (x - eta * g + 0.01 * torch.randn_like(x)).detach().requires_grad_(True)
    return x.detach()
for real, in dl:
    fake = sgld(E, torch.rand_like(real))
    pos, neg = E(real), E(fake)
    loss = (pos - neg).mean() + 0.1 * (pos ** 2 + neg ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
