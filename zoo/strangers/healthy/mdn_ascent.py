"""Mixture density network for an inverse problem (one x, several y); the log-likelihood is climbed directly."""
import argparse
import math

import torch
from torch import nn


class MDN(nn.Module):
    def __init__(self, k=6, hidden=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.out = nn.Linear(hidden, 3 * k)
        with torch.no_grad():
            self.out.weight.mul_(0.1)
            self.out.bias[k:2 * k] = torch.linspace(-1.5, 1.5, k)

    def log_prob(self, x, y):
        logit, mu, raw = self.out(self.body(x)).chunk(3, dim=1)
        log_sd = raw.clamp(-4.5, 3)
        comp = -0.5 * ((y - mu) / log_sd.exp()) ** 2 - log_sd - 0.5 * math.log(2 * math.pi)
        return torch.logsumexp(comp + logit.log_softmax(1), dim=1)

    @torch.no_grad()
    def sample(self, x):
        logit, mu, raw = self.out(self.body(x)).chunk(3, dim=1)
        pick = torch.multinomial(logit.softmax(1), 1)
        return mu.gather(1, pick) + raw.clamp(-4.5, 3).exp().gather(1, pick) * torch.randn(len(x), 1)


def draw(n, gen):
    y = torch.rand(n, 1, generator=gen) * 2 - 1
    x = 1.5 * y + 1.1 * torch.sin(2 * math.pi * y) + 0.12 * torch.randn(n, 1, generator=gen)
    return x, y


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=1200)
    p.add_argument("--lr", type=float, default=4e-3)
    args = p.parse_args()

    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    (x, y), (xt, yt) = draw(6000, gen), draw(2000, gen)
    sx, sy = x.std(), y.std()
    x, xt, y, yt = x / sx, xt / sx, y / sy, yt / sy

    model = MDN()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, maximize=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.steps)
    avg = 0.0
    for step in range(1, args.steps + 1):
        idx = torch.randint(len(x), (256,))
        objective = model.log_prob(x[idx], y[idx]).mean()
        opt.zero_grad()
        objective.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        avg += objective.item()
        if step % 150 == 0:
            with torch.no_grad():
                held = model.log_prob(xt, yt).mean().item()
            print(f"step {step:5d}  train log-lik {avg / 150:+.4f}  held-out log-lik {held:+.4f}")
            avg = 0.0
    s = model.sample(xt) * sy
    back = 1.5 * s + 1.1 * torch.sin(2 * math.pi * s)
    marginal = torch.distributions.Normal(y.mean(), y.std()).log_prob(yt).mean()
    print(f"held-out log-lik {held:+.3f} (marginal gaussian {marginal:+.3f}); median re-projection error of samples {(back - xt * sx).abs().median():.3f} (noise alone 0.081)")


if __name__ == "__main__":
    main()
