# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""What generates: autoencoders, adversaries, diffusion, flows."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.shared import Made, adam, answer


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.mean, self.spread = nn.Linear(32, 4), nn.Linear(32, 4)
        self.decode = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 20))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.encode(x)
        mean, spread = self.mean(h), self.spread(h)
        return self.decode(mean + torch.randn_like(mean) * (0.5 * spread).exp()), mean, spread


def kl(mean: Tensor, spread: Tensor) -> Tensor:
    return -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum(1).mean()


@answer()
def vae_on_bits() -> Made:
    model = Vae()

    def step(model: nn.Module, x: Tensor) -> Tensor:
        out, mean, spread = model(x)
        return F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1).mean() + kl(mean, spread)

    return {
        "model": model,
        "batch": (torch.rand(32, 20) > 0.6).float(),
        "step": step,
        "optimizer": adam(model),
    }


@answer("wrong-reduction")
def vae_mean_and_sum_mixed() -> Made:
    model = Vae()

    def step(model: nn.Module, x: Tensor) -> Tensor:
        out, mean, spread = model(x)
        divergence = -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum()
        return F.mse_loss(out, x) + divergence

    return {"model": model, "batch": torch.randn(32, 20), "step": step, "optimizer": adam(model)}


class Gan(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.g = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
        self.d = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))


def critic(detach: bool) -> Made:
    model = Gan()

    def step(model: Any, real: Tensor) -> Tensor:
        fake = model.g(torch.randn(len(real), 4))
        good, bad = model.d(real), model.d(fake.detach() if detach else fake)
        return F.binary_cross_entropy_with_logits(
            good, torch.ones_like(good)
        ) + F.binary_cross_entropy_with_logits(bad, torch.zeros_like(bad))

    optimizers = [torch.optim.Adam(model.d.parameters(), 2e-4), torch.optim.Adam(model.g.parameters(), 2e-4)]
    return {"model": model, "batch": torch.randn(32, 2), "step": step, "optimizer": optimizers}


@answer()
def critic_step_of_a_gan() -> Made:
    return critic(True)


@answer("missing-detach")
def critic_step_without_detach() -> Made:
    return critic(False)


@answer()
def wasserstein_critic_with_penalty() -> Made:
    model = Gan()

    def step(model: Any, real: Tensor) -> Tensor:
        fake = model.g(torch.randn(len(real), 4)).detach()
        share = torch.rand(len(real), 1)
        between = (share * real + (1 - share) * fake).requires_grad_()
        (slope,) = torch.autograd.grad(model.d(between).sum(), between, create_graph=True)
        return model.d(fake).mean() - model.d(real).mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()

    optimizers = [torch.optim.Adam(model.d.parameters(), 1e-4), torch.optim.Adam(model.g.parameters(), 1e-4)]
    return {"model": model, "batch": torch.randn(32, 2), "step": step, "optimizer": optimizers}


class Denoiser(nn.Module):
    def __init__(self, cut: bool = False) -> None:
        super().__init__()
        self.time, self.first = nn.Linear(16, 32), nn.Linear(2, 32)
        self.rest, self.cut = nn.Sequential(nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 2)), cut

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        angle = t[:, None] * torch.logspace(0, 2, 8)
        h = self.first(x) + self.time(torch.cat([angle.sin(), angle.cos()], 1))
        return self.rest(torch.tensor(h.detach().numpy()) if self.cut else h)


def noised(model: nn.Module, x: Tensor) -> Tensor:
    t = torch.rand(len(x))
    noise, keep = torch.randn_like(x), (1 - t)[:, None]
    return F.mse_loss(model(keep.sqrt() * x + (1 - keep).sqrt() * noise, t), noise)


@answer()
def diffusion() -> Made:
    model = Denoiser()
    return {"model": model, "batch": torch.randn(64, 2), "step": noised, "optimizer": adam(model)}


@answer("detached-graph")
def diffusion_through_numpy() -> Made:
    model = Denoiser(cut=True)
    return {"model": model, "batch": torch.randn(64, 2), "step": noised, "optimizer": adam(model)}


@answer()
def normalising_flow() -> Made:
    class Coupling(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.nets = nn.ModuleList(
                [nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2)) for _ in range(3)]
            )

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            total = torch.zeros(len(x))
            for net in self.nets:
                scale, shift = net(x[:, :1]).chunk(2, 1)
                scale = scale.tanh()
                x = torch.cat([x[:, 1:] * scale.exp() + shift, x[:, :1]], 1)
                total = total + scale.squeeze(1)
            return x, total

    def step(model: nn.Module, x: Tensor) -> Tensor:
        z, logdet = model(x)
        return -(torch.distributions.Normal(0, 1).log_prob(z).sum(1) + logdet).mean()

    model = Coupling()
    return {"model": model, "batch": torch.randn(64, 2), "step": step, "optimizer": adam(model)}
