"""Density estimation with a small RealNVP on two crescents.

The figure of merit is negative log-likelihood in nats. The data live on thin curves, so densities exceed one and the
NLL is expected to pass through zero and end below it.
"""
import math

import torch
from sklearn.datasets import make_moons
from torch import nn

SEED, STEPS, BATCH, PEAK_LR, WARMUP = 11, 750, 400, 6e-3, 50


class ActNorm(nn.Module):
    """Per-feature affine map whose first values are taken from the first training batch."""

    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x):
        if self.training and not self.ready:
            with torch.no_grad():
                self.loc.copy_(-x.mean(0))
                self.log_scale.copy_(-x.std(0).clamp_min(1e-3).log())
                self.ready.fill_(True)
        return (x + self.loc) * self.log_scale.exp(), self.log_scale.sum().expand(len(x))


class Coupling(nn.Module):
    def __init__(self, keep_first, hidden=64):
        super().__init__()
        self.keep_first = keep_first
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(),
                                 nn.Linear(hidden, 2))
        nn.init.zeros_(self.net[-1].weight)  # start as the identity map
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, dim=1) if self.keep_first else x.flip(1).chunk(2, dim=1)
        raw, shift = self.net(a).chunk(2, dim=1)
        log_s = 2.0 * torch.tanh(raw / 2.0)
        b = b * log_s.exp() + shift
        y = torch.cat([a, b], 1)
        return (y if self.keep_first else y.flip(1)), log_s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, blocks=5):
        super().__init__()
        layers = []
        for i in range(blocks):
            layers += [ActNorm(2), Coupling(keep_first=i % 2 == 0)]
        self.layers = nn.ModuleList(layers)

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            total = total + ld
        return total - 0.5 * x.square().sum(1) - math.log(2 * math.pi)


def crescents(n, seed):
    pts, _ = make_moons(n, noise=0.04, random_state=seed)
    return 0.5 * torch.tensor(pts, dtype=torch.float32)


def main():
    torch.manual_seed(SEED)
    train, held_out = crescents(20000, 1), crescents(4000, 2)
    # coordinates in decimetres, of order one; the first ActNorm standardises them from a training batch
    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=PEAK_LR, fused=True)
    running = None
    flow.train()
    for step in range(STEPS):
        frac = (step + 1) / WARMUP if step < WARMUP else 0.5 * (
            1 + math.cos(math.pi * (step - WARMUP) / (STEPS - WARMUP)))
        for group in opt.param_groups:
            group["lr"] = PEAK_LR * max(frac, 0.01)
        batch = train[torch.randint(len(train), (BATCH,))]
        nll = -flow.log_prob(batch).mean()
        opt.zero_grad()
        nll.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        running = nll.item() if running is None else 0.97 * running + 0.03 * nll.item()
        if (step + 1) % 100 == 0:
            flow.eval()
            with torch.no_grad():
                val = -flow.log_prob(held_out).mean().item()
            flow.train()
            print(f"step {step + 1:5d}  train nll {running:+.3f}  held-out nll {val:+.3f}")

    flow.eval()
    with torch.no_grad():
        final = -flow.log_prob(held_out).mean().item()
        seen = -flow.log_prob(train[:4000]).mean().item()
    gauss = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    print(f"final: train {seen:+.3f}  held-out {final:+.3f}  "
          f"(single Gaussian: {-gauss.log_prob(held_out).mean().item():+.3f})")


if __name__ == "__main__":
    main()
