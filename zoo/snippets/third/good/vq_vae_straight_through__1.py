import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantizer(nn.Module):
    def __init__(self, k, d, beta=0.25):
        super().__init__()
        self.code = nn.Embedding(k, d)
        self.beta = beta

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        idx = torch.cdist(flat, self.code.weight).argmin(1)
        q = self.code(idx).view(b, h, w, c).permute(0, 3, 1, 2)
        loss = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        return q, loss


def step(enc, quant, dec, opt, x):
    q, vq = quant(enc(x))
    loss = F.mse_loss(dec(q), x) + vq
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
