"""Variational autoencoder on 8x8 digits. ELBO per image: pixels summed, images averaged."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(12)


class VAE(nn.Module):
    def __init__(self, pixels=64, hidden=128, latent=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels))

    def forward(self, x):
        h = self.enc(x - 0.3)
        mu, logvar = self.mu(h), self.logvar(h)
        if self.training:
            z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        else:
            z = mu
        return self.dec(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    recon = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(dim=1).mean()
    return recon, kl


def evaluate(model, x):
    model.eval()
    with torch.no_grad():
        logits, mu, logvar = model(x)
        recon, kl = elbo_terms(logits, x, mu, logvar)
        mse = F.mse_loss(torch.sigmoid(logits), x)
    return recon.item(), kl.item(), mse.item()


def main():
    X, y = load_digits(return_X_y=True)
    X = torch.tensor(X / 16.0, dtype=torch.float32)
    idx_tr, idx_te = train_test_split(range(len(X)), test_size=0.2, stratify=y, random_state=12)
    idx_tr, idx_va = train_test_split(idx_tr, test_size=0.15, stratify=y[idx_tr], random_state=12)
    x_tr, x_va, x_te = X[idx_tr], X[idx_va], X[idx_te]

    model = VAE()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    epochs, batch = 60, 64
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(1, epochs + 1):
        model.train()
        sums = torch.zeros(2)
        for idx in torch.randperm(len(x_tr)).split(batch):
            xb = x_tr[idx]
            logits, mu, logvar = model(xb)
            recon, kl = elbo_terms(logits, xb, mu, logvar)
            loss = recon + kl
            opt.zero_grad()
            loss.backward()
            opt.step()
            sums += torch.stack([recon, kl]).detach() * len(xb)
        sched.step()
        if epoch % 6 == 0 or epoch == 1:
            r, k = (sums / len(x_tr)).tolist()
            vr, vk, _ = evaluate(model, x_va)
            print(f"epoch {epoch:2d}  train -elbo {r + k:.3f} (recon {r:.3f} kl {k:.3f})  val {vr + vk:.3f}")

    r, k, mse = evaluate(model, x_te)
    blur = F.mse_loss(x_tr.mean(0).expand_as(x_te), x_te).item()
    print(f"test -elbo {r + k:.3f}  pixel mse {mse:.4f}  (mean image {blur:.4f})")


if __name__ == "__main__":
    main()
