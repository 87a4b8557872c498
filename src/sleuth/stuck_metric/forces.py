"""Question 3: is something fighting it? Other terms, the optimizer's memory, and ill conditioning."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sleuth.stuck_metric.case import Case, flat, gradients

if TYPE_CHECKING:
    from torch import Tensor

LOOK, ABSENT = 100.0, 1000.0  # ratios of gradient norms: worth a look; the smaller term is as good as absent
PROVEN = 10.0  # is enough when training was seen to end at the same value without the term
OPPOSED = -0.1  # cosine; a conflict by the cause page
STALLED = 0.5  # less than half of the term's own push is left
OLD = 100.0  # Adam divides by a scale this many times the fresh gradient
CURVATURE_STEPS = 10  # power iterations for the sharpest direction


@dataclass(frozen=True)
class Rivals:
    """Each term's gradient on the shared parameters. `left` is what remains of the own push in the sum: 1 is
    undisturbed, 0 a stalemate, below 0 the metric is driven back. `cancelled` is the share of all pushing
    lost."""

    own: str
    norms: dict[str, float]
    cosines: dict[str, float]
    cosine_rest: float | None
    cancelled: float
    left: float
    shared: int
    sharpness_ratio: float | None

    @property
    def ratio(self) -> float:
        """The loudest other term's norm over the own one."""
        mine = self.norms[self.own]
        others = [norm for name, norm in self.norms.items() if name != self.own]
        return max(others) / mine if others and mine else 0.0

    @property
    def loudest(self) -> str:
        others = {name: norm for name, norm in self.norms.items() if name != self.own}
        return max(others, key=lambda name: others[name]) if others else ""

    @property
    def conflict(self) -> bool:
        return self.cosine_rest is not None and self.cosine_rest <= OPPOSED and self.left <= STALLED

    def to_dict(self) -> dict[str, Any]:
        return {"question": "is something fighting it?", "ratio": self.ratio, **asdict(self)}


@dataclass(frozen=True)
class Inertia:
    """What the optimizer still carries: `cosine` of its momentum with the fresh step, `weight` of the one
    over the other, `damping` of Adam's remembered scale over the fresh gradient, `memory` in steps."""

    cosine: float | None
    weight: float
    damping: float | None
    memory: float

    @property
    def holds(self) -> bool:
        against = self.cosine is not None and self.cosine <= OPPOSED and self.weight >= 1
        return against or (self.damping is not None and self.damping >= OLD)

    def to_dict(self) -> dict[str, Any]:
        return {"question": "does the optimizer's memory hold it?", "holds": self.holds, **asdict(self)}


def rivals(case: Case) -> Rivals:
    """Norms, cosines and what is left of the own term's push, on the parameters that it moves."""
    import torch

    tensors = case.trainable()
    every = {case.own: case.loss, **case.rivals}
    pulls = {name: gradients(term, tensors) for name, term in every.items()}
    mine = [name for name in tensors if bool(pulls[case.own][name].any())]
    vectors = {name: flat({key: pull[key] for key in mine} or pull) for name, pull in pulls.items()}
    own = vectors[case.own]
    total = torch.stack(list(vectors.values())).sum(dim=0)
    norms = {name: float(vector.norm()) for name, vector in vectors.items()}
    size = norms[case.own]
    rest = total - own if case.rivals else None
    return Rivals(
        own=case.own,
        norms=norms,
        cosines={name: cosine(own, vectors[name]) for name in case.rivals},
        cosine_rest=None if rest is None else cosine(own, rest),
        cancelled=1 - float(total.norm()) / (sum(norms.values()) or 1.0),
        left=float(own @ total) / size**2 if size else 0.0,
        shared=sum(tensors[name].numel() for name in mine),
        sharpness_ratio=sharpness_ratio(case),
    )


def cosine(one: "Tensor", two: "Tensor") -> float:
    sizes = float(one.norm()) * float(two.norm())
    return float(one @ two) / sizes if sizes else 0.0


