"""torch's own operations at their poles, as examples of what a surface shows and of how to avoid it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Pole:
    """One operation at its pole: what comes out there, what `surface` finds, and the safe way to write it."""

    name: str
    formula: str
    at: float
    loss: float
    slope: float
    kinds: tuple[str, ...]
    instead: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "formula": self.formula,
            "at": self.at,
            "loss": self.loss,
            "slope": self.slope,
            "kinds": list(self.kinds),
            "instead": self.instead,
        }


@dataclass(frozen=True)
class _Example:
    name: str
    formula: str
    function: Callable[["Tensor"], "Tensor"]
    span: tuple[float, float]
    at: float
    instead: str


def poles(n: int = 81) -> tuple[Pole, ...]:
    """Every example, evaluated with the torch that is installed. An odd n puts a point on each pole."""
    return tuple(_look(example, n) for example in _examples())


def _look(example: _Example, n: int) -> Pole:
    import numpy as np

    from sleuth.loss_surface.grid import slopes_at
    from sleuth.loss_surface.survey import surface

    seen = surface(example.function, ("p", *example.span), n=n)
    loss, slope = slopes_at(seen.calls[0], seen.main.term, np.array([[example.at]]))
    kinds = tuple(dict.fromkeys(flaw.kind for flaw in seen.findings))
    return Pole(
        example.name, example.formula, example.at, float(loss[0]), float(slope[0, 0]), kinds, example.instead
    )


LOGITS = "binary_cross_entropy_with_logits on the logits"


def _examples() -> tuple[_Example, ...]:
    return (*_cross_entropies(), *_roots_and_logarithms(), *_directions())


def _cross_entropies() -> Iterator[_Example]:
    import torch
    from torch.nn import functional

    def entropy(p: "Tensor", target: float) -> "Tensor":
        return functional.binary_cross_entropy(p, torch.full_like(p, target), reduction="none")

    def from_logits(p: "Tensor") -> "Tensor":
        return functional.binary_cross_entropy_with_logits(p, torch.ones_like(p), reduction="none")

    unit = (0.0, 1.0)
    zero, one = "binary_cross_entropy(p, 0)", "binary_cross_entropy(p, 1)"
    yield _Example("BCE at 0, target 1", one, lambda p: entropy(p, 1.0), unit, 0.0, LOGITS)
    yield _Example("BCE at 1, target 0", zero, lambda p: entropy(p, 0.0), unit, 1.0, LOGITS)
    formula, healthy = "binary_cross_entropy_with_logits(p, 1)", "nothing: finite and steep where it is wrong"
    yield _Example("BCE from logits (healthy)", formula, from_logits, (-60.0, 60.0), -60.0, healthy)


def _roots_and_logarithms() -> Iterator[_Example]:
    import torch

    def far(p: "Tensor") -> "Tensor":
        return -torch.log(1 - torch.sigmoid(p))

    unit, both = (0.0, 1.0), (-1.0, 1.0)
    safe = "log(p + eps), or log_softmax"
    yield _Example("log of 0", "-log(p)", lambda p: -torch.log(p), unit, 0.0, safe)
    softplus = "softplus(p), which is the same function"
    yield _Example("log of 1 - sigmoid", "-log(1 - sigmoid(p))", far, (0.0, 60.0), 60.0, softplus)
    yield _Example("sqrt at 0", "sqrt(p)", lambda p: torch.sqrt(p), unit, 0.0, "sqrt(p + eps)")
    yield _Example("power below 1 at 0", "p ** 0.3", lambda p: p**0.3, unit, 0.0, "(p + eps) ** 0.3")
    yield _Example("division by 0", "1 / p", lambda p: 1 / p, both, 0.0, "1 / (p + eps), p kept positive")


def _directions() -> Iterator[_Example]:
    import torch
    from torch.nn import functional

    def pair(p: "Tensor") -> "Tensor":
        return torch.stack([p, torch.zeros_like(p)], dim=-1)

    def by_hand(p: "Tensor") -> "Tensor":
        vector = pair(p)
        length: Tensor = torch.linalg.vector_norm(vector, dim=-1, keepdim=True)
        return (vector / length)[..., 0]

    def by_torch(p: "Tensor") -> "Tensor":
        return functional.normalize(pair(p), dim=-1)[..., 0]

    both = (-1.0, 1.0)
    away = "normalize(v, eps=1e-6), and keep v away from 0"
    yield _Example("normalise at 0, by hand", "(v / v.norm())[0], v = (p, 0)", by_hand, both, 0.0, away)
    larger = "a larger eps: the default 1e-12 bounds the gradient at 1e12"
    yield _Example("normalise at 0, by torch", "normalize(v)[0], v = (p, 0)", by_torch, both, 0.0, larger)
    clamped = "acos(p.clamp(-1+eps, 1-eps))"
    yield _Example("arccos at 1", "acos(p)", lambda p: torch.acos(p), both, 1.0, clamped)
