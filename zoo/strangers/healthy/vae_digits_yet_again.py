"""A small VAE on the 8x8 digits. The ELBO is summed over pixels and latents and averaged over the batch."""
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
EPOCHS = 40

x, y = load_digits(return_X_y=True)
x = torch.tensor(x, dtype=torch.float32) / 16.0          # pixel range is 0..16 by construction
train_x, test_x = train_test_split(x, test_size=0.2, stratify=y, random_state=0)
loader = DataLoader(TensorDataset(train_x), batch_size=64, shuffle=True)


class VAE(nn.Module):
    def __init__(self, latent=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU())
        self.mu = nn.Linear(96, latent)
        self.logvar = nn.Linear(96, latent)
        self.dec = nn.Sequential(nn.Linear(latent, 96), nn.ReLU(), nn.Linear(96, 64))

    def encode(self, x):
        h = self.enc(2.0 * x - 0.6)
        return self.mu(h), self.logvar(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        if self.training:
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        else:
            z = mu
        return self.dec(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kl = -0.5 * torch.sum(1 + logvar - mu ** 2 - logvar.exp()) / len(x)
    return rec, kl


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)

for epoch in range(EPOCHS):
    model.train()
    rec_sum = kl_sum = 0.0
    for (xb,) in loader:
        logits, mu, logvar = model(xb)
        rec, kl = elbo_terms(logits, xb, mu, logvar)
        loss = rec + kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rec_sum += rec.item() * len(xb)
        kl_sum += kl.item() * len(xb)
    scheduler.step()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1:2d}  loss {(rec_sum + kl_sum) / len(train_x):.3f}"
              f"  rec {rec_sum / len(train_x):.3f}  kl {kl_sum / len(train_x):.3f}")

model.eval()
with torch.no_grad():
    logits, mu, logvar = model(test_x)
    err = F.mse_loss(torch.sigmoid(logits), test_x).item()
    base = F.mse_loss(train_x.mean(0).expand_as(test_x), test_x).item()
print(f"test reconstruction mse {err:.4f} (mean image {base:.4f}), explained {1 - err / base:.3f}")
