for i, real in enumerate(loader):
    z = torch.randn(len(real), 64)
    d_loss = F.relu(1 - D(real)).mean() + F.relu(1 + D(G(z).detach())).mean()
    d_opt.zero_grad(); d_loss.backward(); d_opt.step()
    for p, q in zip(D.parameters(), D_avg.parameters()):
        q.data.lerp_(p.data, 0.01)
    if i % 5 == 0:
        for p in D.parameters():
            p.requires_grad_(False)
        g_loss = -D(G(z)).mean()
        g_opt.zero_grad(); g_loss.backward(); g_opt.step()
        for p in D.parameters():
            p.requires_grad_(True)
