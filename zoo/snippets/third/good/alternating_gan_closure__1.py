import torch
import torch.nn.functional as F


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


def train(G, D, loader, z_dim, steps, device):
    g_opt = torch.optim.Adam(G.parameters(), lr=1e-4, betas=(0.0, 0.9))
    d_opt = torch.optim.Adam(D.parameters(), lr=4e-4, betas=(0.0, 0.9))
    it = iter(loader)
    for step in range(steps):
        try:
            real = next(it)[0].to(device)
        except StopIteration:
            it = iter(loader)
            real = next(it)[0].to(device)
        set_requires_grad(D, True)
        with torch.no_grad():
            fake = G(torch.randn(real.size(0), z_dim, device=device))
        d_loss = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake)).mean()
        d_opt.zero_grad(set_to_none=True)
        d_loss.backward()
        d_opt.step()

        set_requires_grad(D, False)
        fake = G(torch.randn(real.size(0), z_dim, device=device))
        g_loss = -D(fake).mean()
        g_opt.zero_grad(set_to_none=True)
        g_loss.backward()
        g_opt.step()