def sharpness_ratio(case: Case) -> float | None:
    """Conditioning: the largest curvature of the total loss over the curvature along the own term's push.

    The learning rate is bounded by the first, progress is made along the second. None without second
    derivatives.
    """
    import torch

    tensors = list(case.trainable().values())
    total = case.loss
    for term in case.rivals.values():
        total = total + term
    try:
        first = torch.autograd.grad(total, tensors, create_graph=True, allow_unused=True)
        whole = torch.cat(
            [
                (torch.zeros_like(t) if g is None else g).reshape(-1)
                for g, t in zip(first, tensors, strict=True)
            ]
        )
        push = flat(gradients(case.loss, case.trainable()))
        along = abs(_curvature(whole, tensors, push)[0])
        probe = torch.randn(whole.shape, generator=torch.Generator().manual_seed(0)).to(whole)
        sharp = 0.0
        for _ in range(CURVATURE_STEPS):
            sharp, probe = _curvature(whole, tensors, probe)
    except RuntimeError:  # no second derivative, or none that depends on the parameters
        return None
    return abs(sharp) / along if along else None


def inertia(case: Case, optimizer: Any) -> Inertia | None:
    """The optimizer's buffers against the fresh gradient of all terms; None when it carries nothing yet."""
    import torch

    tensors = case.trainable()
    fresh = gradients(case.loss, tensors)
    for term in case.rivals.values():
        fresh = {name: fresh[name] + more for name, more in gradients(term, tensors).items()}
    state = {name: optimizer.state.get(tensor, {}) for name, tensor in tensors.items()}
    group = optimizer.param_groups[0]
    moving = {name: one for name, entry in state.items() if (one := _momentum(entry)) is not None}
    scales = [
        pair for name, entry in state.items() if (pair := _scale(entry, fresh[name], group)) is not None
    ]
    if not moving and not scales:
        return None
    decay = float(group["betas"][0]) if "betas" in group else float(group.get("momentum", 0.0))
    # SGD's buffer is a sum, 1 / (1 - momentum) times a gradient when all is steady; Adam's is a mean.
    share = 1.0 if "betas" in group else 1.0 - decay
    old = flat(moving) * share if moving else None
    now = flat({name: fresh[name] for name in moving}) if moving else None
    return Inertia(
        cosine=None if old is None or now is None else cosine(old, now),
        weight=0.0 if old is None or now is None else float(old.norm()) / (float(now.norm()) or 1e-30),
        damping=float(torch.cat(scales).median()) if scales else None,
        memory=1 / (1 - decay) if decay < 1 else float("inf"),
    )


def _curvature(whole: "Tensor", tensors: list["Tensor"], direction: "Tensor") -> tuple[float, "Tensor"]:
    """v·Hv for a unit v, and Hv to go on with."""
    import torch

    unit = (direction / (direction.norm() or 1.0)).to(whole)
    product = torch.autograd.grad(whole @ unit, tensors, retain_graph=True, allow_unused=True)
    line = torch.cat(
        [(torch.zeros_like(t) if g is None else g).reshape(-1) for g, t in zip(product, tensors, strict=True)]
    )
    return float(unit @ line), line.detach()


def _momentum(entry: Mapping[str, Any]) -> "Tensor | None":
    found: Tensor | None = entry.get("exp_avg", entry.get("momentum_buffer"))
    return found


def _scale(entry: Mapping[str, Any], fresh: "Tensor", group: Mapping[str, Any]) -> "Tensor | None":
    """Adam's divisor over the fresh gradient, entry by entry where there is a gradient."""
    second = entry.get("exp_avg_sq")
    if second is None or "betas" not in group:
        return None
    steps = float(entry.get("step", 1))
    corrected = second / (1 - float(group["betas"][1]) ** max(steps, 1.0))
    alive = fresh != 0
    return (corrected.sqrt()[alive] / fresh[alive].abs()).double().reshape(-1) if bool(alive.any()) else None
