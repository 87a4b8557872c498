# %% Beta-VAE on handwritten digits: per-image ELBO (summed over pixels and latent dimensions, averaged over images)
import os

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.nn import functional as F

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)
LATENT, BATCH, EPOCHS, WARMUP_EPOCHS = 8, 64, 50, 10
SIGMA = 0.15

# %% data: grey levels 0..16 scaled to [0, 1], Gaussian likelihood with a fixed spread
digits = load_digits()
order = np.random.permutation(len(digits.target))
x_all = torch.tensor(digits.data[order] / 16.0, dtype=torch.float32)
y_all = digits.target[order]
n_train = 1350
x_train, x_test = x_all[:n_train], x_all[n_train:]
y_train, y_test = y_all[:n_train], y_all[n_train:]


# %% model
class VAE(nn.Module):
    def __init__(self, latent):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 64), nn.SiLU())
        self.to_mu, self.to_logvar = nn.Linear(64, latent), nn.Linear(64, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.SiLU(), nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 64))
        nn.init.zeros_(self.to_logvar.weight)
        nn.init.zeros_(self.to_logvar.bias)

    def encode(self, x):
        h = self.encoder(2 * x - 1)
        return self.to_mu(h), self.to_logvar(h).clamp(-8, 4)

    def forward(self, x):
        mu, logvar = self.encode(x)
        std = torch.exp(0.5 * logvar)
        z = mu + std * torch.randn_like(std) if self.training else mu
        return self.decoder(z), mu, logvar


def negative_elbo(x_hat, x, mu, logvar, beta):
    recon = F.mse_loss(x_hat, x, reduction="sum") / (2 * SIGMA ** 2) / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
    return recon + beta * kl, recon.item(), kl.item()


# %% training, with KL warm-up
model = VAE(LATENT)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
lr_plan = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[35, 44], gamma=0.3)
history = []
for epoch in range(EPOCHS):
    model.train()
    beta = min(1.0, (epoch + 1) / WARMUP_EPOCHS)
    sums = np.zeros(2)
    shuffled = torch.randperm(n_train)
    for chunk in shuffled.split(BATCH):
        x = x_train[chunk]
        x_hat, mu, logvar = model(x)
        loss, recon, kl = negative_elbo(x_hat, x, mu, logvar, beta)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sums += np.array([recon, kl]) * len(chunk)
    lr_plan.step()
    history.append(sums / n_train)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:2d}  beta {beta:.2f}  recon {history[-1][0]:.2f}  kl {history[-1][1]:.2f} nats")

# %% held-out reconstruction and latent quality
model.eval()
with torch.no_grad():
    x_hat, mu_test, logvar_test = model(x_test)
    _, test_recon, test_kl = negative_elbo(x_hat, x_test, mu_test, logvar_test, 1.0)
    mse = (x_hat - x_test).pow(2).mean().item()
    base = (x_train.mean(0) - x_test).pow(2).mean().item()
    mu_train = model.encode(x_train)[0]
knn = KNeighborsClassifier(5).fit(mu_train.numpy(), y_train)
print(f"test recon {test_recon:.2f} kl {test_kl:.2f} nats, pixel mse {mse:.4f} (mean image {base:.4f}), "
      f"5-nn accuracy on latent means {knn.score(mu_test.numpy(), y_test):.3f}")
