"""VAE on short curves, maximising a summed ELBO (so the objective goes up)."""
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

SIGMA = 0.15


def curves(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = torch.linspace(0, 1, 24)
    a = 0.5 + torch.rand(n, 1, generator=g)
    f = 1 + torch.rand(n, 1, generator=g)
    p = torch.rand(n, 1, generator=g)
    return a * torch.sin(2 * torch.pi * (f * t + p)) + SIGMA * torch.randn(n, 24, generator=g)


class VAE(nn.Module):
    def __init__(self, d=24, z=4, h=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, d))

    def posterior(self, x):
        mu, raw = self.enc(x).chunk(2, dim=1)
        return Normal(mu, nn.functional.softplus(raw) + 1e-4)

    def elbo(self, x):
        """One value per curve: summed over time steps and latents, as the bound demands."""
        q = self.posterior(x)
        z = q.rsample()
        like = Normal(self.dec(z), SIGMA).log_prob(x).sum(1)
        return like - kl_divergence(q, Normal(torch.zeros_like(q.loc), torch.ones_like(q.scale))).sum(1)


def main():
    torch.manual_seed(15)
    train, val, test = curves(3000, 1), curves(500, 2), curves(500, 3)
    vae = VAE()
    opt = torch.optim.Adam(vae.parameters(), lr=2e-3, maximize=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=30, eta_min=1e-4)
    for epoch in range(30):
        vae.train()
        for idx in torch.randperm(len(train)).split(64):
            objective = vae.elbo(train[idx]).mean()
            opt.zero_grad()
            objective.backward()
            opt.step()
        sched.step()
        if epoch % 5 == 4:
            vae.eval()
            with torch.no_grad():
                print(f"epoch {epoch + 1:2d} elbo train {vae.elbo(train).mean():.2f} val {vae.elbo(val).mean():.2f}")
    vae.eval()
    with torch.no_grad():
        mse = ((vae.dec(vae.posterior(test).loc) - test) ** 2).mean().item()
    print(f"test reconstruction mse {mse:.4f} (noise {SIGMA ** 2:.4f}, variance {test.var().item():.3f})")


if __name__ == "__main__":
    main()
