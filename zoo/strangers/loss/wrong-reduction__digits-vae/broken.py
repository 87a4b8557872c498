"""Small convolution-free VAE on 8x8 digits; reports held-out reconstruction, ELBO and a linear probe on z."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

torch.manual_seed(31)
LATENT, HIDDEN, EPOCHS, BS = 10, 128, 60, 64


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.mu = nn.Linear(HIDDEN, LATENT)
        self.logvar = nn.Linear(HIDDEN, LATENT)
        self.dec = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(),
                                 nn.Linear(HIDDEN, 64))

    def encode(self, x):
        h = self.enc(2 * x - 1)
        return self.mu(h), self.logvar(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        if self.training:
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        else:
            z = mu
        return self.dec(z), mu, logvar


def nll(logits, x):
    return F.binary_cross_entropy_with_logits(logits, x)


def kl(mu, logvar):
    return -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()


digits, target = load_digits(return_X_y=True)
digits = (digits / 16.0).astype("float32")
x_tr, x_te, y_tr, y_te = train_test_split(digits, target, test_size=0.25, stratify=target, random_state=0)
x_tr, x_te = torch.from_numpy(x_tr), torch.from_numpy(x_te)

vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)


def held_out():
    vae.eval()
    with torch.no_grad():
        logits, mu, logvar = vae(x_te)
        mse = F.mse_loss(torch.sigmoid(logits), x_te).item()
        return mse, kl(mu, logvar).item()


for epoch in range(1, EPOCHS + 1):
    vae.train()
    sums = torch.zeros(2)
    for idx in torch.randperm(len(x_tr)).split(BS):
        x = x_tr[idx]
        logits, mu, logvar = vae(x)
        rec, reg = nll(logits, x), kl(mu, logvar)
        opt.zero_grad()
        (rec + reg).backward()
        opt.step()
        sums += torch.tensor([rec.item(), reg.item()]) * len(idx)
    if epoch % 6 == 0:
        rec_m, kl_m = (sums / len(x_tr)).tolist()
        mse, k = held_out()
        print(f"epoch {epoch:3d}  rec {rec_m:8.4f}  kl {kl_m:7.4f} | held-out pixel mse {mse:.4f}  kl {k:.3f}")

vae.eval()
with torch.no_grad():
    z_tr, z_te = vae.encode(x_tr)[0].numpy(), vae.encode(x_te)[0].numpy()
probe = LogisticRegression(max_iter=2000).fit(z_tr / z_tr.std(), y_tr)
mse, _ = held_out()
baseline = ((x_te - x_tr.mean(0)) ** 2).mean().item()
print(f"final: pixel mse {mse:.4f} (mean image {baseline:.4f}), linear probe acc {probe.score(z_te / z_tr.std(), y_te):.3f}")
