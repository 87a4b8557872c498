def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1, 1, 1, device=real.device)
    x_hat = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(x_hat)
    grads = torch.autograd.grad(score, x_hat, grad_outputs=torch.ones_like(score),
                                create_graph=True, retain_graph=True)[0]
    grads = grads.view(grads.size(0), -1)
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


for epoch in range(n_epochs):
    for i, (real, _) in enumerate(loader):
        real = real.to(device)
        z = torch.randn(real.size(0), z_dim, device=device)
        with torch.no_grad():
            fake = gen(z)
        loss_c = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()

        if i % 5 == 0:
            z = torch.randn(real.size(0), z_dim, device=device)
            loss_g = -critic(gen(z)).mean()
            opt_g.zero_grad()
            loss_g.backward()
            opt_g.step()
