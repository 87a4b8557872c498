for i, (real, _) in enumerate(loader):
    for _ in range(n_critic):
        z = torch.randn(real.size(0), nz, device=device)
        with torch.no_grad():
            fake = gen(z)
        opt_c.zero_grad()
        c_loss = -(critic(real).mean() - critic(fake).mean()) + 10 * gradient_penalty(critic, real, fake)
        c_loss.backward()
        opt_c.step()
    opt_g.zero_grad()
    g_loss = -critic(gen(torch.randn(real.size(0), nz, device=device))).mean()
    g_loss.backward()
    opt_g.step()
