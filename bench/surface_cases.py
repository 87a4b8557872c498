"""Losses with known answers: smooth ones for slopes, sick ones with their defect, healthy ones with none."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  (what every torch program calls it)

Span = tuple[str, float, float]


@dataclass(frozen=True)
class Loss:
    """A loss, its axes, and what `surface` should say about it."""

    name: str
    function: Callable[..., Any]
    x: Span
    y: Span | None = None
    want: Any = None
    start: Any = None
    kinds: tuple[str, ...] = field(default=())


def _nll(a: Tensor, b: Tensor) -> Tensor:
    return F.cross_entropy(torch.stack([a, b], -1), torch.zeros(a.shape, dtype=torch.long), reduction="none")


def _contrast(pos: Tensor, neg: Tensor) -> Tensor:
    return -torch.log_softmax(torch.stack([pos, neg, neg, neg]) / 0.1, dim=0)[0]


def _kl(p: Tensor, q: Tensor) -> Tensor:
    return p * torch.log(p / q) + (1 - p) * torch.log((1 - p) / (1 - q))


def _kink(x: Tensor) -> Tensor:
    return torch.where(x > 0.5, 1000 * (x - 0.5) + 0.005, 0.01 * x)


# Twenty smooth functions: their slopes are compared with finite differences in float64.
SMOOTH: tuple[Loss, ...] = (
    Loss("square", lambda x: (x - 0.3) ** 2, ("x", -2, 2)),
    Loss("cube", lambda x: x**3 - x, ("x", -2, 2)),
    Loss("sine", lambda x: torch.sin(3 * x) * x, ("x", -2, 2)),
    Loss("softplus", lambda z: F.softplus(-z), ("z", -8, 8)),
    Loss("log", lambda p: -torch.log(p), ("p", 0.1, 1)),
    Loss("tanh", lambda x: torch.tanh(x) ** 2, ("x", -3, 3)),
    Loss(
        "logistic",
        lambda z: F.binary_cross_entropy_with_logits(z, torch.ones_like(z), reduction="none"),
        ("z", -9, 9),
    ),
    Loss("log-cosh", lambda e: torch.log(torch.cosh(e)), ("e", -4, 4)),
    Loss("poisson", lambda z: F.poisson_nll_loss(z, torch.full_like(z, 3.0), reduction="none"), ("z", -3, 3)),
    Loss("cauchy", lambda e: torch.log1p(e**2), ("e", -5, 5)),
    Loss("cross-entropy", _nll, ("a", -5, 5), ("b", -5, 5)),
    Loss("contrast", _contrast, ("pos", -1, 1), ("neg", -1, 1)),
    Loss("kl", _kl, ("p", 0.1, 0.9), ("q", 0.1, 0.9)),
    Loss("product", lambda a, b: 1 - a * b, ("a", -1, 1), ("b", -1, 1)),
    Loss("valley", lambda a, b: (1 - a) ** 2 + 5 * (b - a * a) ** 2, ("a", -2, 2), ("b", -1, 3)),
    Loss(
        "gauss",
        lambda m, s: F.gaussian_nll_loss(m, torch.zeros_like(m), s, reduction="none"),
        ("m", -2, 2),
        ("s", 0.2, 3),
    ),
    Loss("vae", lambda m, v: -0.5 * (1 + v - m**2 - v.exp()), ("m", -3, 3), ("v", -3, 3)),
    Loss("cosine", lambda u, v: 1 - u / torch.sqrt(u**2 + v**2), ("u", 0.2, 1), ("v", 0.2, 1)),
    Loss("scalar", lambda a, b: torch.stack([a, b]).norm() + (a * b).sum(), ("a", 0.1, 1), ("b", 0.1, 1)),
    Loss("branching", lambda a, b: a * b if a > b else a**2 + b, ("a", -1, 1), ("b", -1, 1)),
)

# Constructed surfaces: each has its defect and no other.
SICK: tuple[Loss, ...] = (
    Loss(
        "capped hinge", lambda m: torch.relu(1 - m).clamp(max=1.0), ("m", -3, 3), want=2, kinds=("dead-zone",)
    ),
    Loss(
        "flat corner",
        lambda a, b: 4 - torch.relu(a + b) ** 2,
        ("a", -1, 1),
        ("b", -1, 1),
        want=(1, 1),
        kinds=("dead-zone",),
    ),
    Loss(
        "met at the start", lambda d: torch.relu(d - 1), ("d", -3, 3), want=3, start=0, kinds=("dead-zone",)
    ),
    Loss("constant", lambda x: x.clamp(5, 6), ("x", 0, 1), kinds=("dead-zone",)),
    Loss(
        "units",
        lambda a, b: a**2 + 1e-4 * b**2,
        ("a", -1, 1),
        ("b", -1, 1),
        want=(0, 0),
        kinds=("axis-imbalance",),
    ),
    Loss("ignored input", lambda a, b: a**2 + 0 * b, ("a", -1, 1), ("b", -1, 1), kinds=("axis-imbalance",)),
    Loss("product", lambda a, b: 1 - a * b, ("a", -1, 1), ("b", -1, 1), want=(1, 1), kinds=("saddle",)),
    Loss("pass", lambda a, b: a**2 - b**2 + b**4, ("a", -1, 1), ("b", -1, 1), kinds=("saddle",)),
    Loss("sign flipped", lambda x: -(x**2), ("x", -1, 1), want=0, kinds=("leads-away",)),
    Loss("minimum off the map", lambda x: (x - 2) ** 2, ("x", -1, 1), want=0.3, kinds=("leads-away",)),
    Loss("wrong corner", lambda a, b: a - b, ("a", -1, 1), ("b", -1, 1), want=(1, -1), kinds=("leads-away",)),
    Loss(
        "two wells", lambda x: (x**2 - 1) ** 2 + 0.3 * x, ("x", -2, 2), want=-1, kinds=("spurious-minimum",)
    ),
    Loss("ripples", lambda x: 0.5 * x**2 + torch.cos(6 * x), ("x", -2, 2), kinds=("spurious-minimum",)),
    Loss("log of 0", lambda p: -torch.log(p), ("p", 0, 1), want=1, kinds=("non-finite",)),
    Loss("root of 0", lambda p: torch.sqrt(p), ("p", 0, 1), want=0, kinds=("non-finite",)),
    Loss(
        "negative root", lambda a, b: torch.sqrt(a) + b**2, ("a", -1, 1), ("b", -1, 1), kinds=("non-finite",)
    ),
    Loss("kink", _kink, ("x", 0, 1), want=0, kinds=("cliff",)),
    Loss("step", lambda x: x**2 + (x > 0.5).double() * 3, ("x", 0, 1), want=0, kinds=("cliff",)),
    Loss(
        "hidden wall",
        lambda x: 1000 * torch.sigmoid(1000 * (x - 0.5)) + x,
        ("x", 0, 1),
        want=0,
        kinds=("cliff",),
    ),
    Loss("log1p", lambda x: torch.log1p(x), ("x", 0, 1000), want=0, kinds=("saturation",)),
    Loss(
        "squared sigmoid",
        lambda z: (1 - torch.sigmoid(z)) ** 2,
        ("z", -10, 10),
        want=10,
        kinds=("saturation",),
    ),
)

# Losses that people train with, on the ranges they see: nothing to find.
HEALTHY: tuple[Loss, ...] = (
    Loss("MSE", lambda p, t: (p - t) ** 2, ("p", -2, 2), ("t", -2, 2), want=(0, 0)),
    Loss("L1", lambda p: F.l1_loss(p, torch.zeros_like(p), reduction="none"), ("p", -3, 3), want=0),
    Loss("Huber", lambda p: F.huber_loss(p, torch.zeros_like(p), reduction="none"), ("p", -5, 5), want=0),
    Loss("cross-entropy", _nll, ("a", -5, 5), ("b", -5, 5), want=(5, -5)),
    Loss(
        "BCE of probabilities",
        lambda p: F.binary_cross_entropy(p, torch.ones_like(p), reduction="none"),
        ("p", 0.01, 0.99),
        want=0.99,
    ),
    Loss(
        "BCE of logits",
        lambda z: F.binary_cross_entropy_with_logits(z, torch.ones_like(z), reduction="none"),
        ("z", -20, 20),
        want=20,
    ),
    Loss("cosine", lambda angle: 1 - torch.cos(angle), ("angle", -math.pi, math.pi), want=0),
    Loss("InfoNCE", _contrast, ("pos", -1, 1), ("neg", -1, 1), want=(1, -1)),
    Loss("KL", _kl, ("p", 0.01, 0.99), ("q", 0.01, 0.99)),
    Loss(
        "triplet", lambda near, far: torch.relu(near - far + 0.3), ("near", 0, 2), ("far", 0, 2), want=(0, 2)
    ),
    Loss("hinge", lambda m: torch.relu(1 - m), ("m", -3, 3), want=2),
    Loss(
        "margin ranking",
        lambda a, b: F.margin_ranking_loss(a, b, torch.ones_like(a), margin=0.1, reduction="none"),
        ("a", -1, 1),
        ("b", -1, 1),
        want=(1, -1),
    ),
    Loss("focal", lambda z: (1 - torch.sigmoid(z)) ** 2 * F.softplus(-z), ("z", -8, 8), want=8),
    Loss(
        "Poisson",
        lambda z: F.poisson_nll_loss(z, torch.full_like(z, 3.0), reduction="none"),
        ("z", -3, 3),
        want=math.log(3),
    ),
    Loss(
        "Gaussian NLL",
        lambda m, s: F.gaussian_nll_loss(m, torch.zeros_like(m), s, reduction="none"),
        ("m", -2, 2),
        ("s", 0.1, 3),
    ),
    Loss("VAE's KL", lambda m, v: -0.5 * (1 + v - m**2 - v.exp()), ("m", -3, 3), ("v", -3, 3), want=(0, 0)),
    Loss("log-cosh", lambda e: torch.log(torch.cosh(e)), ("e", -5, 5), want=0),
    Loss("soft margin", lambda d: F.softplus(1 - d), ("d", -3, 3), want=2),
    Loss("quantile", lambda e: torch.maximum(0.9 * e, -0.1 * e), ("e", -3, 3), want=0),
    Loss(
        "hinge with a weak penalty",
        lambda a, b: torch.relu(b - a + 0.3) + 0.01 * (a**2 + b**2),
        ("a", -1, 1),
        ("b", -1, 1),
    ),
)
