"""Beta-annealed VAE on sklearn digits; reports the ELBO on held-out images and the use of the latent space."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)

LATENT = 8
EPOCHS = 35
WARMUP_STEPS = 300

images = torch.tensor(load_digits().data, dtype=torch.float32) / 16.0
train_x, test_x = train_test_split(images, test_size=0.2, random_state=1)
train_x, val_x = train_test_split(train_x, test_size=0.15, random_state=1)
loader = DataLoader(TensorDataset(train_x), batch_size=64, shuffle=True, drop_last=True)


class VAE(nn.Module):
    def __init__(self, n_pix=64, hidden=128, latent=LATENT):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_pix, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, n_pix))

    def encode(self, x):
        h = self.encoder(x * 2 - 1)
        return self.mu(h), self.logvar(h).clamp(-8, 4)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.decoder(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    # continuous grey values under a Bernoulli likelihood: the cross-entropy has a floor above zero
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(dim=1).mean()
    kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).sum(dim=1).mean()
    return recon, kl


@torch.no_grad()
def evaluate(model, x, samples=8):
    model.eval()
    totals = torch.zeros(2)
    for _ in range(samples):
        totals += torch.stack(elbo_terms(*unpack(model, x)))
    return (totals / samples).tolist()


def unpack(model, x):
    logits, mu, logvar = model(x)
    return logits, x, mu, logvar


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

step = 0
for epoch in range(1, EPOCHS + 1):
    model.train()
    seen = recon_sum = kl_sum = 0.0
    for (x,) in loader:
        beta = min(1.0, step / WARMUP_STEPS)
        recon, kl = elbo_terms(*unpack(model, x))
        loss = recon + beta * kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        seen += len(x)
        recon_sum += recon.item() * len(x)
        kl_sum += kl.item() * len(x)
    scheduler.step()
    if epoch % 5 == 0:
        vr, vk = evaluate(model, val_x)
        print(f"epoch {epoch:3d}  beta {beta:.2f}  train recon {recon_sum / seen:.2f} kl {kl_sum / seen:.2f}"
              f"  val recon {vr:.2f} kl {vk:.2f}")

recon, kl = evaluate(model, test_x)
with torch.no_grad():
    mu, _ = model.encode(test_x)
    active = (mu.var(dim=0) > 0.05).sum().item()
    mean_image = train_x.mean(dim=0).clamp(1e-3, 1 - 1e-3)
    baseline = F.binary_cross_entropy(mean_image.expand_as(test_x), test_x, reduction="none").sum(1).mean().item()
    floor = F.binary_cross_entropy(test_x, test_x, reduction="none").sum(1).mean().item()
print(f"test -ELBO {recon + kl:.2f}  (recon {recon:.2f}, kl {kl:.2f}), active latents {active}/{LATENT}")
print(f"mean-image code {baseline:.2f}, perfect reconstruction {floor:.2f}")
