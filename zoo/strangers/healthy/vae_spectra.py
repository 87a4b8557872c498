import math
from dataclasses import dataclass

import torch
from torch import nn
from tqdm import tqdm


@dataclass
class Cfg:
    bins: int = 64
    latent: int = 4
    hidden: int = 96
    n_train: int = 4000
    n_val: int = 1000
    epochs: int = 25
    batch: int = 100
    lr: float = 1.5e-3
    kl_warmup: int = 300
    seed: int = 77


def raman(n: int, bins: int, gen: torch.Generator) -> torch.Tensor:
    """Mixtures of two compounds with a drifting line and a sloping background."""
    ax = torch.linspace(0, 1, bins)
    share = torch.rand(n, 1, generator=gen)
    drift = 0.04 * torch.randn(n, 1, generator=gen)
    slope = 0.3 * torch.randn(n, 1, generator=gen)
    peak = lambda c, w: torch.exp(-0.5 * ((ax - c) / w) ** 2)
    a = peak(0.25 + drift, 0.04) + 0.6 * peak(0.7 + drift, 0.06)
    b = 0.9 * peak(0.45 + drift, 0.05) + 0.5 * peak(0.85 + drift, 0.03)
    return share * a + (1 - share) * b + slope * (ax - 0.5) + 0.06 * torch.randn(n, bins, generator=gen)


class VAE(nn.Module):
    def __init__(self, c: Cfg):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(c.bins, c.hidden), nn.ELU(), nn.Linear(c.hidden, c.hidden), nn.ELU())
        self.to_mu = nn.Linear(c.hidden, c.latent)
        self.to_logvar = nn.Linear(c.hidden, c.latent)
        self.dec = nn.Sequential(nn.Linear(c.latent, c.hidden), nn.ELU(),
                                 nn.Linear(c.hidden, c.hidden), nn.ELU(), nn.Linear(c.hidden, c.bins))
        self.log_sigma = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.to_mu(h), self.to_logvar(h)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.dec(z), mu, logvar

    def terms(self, x):
        rec, mu, logvar = self(x)
        nll = 0.5 * ((x - rec) / self.log_sigma.exp()) ** 2 + self.log_sigma + 0.5 * math.log(2 * math.pi)
        kl = 0.5 * (mu ** 2 + logvar.exp() - 1 - logvar)
        return nll.sum(1).mean(), kl.sum(1).mean(), (x - rec).pow(2).mean()


def main(c: Cfg = Cfg()):
    torch.manual_seed(c.seed)
    gen = torch.Generator().manual_seed(c.seed)
    train, val = raman(c.n_train, c.bins, gen), raman(c.n_val, c.bins, gen)
    centre, scale = train.mean(0), train.std()
    train, val = (train - centre) / scale, (val - centre) / scale

    vae = VAE(c)
    opt = torch.optim.Adam(vae.parameters(), lr=c.lr)
    step = 0
    bar = tqdm(range(c.epochs), desc="vae", mininterval=1)
    for _ in bar:
        vae.train()
        for rows in torch.randperm(c.n_train).split(c.batch):
            beta = min(1.0, (step + 1) / c.kl_warmup)
            nll, kl, _ = vae.terms(train[rows])
            loss = nll + beta * kl
            opt.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(vae.parameters(), 50.0)
            opt.step()
            step += 1
        vae.eval()
        with torch.no_grad():
            v_nll, v_kl, v_mse = vae.terms(val)
        bar.set_postfix(train=f"{loss.item():.1f}", val=f"{(v_nll + v_kl).item():.1f}", kl=f"{v_kl.item():.2f}")

    sd = train.std(0)
    gauss = (0.5 * (val / sd) ** 2 + sd.log() + 0.5 * math.log(2 * math.pi)).sum(1).mean().item()
    print(f"negative ELBO on held-out spectra {(v_nll + v_kl).item():.2f} nats, per-bin gaussian {gauss:.2f} nats")
    print(f"reconstruction MSE {v_mse.item():.4f}, mean spectrum {val.pow(2).mean().item():.4f}, "
          f"noise floor {(0.06 / scale.item()) ** 2:.4f}, sigma {vae.log_sigma.exp().item():.3f}")


if __name__ == "__main__":
    main()
