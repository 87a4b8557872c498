"""Mixture density network for a one-to-many inverse problem.

x = t + 0.3 sin(2 pi t) + noise is easy to predict from t, but several t fit one
x. The network outputs a mixture of Gaussians over t given x; training minimises
the negative log-likelihood with Adam first and L-BFGS on the full data after.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class MdnConfig:
    samples: int = 6000
    components: int = 6
    hidden: int = 32
    adam_epochs: int = 30
    adam_lr: float = 5e-3
    batch_size: int = 128
    lbfgs_rounds: int = 4
    seed: int = 6


class MixtureDensityNetwork(nn.Module):
    def __init__(self, components: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.mixture = nn.Linear(hidden, 3 * components)
        with torch.no_grad():
            centres = torch.linspace(-1.5, 1.5, components)
            self.mixture.bias[components:2 * components].copy_(centres)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        weight_logits, means, log_scales = self.mixture(self.body(x)).chunk(3, dim=-1)
        return torch.log_softmax(weight_logits, dim=-1), means, log_scales.clamp(-5.0, 2.0)


def negative_log_likelihood(model: MixtureDensityNetwork, x: Tensor, t: Tensor) -> Tensor:
    """Mean over the batch of -log p(t | x); `t` has shape (n, 1) and meets every component."""
    log_weights, means, log_scales = model(x)
    z = (t - means) * torch.exp(-log_scales)
    log_normal = -0.5 * z.square() - log_scales - 0.5 * math.log(2 * math.pi)
    terms = log_weights + log_normal
    peak = terms.max(dim=-1, keepdim=True).values
    log_likelihood = peak.squeeze(-1) + (terms - peak).exp().sum(dim=-1).log()
    return -log_likelihood.mean()


def sample_problem(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    t = torch.rand(n, 1, generator=generator)
    x = t + 0.3 * torch.sin(2 * math.pi * t) + 0.03 * torch.randn(n, 1, generator=generator)
    return x, t


def train_adam(model: MixtureDensityNetwork, x: Tensor, t: Tensor, cfg: MdnConfig) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.adam_lr)
    for epoch in range(1, cfg.adam_epochs + 1):
        model.train()
        total = 0.0
        for batch in torch.randperm(len(x)).split(cfg.batch_size):
            loss = negative_log_likelihood(model, x[batch], t[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        if epoch % 5 == 0:
            print(f"adam   epoch {epoch:2d}  nll {total / len(x):.4f}")


def train_lbfgs(model: MixtureDensityNetwork, x: Tensor, t: Tensor, cfg: MdnConfig) -> None:
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=10, history_size=20, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = negative_log_likelihood(model, x, t)
        loss.backward()
        return loss

    for round_ in range(1, cfg.lbfgs_rounds + 1):
        loss = optimizer.step(closure)
        print(f"l-bfgs round {round_:2d}  nll {loss.item():.4f}")


@torch.no_grad()
def report(name: str, model: MixtureDensityNetwork, x: Tensor, t: Tensor) -> float:
    model.eval()
    nll = negative_log_likelihood(model, x, t).item()
    gaussian = 0.5 * math.log(2 * math.pi * math.e * t.var().item())
    print(f"{name} nll {nll:.4f} (a single Gaussian that ignores x: {gaussian:.4f})")
    return nll


def main() -> None:
    cfg = MdnConfig()
    torch.manual_seed(cfg.seed)
    generator = torch.Generator().manual_seed(cfg.seed)
    x, t = sample_problem(cfg.samples, generator)
    x_test, t_test = sample_problem(1000, generator)
    x_mean, x_std, t_mean, t_std = x.mean(), x.std(), t.mean(), t.std()
    x, x_test = (x - x_mean) / x_std, (x_test - x_mean) / x_std
    t, t_test = (t - t_mean) / t_std, (t_test - t_mean) / t_std

    model = MixtureDensityNetwork(cfg.components, cfg.hidden)
    report("before training:", model, x_test, t_test)
    train_adam(model, x, t, cfg)
    train_lbfgs(model, x, t, cfg)
    report("test:", model, x_test, t_test)


if __name__ == "__main__":
    main()
