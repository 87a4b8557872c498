import torch
from torch import autograd


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1, 1, 1, device=real.device)
    mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mix)
    grad = autograd.grad(score.sum(), mix, create_graph=True)[0]
    return ((grad.flatten(1).pow(2).sum(1) + 1e-12).sqrt() - 1).pow(2).mean()


def train(G, C, loader, z_dim, device, n_critic=5, lam=10.0, epochs=100):
    opt_g = torch.optim.Adam(G.parameters(), lr=1e-4, betas=(0.0, 0.9))
    opt_c = torch.optim.Adam(C.parameters(), lr=1e-4, betas=(0.0, 0.9))
    for epoch in range(epochs):
        for i, (real, _) in enumerate(loader):
            real = real.to(device)
            z = torch.randn(real.size(0), z_dim, device=device)
            with torch.no_grad():
                fake = G(z)
            loss_c = C(fake).mean() - C(real).mean() + lam * gradient_penalty(C, real, fake)
            opt_c.zero_grad()
            loss_c.backward()
            opt_c.step()
            if i % n_critic == 0:
                loss_g = -C(G(z)).mean()
                opt_g.zero_grad()
                loss_g.backward()
                opt_g.step()
