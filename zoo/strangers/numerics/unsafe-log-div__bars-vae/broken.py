# %% [markdown]
# Bernoulli VAE on bars-and-frame images. ELBO written out by hand.

# %%
import torch
import torch.nn as nn

torch.manual_seed(11)
torch.set_num_threads(1)
S = 8


# %% data: 8x8 binary images, frame on or off, each inner row/col is a bar w.p. 0.2, plus pixel flips inside
def bars(n, g):
    k = S - 2
    rows = torch.rand(n, k, 1, generator=g) < 0.2
    cols = torch.rand(n, 1, k, generator=g) < 0.2
    inner = (rows | cols).float()
    flip = (torch.rand(n, k, k, generator=g) < 0.02).float()
    inner = (inner - flip).abs()
    frame = (torch.rand(n, 1, 1, generator=g) < 0.5).float()
    img = frame.repeat(1, S, S)
    img[:, 1:-1, 1:-1] = inner
    return img.flatten(1)


g = torch.Generator().manual_seed(11)
x_train, x_val = bars(5000, g), bars(1000, g)
mean_pix = x_train.mean()
print("train", tuple(x_train.shape), "on-fraction", round(mean_pix.item(), 3))


# %% model
class VAE(nn.Module):
    def __init__(self, d=S * S, h=160, z=14):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, d))

    def forward(self, x):
        mu, logvar = self.enc(2 * x - 1).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return torch.sigmoid(self.dec(z)), mu, logvar


def elbo(x, p, mu, logvar):
    rec = (x * torch.log(p) + (1 - x) * torch.log(1 - p)).sum(-1)
    kl = 0.5 * (mu.square() + logvar.exp() - 1 - logvar).sum(-1)
    return (rec - kl).mean(), rec.mean(), kl.mean()


# %% train
vae = VAE()
EPOCHS, BS = 30, 100
opt = torch.optim.Adam(vae.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=5e-5)

for ep in range(EPOCHS):
    vae.train()
    tot = 0.0
    for xb in x_train[torch.randperm(len(x_train))].split(BS):
        bound, _, _ = elbo(xb, *vae(xb))
        opt.zero_grad()
        (-bound).backward()
        opt.step()
        tot += bound.item() * len(xb)
    sched.step()
    vae.eval()
    with torch.no_grad():
        b, r, k = elbo(x_val, *vae(x_val))
    print(f"{ep:3d}  train elbo {tot / len(x_train):8.3f}   val elbo {b:8.3f} (rec {r:8.3f} kl {k:6.3f})")

# %% look at reconstructions
with torch.no_grad():
    p, _, _ = vae(x_val[:500])
err = ((p > 0.5).float() != x_val[:500]).float().mean()
print(f"reconstruction pixel error {err:.4f}")
