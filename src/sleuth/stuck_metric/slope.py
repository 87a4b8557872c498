"""Question 1: does the loss care? Its slope by the metric, here, elsewhere, and against other terms."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sleuth.stuck_metric.case import Case, flat, gradients

if TYPE_CHECKING:
    from torch import Tensor

# Doubling the metric would change the loss by a thousandth of itself: nothing an optimizer notices.
INDIFFERENT = 1e-3
# The loss is in the upper half of what nearby metrics give, and a hundred times steeper elsewhere (log1p far
# out).
FADED, UPPER = 0.01, 0.5
SCALES = (1e-3, 1e-2, 0.1, 0.5, 0.9, 1.1, 2.0, 10.0)


@dataclass(frozen=True)
class Care:
    """`slope` is |d loss / d metric|, `relative` that slope times metric over loss, `faded` slope over the
    steepest.

    `pushes` compares the terms where it counts: each one's gradient norm on the parameters.
    """

    metric: float
    loss: float
    connected: bool
    slope: float
    relative: float
    faded: float
    high: bool
    pushes: dict[str, float]

    @property
    def cares(self) -> bool:
        return self.connected and self.relative > INDIFFERENT and not (self.faded <= FADED and self.high)

    def to_dict(self) -> dict[str, Any]:
        return {"question": "does the loss care?", "cares": self.cares, **asdict(self)}


def care(case: Case) -> Care:
    """The slope of the loss at the metric's present value."""
    slope = loss_slope(case)
    size = float(case.metric.detach().double().norm())
    loss = float(case.loss.detach())
    steep = 0.0 if slope is None else float(slope.double().norm())
    relative = steep * max(size, 1.0) / abs(loss) if loss else steep * max(size, 1.0)
    faded, high = _elsewhere(case, steep, loss)
    return Care(
        metric=float(case.metric.detach().double().mean()),
        loss=loss,
        connected=slope is not None,
        slope=steep,
        relative=relative,
        faded=faded,
        high=high,
        pushes=_pushes(case),
    )


def loss_slope(case: Case) -> "Tensor | None":
    """d loss / d metric, or None when no path leads from the one to the other."""
    import torch

    if case.loss_of is not None:
        return _slope_of(case.loss_of, case.metric.detach())
    if not case.loss.requires_grad or not case.metric.requires_grad:
        return None
    return torch.autograd.grad(case.loss, case.metric, retain_graph=True, allow_unused=True)[0]


def _slope_of(loss_of: Callable[["Tensor"], "Tensor"], at: "Tensor") -> "Tensor | None":
    import torch

    with torch.enable_grad():
        leaf = at.clone().requires_grad_()
        value = loss_of(leaf)
        if not value.requires_grad:
            return None
        return torch.autograd.grad(value.sum(), leaf, allow_unused=True)[0]


def _elsewhere(case: Case, here: float, loss: float) -> tuple[float, bool]:
    """How the slope compares with the steepest at other metrics, and whether the loss is high."""
    import math

    import torch

    if case.loss_of is None or case.metric.numel() > 1:
        return 1.0, False
    slopes, losses = [here], [loss]
    for scale in SCALES:
        try:
            at = case.metric.detach() * scale
            slope = _slope_of(case.loss_of, at)
            with torch.no_grad():
                value = float(case.loss_of(at))
        except Exception:  # outside the loss's domain: nothing to learn there
            continue
        if slope is not None and math.isfinite(float(slope)) and math.isfinite(value):
            slopes.append(abs(float(slope)))
            losses.append(value)
    high = loss >= min(losses) + UPPER * (max(losses) - min(losses))
    return (here / max(slopes) if max(slopes) else 1.0), high


def _pushes(case: Case) -> dict[str, float]:
    tensors = case.trainable()
    every = {case.own: case.loss, **case.rivals}
    return {name: float(flat(gradients(term, tensors)).norm()) for name, term in every.items()}
