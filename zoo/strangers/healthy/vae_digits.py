"""Variational autoencoder on 8x8 digits, objective written as a free function over named distributions."""
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.distributions import ContinuousBernoulli, Normal, kl_divergence

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self, d=64, h=128, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, h), nn.SiLU(), nn.Linear(h, d))
        self.register_buffer("prior_loc", torch.zeros(z))
        self.register_buffer("prior_scale", torch.ones(z))

    def posterior(self, x):
        loc, raw = self.enc(2 * x - 1).chunk(2, dim=-1)
        return Normal(loc, nn.functional.softplus(raw) + 1e-3)

    def likelihood(self, z):
        return ContinuousBernoulli(logits=self.dec(z))

    def prior(self):
        return Normal(self.prior_loc, self.prior_scale)


def free_energy(vae, x, beta=1.0):
    q = vae.posterior(x)
    z = q.rsample()
    rec = -vae.likelihood(z).log_prob(x).sum(-1)
    kl = kl_divergence(q, vae.prior()).sum(-1)
    return (rec + beta * kl).mean(), rec.mean().detach(), kl.mean().detach()


@torch.no_grad()
def reconstruction_mse(vae, x):
    vae.eval()
    return (vae.likelihood(vae.posterior(x).loc).mean - x).pow(2).mean().item()


def main():
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32)      # pixel depth is 0..16 by construction of the set
    train, rest, _, y_rest = train_test_split(x, y, test_size=0.3, random_state=0, stratify=y)
    val, test = train_test_split(rest, test_size=0.5, random_state=0, stratify=y_rest)

    vae = VAE()
    opt = torch.optim.Adam(vae.parameters(), lr=3e-3)
    epochs, size = 60, 64
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        vae.train()
        beta = min(1.0, (epoch + 1) / 10)
        sums, seen = torch.zeros(3), 0
        for idx in torch.randperm(len(train)).split(size):
            loss, rec, kl = free_energy(vae, train[idx], beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sums += len(idx) * torch.stack([loss.detach(), rec, kl])
            seen += len(idx)
        sched.step()
        if epoch % 6 == 5:
            vae.eval()
            with torch.no_grad():
                v = free_energy(vae, val)[0].item()
            total, rec, kl = (sums / seen).tolist()
            print(f"epoch {epoch + 1:3d}  loss {total:8.3f}  rec {rec:8.3f}  kl {kl:6.3f}  val -elbo {v:8.3f}")

    mse = reconstruction_mse(vae, test)
    base = (test - train.mean(0)).pow(2).mean().item()
    print(f"held-out reconstruction mse {mse:.4f}; mean image {base:.4f}; explained {1 - mse / base:.3f}")


if __name__ == "__main__":
    main()
