def vae_loss(recon_logits, x, mu, logvar, beta=1.0):
    rec = F.binary_cross_entropy_with_logits(recon_logits, x, reduction="sum") / x.size(0)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / x.size(0)
    return rec + beta * kl

class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Linear(784, 400)
        self.mu = nn.Linear(400, 20)
        self.lv = nn.Linear(400, 20)
    def forward(self, x):
        h = F.relu(self.h(x))
        mu, lv = self.mu(h), self.lv(h)
        return mu + torch.randn_like(mu) * (0.5 * lv).exp(), mu, lv
