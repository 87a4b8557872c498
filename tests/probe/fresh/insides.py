# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Equations, activations, attention, hand-written gradients."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.shared import Flat, Made, adam, answer, sgd, table


class Field(nn.Module):
    def __init__(self, width: int = 24, inner: Callable[[], nn.Module] = nn.Tanh) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(1, width), inner(), nn.Linear(width, width), inner(), nn.Linear(width, 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


def equation(model: nn.Module, x: Tensor, weight: float = 1.0) -> Tensor:
    x = x.clone().requires_grad_()
    u = model(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), x, create_graph=True)
    start = model(torch.zeros(1, 1)) - 1
    return (ddu + 4 * u).pow(2).mean() + weight * start.pow(2).mean()


@answer()
def pinn_for_an_oscillator() -> Made:
    model = Field()
    return {"model": model, "batch": torch.rand(40, 1) * 2, "step": equation, "optimizer": adam(model)}


@answer("missing-nonlinearity")
def deep_linear_regression() -> Made:
    model = nn.Sequential(
        nn.Linear(10, 64), nn.Dropout(0.1), nn.Linear(64, 64), nn.Linear(64, 1), nn.Flatten(0)
    )
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("saturated-activations", "bad-init-scale")
def tanh_net_with_large_weights() -> Made:
    model = nn.Sequential(
        nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0)
    )
    for module in model:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=3.0)
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("vanishing-gradients")
def twenty_sigmoid_layers() -> Made:
    parts: list[nn.Module] = [nn.Linear(10, 32)]
    for _ in range(12):
        parts += [nn.Sigmoid(), nn.Linear(32, 32)]
    model = nn.Sequential(*parts, nn.Sigmoid(), nn.Linear(32, 1), nn.Flatten(0))
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("dropout-ignores-mode")
def attention_dropout_that_stays() -> Made:
    class Pool(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.kv, self.head = nn.Linear(8, 8), nn.Linear(8, 16), nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            k, v = self.kv(x).chunk(2, -1)
            h = F.scaled_dot_product_attention(self.q(x), k, v, dropout_p=0.2)
            return self.head(h.mean(1))

    model = Pool()
    batch = (torch.randn(16, 6, 8), torch.randint(3, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": adam(model)}


@answer("wrong-gradient")
def hand_written_swish() -> Made:
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x)
            return x * x.sigmoid()

        @staticmethod
        def backward(ctx: Any, *slopes: Tensor) -> Tensor:
            (x,) = ctx.saved_tensors
            return slopes[0] * x.sigmoid()  # the second part is missing

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(10, 32), nn.Linear(32, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.two(Swish.apply(self.one(x))).squeeze(1)

    model = Net()
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer()
def quantised_with_straight_through() -> Made:
    """A gradient that is wrong on purpose, as rounding layers have it, written without a custom function."""
    model = Flat(True)

    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        rounded = out + (out.round() - out).detach()
        return F.mse_loss(rounded, batch[1])

    return {"model": model, "batch": table(), "step": step, "optimizer": adam(model)}


@answer()
def graph_network() -> Made:
    """One graph: rows are nodes, and nodes shall influence each other."""

    class Gcn(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(6, 16), nn.Linear(16, 3)

        def forward(self, x: Tensor, edges: Tensor) -> Tensor:
            return self.two(edges @ F.relu(self.one(edges @ x)))

    model = Gcn()
    edges = (torch.rand(30, 30) < 0.15).float() + torch.eye(30)
    batch = (torch.randn(30, 6), edges / edges.sum(1, keepdim=True), torch.randint(3, (30,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": adam(model)}


@answer()
def mixture_density() -> Made:
    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.out = nn.Sequential(nn.Linear(10, 32), nn.Tanh()), nn.Linear(32, 9)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            weight, mean, spread = self.out(self.body(x)).chunk(3, 1)
            return weight.log_softmax(1), mean, F.softplus(spread) + 1e-3

    def loss(out: Any, target: Tensor) -> Tensor:
        weight, mean, spread = out
        each = torch.distributions.Normal(mean, spread).log_prob(target[:, None])
        return -torch.logsumexp(weight + each, 1).mean()

    model = Mixture()
    return {"model": model, "batch": table(), "loss_fn": loss, "optimizer": adam(model)}


@answer()
def detection_with_boxes() -> Made:
    class Detector(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.ReLU())
            self.score, self.box = nn.Conv2d(8, 4, 1), nn.Conv2d(8, 4, 1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            h = self.body(x)
            return self.score(h), self.box(h).sigmoid()

    def step(model: nn.Module, batch: Any) -> Tensor:
        score, box = model(batch["image"])
        seen = (batch["kind"] >= 0).float()
        found = F.cross_entropy(score, batch["kind"].clamp(min=0), reduction="none")
        near = F.smooth_l1_loss(box, batch["box"], reduction="none").mean(1)
        return ((found + near) * seen).sum() / seen.sum().clamp(min=1)

    model = Detector()
    batch = {"image": torch.randn(6, 3, 16, 16), "kind": torch.randint(-1, 4, (6, 8, 8)),
             "box": torch.rand(6, 4, 8, 8)}  # fmt: skip
    return {"model": model, "batch": batch, "step": step, "optimizer": sgd(model)}


@answer("softmax-wrong-dim")
def attention_over_the_queries() -> Made:
    class Attend(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.head = nn.Linear(8, 24), nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            q, k, v = self.qkv(x).chunk(3, -1)
            weight = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, dim=1)
            return self.head((weight @ v).mean(1))

    model = Attend()
    batch = (torch.randn(16, 6, 8), torch.randint(3, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": adam(model)}
