import torch
from torch import autograd, nn


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1, 1, 1, device=real.device)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(inter)
    grad = autograd.grad(score.sum(), inter, create_graph=True)[0]
    return ((grad.flatten(1).norm(2, dim=1) - 1) ** 2).mean()


def train(gen, critic, loader, device, n_critic=5, lam=10.0, epochs=50, nz=128):
    g_opt = torch.optim.Adam(gen.parameters(), lr=1e-4, betas=(0.0, 0.9))
    c_opt = torch.optim.Adam(critic.parameters(), lr=1e-4, betas=(0.0, 0.9))
    for epoch in range(epochs):
        for i, (real, _) in enumerate(loader):
            real = real.to(device)
            z = torch.randn(real.size(0), nz, device=device)
            fake = gen(z).detach()
            c_loss = -critic(real).mean() + critic(fake).mean() + lam * gradient_penalty(critic, real, fake)
            c_opt.zero_grad()
            c_loss.backward()
            c_opt.step()

            if i % n_critic == 0:
                g_loss = -critic(gen(torch.randn_like(z))).mean()
                g_opt.zero_grad()
                g_loss.backward()
                g_opt.step()
        print(epoch, -c_loss.item())
