import torch
from torch import nn

torch.manual_seed(8)


def bumps(n):
    c = torch.rand(n, 2, 1, 1) * 8 + 2
    s = torch.rand(n, 1, 1) * 1.5 + 1
    g = torch.arange(12.0)
    img = torch.exp(-((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None, :] - c[:, 1]) ** 2) / (2 * s ** 2))
    return img.reshape(n, -1)


class VAE(nn.Module):
    def __init__(self, d=144, h=96, z=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.to_mu, self.to_logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, d))
        self.z = z

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.to_mu(h), self.to_logvar(h).clamp(-8, 8)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar

    def objective(self, x, beta):
        out, mu, logvar = self(x)
        rec = ((out - x) ** 2).sum(1).mean()
        kl = 0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        return rec + beta * kl, rec, kl


data = bumps(4000)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
for it in range(1, 1201):
    x = data[torch.randint(0, len(data), (100,))]
    loss, rec, kl = vae.objective(x, beta=0.1)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(vae.parameters(), 5.0)
    opt.step()
    if it % 200 == 0:
        print(f"it {it:4d} rec {rec.item():.3f} kl {kl.item():.3f}")
with torch.no_grad():
    fake = vae.dec(torch.randn(300, vae.z))
    near = torch.cdist(fake, data[:1500]).min(1).values.mean().item()
print(f"sample distance {near:.3f}")
