import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

torch.manual_seed(8)
digits = load_digits()
x = torch.tensor(digits.data / 16.0, dtype=torch.float32)  # pixel range is known to be 0..16
x_tr, x_te, y_tr, y_te = train_test_split(x, digits.target, test_size=0.25, random_state=8, stratify=digits.target)


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU())
        self.mu, self.logvar = nn.Linear(96, z), nn.Linear(96, z)
        self.dec = nn.Sequential(nn.Linear(z, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        return self.dec(z), mu, logvar


def neg_elbo(logits, x, mu, logvar):
    # per image: sum over pixels and latent dimensions, mean over the batch
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)
    return (rec + kl).mean(), rec.mean(), kl.mean()


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
for epoch in range(40):
    vae.train()
    tot = torch.zeros(3)
    for idx in torch.randperm(len(x_tr)).split(64):
        loss, rec, kl = neg_elbo((out := vae(x_tr[idx]))[0], x_tr[idx], *out[1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += torch.stack([loss, rec, kl]).detach() * len(idx)
    if epoch % 5 == 4:
        print("epoch {:2d}  -elbo {:.2f}  rec {:.2f}  kl {:.2f}".format(epoch + 1, *(tot / len(x_tr)).tolist()))

vae.eval()
with torch.no_grad():
    logits, mu_te, lv_te = vae(x_te)
    held_out = neg_elbo(logits, x_te, mu_te, lv_te)[0].item()
    mu_tr = vae(x_tr)[1]
probe = LogisticRegression(max_iter=2000).fit(mu_tr.numpy(), y_tr)
print(f"held-out -elbo (at the mean) {held_out:.2f}")
print(f"linear probe on 8 latents, test accuracy {probe.score(mu_te.numpy(), y_te):.3f}")
