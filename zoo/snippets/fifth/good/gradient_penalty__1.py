def gp(D, real, fake):
    e = torch.rand(real.size(0), 1, 1, 1, device=real.device)
    mid = (e * real + (1 - e) * fake).detach().requires_grad_(True)
    g = torch.autograd.grad(D(mid).sum(), mid, create_graph=True)[0]
    return ((g.flatten(1).norm(2, dim=1) - 1) ** 2).mean()
