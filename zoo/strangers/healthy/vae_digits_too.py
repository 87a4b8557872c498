# VAE on 8x8 digits. Reconstruction is summed over pixels and averaged over images, KL is
# summed over latents and averaged over images; beta is warmed up. Judged by the held-out ELBO and
# by how well a nearest-mean classifier works in the latent space.
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce_logits

torch.manual_seed(6)
np.random.seed(6)
D, Z, EPOCHS, BATCH = 64, 8, 50, 64

digits = load_digits()
pix = (digits.data / 16.0).astype(np.float32)
fit_x, test_x, fit_y, test_y = train_test_split(pix, digits.target, test_size=0.25, stratify=digits.target, random_state=6)
train_x, dev_x, train_y, dev_y = train_test_split(fit_x, fit_y, test_size=0.12, stratify=fit_y, random_state=6)
train_x, dev_x, test_x = map(torch.from_numpy, (train_x, dev_x, test_x))


class VAE(nn.Module):
    def __init__(self, centre):
        super().__init__()
        self.register_buffer("centre", centre)
        self.enc = nn.Sequential(nn.Linear(D, 128), nn.ReLU())
        self.mu = nn.Linear(128, Z)
        self.logvar = nn.Linear(128, Z)
        self.dec = nn.Sequential(nn.Linear(Z, 128), nn.ReLU(), nn.Linear(128, D))

    def encode(self, x):
        h = self.enc(x - self.centre)
        return self.mu(h), self.logvar(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()      # sampled in both modes: the ELBO is an expectation
        return self.dec(z), mu, logvar


def terms(out, x, mu, logvar):
    rec = bce_logits(out, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum() / len(x)
    return rec, kl


@torch.no_grad()
def held_out(model, x):
    model.eval()
    with torch.random.fork_rng():
        torch.manual_seed(0)          # the same draw each time, training's stream untouched
        out, mu, logvar = model(x)
    rec, kl = terms(out, x, mu, logvar)
    return (rec + kl).item()


model = VAE(train_x.mean(0))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
n_batches = -(-len(train_x) // BATCH)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS * n_batches)
for epoch in range(1, EPOCHS + 1):
    model.train()
    beta = min(1.0, epoch / 10)
    total = 0.0
    for rows in torch.randperm(len(train_x)).split(BATCH):
        x = train_x[rows]
        out, mu, logvar = model(x)
        rec, kl = terms(out, x, mu, logvar)
        loss = rec + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()          # one cosine over all steps
        total += loss.item() * len(x)
    if epoch % 5 == 0:
        print(f"epoch {epoch:3d}  beta {beta:.1f}  loss {total / len(train_x):.3f}  dev -ELBO {held_out(model, dev_x):.3f}")

model.eval()
with torch.no_grad():
    code, _ = model.encode(train_x)
    query, _ = model.encode(test_x)
means = torch.stack([code[train_y == c].mean(0) for c in range(10)])
acc = (torch.cdist(query, means).argmin(1).numpy() == test_y).mean()
flat = train_x.mean(0).clamp(1e-3, 1 - 1e-3).logit().expand_as(test_x)
blind = bce_logits(flat, test_x, reduction="sum").item() / len(test_x)
print(f"test -ELBO {held_out(model, test_x):.3f} (mean image: {blind:.3f}), latent nearest-mean accuracy {acc:.3f}")
