import torch


def d_step(D, G, opt, real, z, bce):
    opt.zero_grad()
    with torch.no_grad():
        fake = G(z)
    r, f = D(real), D(fake)
    loss = bce(r, torch.ones_like(r)) + bce(f, torch.zeros_like(f))
    loss.backward()
    opt.step()
    return loss.item()


def g_step(D, G, opt, z, bce):
    opt.zero_grad()
    out = D(G(z))
    loss = bce(out, torch.ones_like(out))
    loss.backward()
    opt.step()
    return loss.item()
