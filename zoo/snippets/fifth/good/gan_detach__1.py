import torch
from torch import nn

def gan_step(G, D, opt_g, opt_d, real, z_dim, bce=nn.BCEWithLogitsLoss()):
    z = torch.randn(real.size(0), z_dim, device=real.device)
    fake = G(z)
    d_real, d_fake = D(real), D(fake.detach())
    loss_d = bce(d_real, torch.ones_like(d_real)) + bce(d_fake, torch.zeros_like(d_fake))
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    out = D(fake)
    loss_g = bce(out, torch.ones_like(out))
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    return loss_d.item(), loss_g.item()
