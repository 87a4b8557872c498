def nt_xent(z1, z2, tau=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.t() / tau
    n = z1.size(0)
    sim.fill_diagonal_(float("-inf"))
    pos = torch.cat([torch.arange(n, 2 * n), torch.arange(n)]).to(z.device)
    return -F.log_softmax(sim, dim=1)[torch.arange(2 * n), pos].mean()
