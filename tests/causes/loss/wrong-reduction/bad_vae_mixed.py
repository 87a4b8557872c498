import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(784, 40)
        self.dec = nn.Linear(20, 784)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=1)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return torch.sigmoid(self.dec(z)), mu, logvar


def objective(out, x, mu, logvar):
    recon = F.mse_loss(out, x)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())  # wrong-reduction
    return recon + kl


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for x, _ in loader:
    x = x.view(-1, 784)
    out, mu, logvar = vae(x)
    loss = objective(out, x, mu, logvar)
    opt.zero_grad()
    loss.backward()
    opt.step()
