def quantize(self, z):
    d = (z.unsqueeze(1) - self.codebook.weight).pow(2).sum(-1)
    idx = d.argmin(1)
    q = self.codebook(idx)
    loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    q = z + (q - z).detach()
    return q, idx, loss
