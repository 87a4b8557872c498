"""Experiments on the loss that need no training: permute the targets, double the batch, step downhill."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from sleuth.measure import batches
from sleuth.measure.forward import Run, gradients, trace
from sleuth.measure.loss_terms import averages_by_number
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.subject import Subject
from sleuth.torch_losses import COMPARES_NUMBERS


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the loss reacts to. `doubling` is the loss of the doubled batch over that of the batch."""

    loss: float
    target_effect: float | None
    doubling: float | None
    gradient_doubling: float | None


@dataclass(frozen=True, slots=True)
class Downhill:
    """One small step along minus the gradient: what it promised, what it brought, and the error by it.

    The error is the distance between prediction and target: the share of wrong classes, or the mean gap.
    """

    promised: float
    brought: float
    error_before: float | None
    error_after: float | None


def measure(subject: Subject, targets: tuple[str, ...]) -> Wiring:
    subject.model.eval()
    with torch.no_grad():
        loss = float(subject.loss())
    return Wiring(loss, _target_effect(subject, targets, loss), *_doubling(subject))


def _target_effect(subject: Subject, targets: tuple[str, ...], loss: float) -> float | None:
    """Relative change of the loss, or of its gradient, when targets are handed to the wrong examples.

    A fresh model may say the same to every example; then the mean loss is blind and the gradient is not.
    A mean distance with every answer on one side of every target is blind to the order, gradient and all:
    it only sees the values, so all examples are also given one target, the smallest and the largest.
    """
    length = subject.examples
    held = [
        t for name, t in batches.leaves(subject.batch) if name in targets and t.dim() and len(t) == length
    ]
    if not held or length < 2:
        return None  # targets of whole graphs beside rows of nodes: none of them can be handed on
    orders = [torch.arange(length).roll(1), *(rows for t in held for rows in _one_for_all(t))]
    for order in orders:
        with torch.no_grad():
            after = float(subject.loss(_handed(subject, targets, order)))
        if after != loss:
            return abs(after - loss) / max(abs(loss), 1e-12)
    changed = _handed(subject, targets, orders[0])
    wanted = list(subject.parameters().values())
    slopes, moved = gradients(subject.loss(), wanted), gradients(subject.loss(changed), wanted)
    gaps = [a - b for a, b in zip(moved, slopes, strict=True) if a is not None and b is not None]
    return _norm(list(gaps)) / max(_norm(slopes), 1e-12)


def _one_for_all(target: Tensor) -> list[Tensor]:
    """Rows that give every example the smallest target, and the largest."""
    sizes = target.detach().float().reshape(len(target), -1).mean(1)
    return [torch.full((len(target),), int(place)) for place in (sizes.argmin(), sizes.argmax())]


def _handed(subject: Subject, targets: tuple[str, ...], order: Tensor) -> Any:
    """The batch with targets in another order."""

    def change(name: str, tensor: Tensor) -> Tensor:
        return tensor[order] if name in targets and tensor.dim() and len(tensor) == len(order) else tensor

    return batches.mapped(subject.batch, change)


GROWS = 1.5  # times, from where on it is asked why


def _doubling(subject: Subject) -> tuple[float | None, float | None]:
    """Loss and gradient of half the batch, and of that half twice: no more memory than the batch itself."""
    length = subject.examples
    if length < 1:
        return None, None
    wanted = list(subject.parameters().values())
    half = batches.take(subject.batch, torch.arange(max(length // 2, 1)))
    try:
        (once, slope), (twice, other) = (
            _measured(subject, batch, wanted) for batch in (half, batches.doubled(half))
        )
    except Exception:  # the step has fixed shapes; then the question cannot be asked
        return None, None
    if abs(once) < 1e-12 or slope == 0 or (twice > GROWS * once and averages_by_number(subject)):
        return None, None
    return twice / once, other / slope


def _measured(subject: Subject, batch: Any, wanted: Sequence[Tensor]) -> tuple[float, float]:
    loss = subject.loss(batch)
    return float(loss.detach()), _norm(gradients(loss, wanted))


def _norm(slopes: list[Tensor | None]) -> float:
    return float(
        torch.stack([s.detach().float().norm() for s in slopes if s is not None] or [torch.zeros(())]).norm()
    )


def downhill(subject: Subject) -> Downhill:
    """A gradient that is right promises a fall that comes: checked to first order."""
    subject.model.eval()
    wanted = list(subject.parameters().values())
    if not wanted:
        raise NotApplicable("the model has no trainable parameter")
    run = trace(subject, train=False)
    loss, before = run.loss, wrong(run)
    del run
    slopes = gradients(loss, wanted)
    steep = _norm(slopes)
    if steep == 0 or not torch.isfinite(loss):
        raise NotApplicable("the loss has no gradient here")
    weights = float(torch.stack([p.detach().float().norm() for p in wanted]).norm())
    rate = (
        1e-3 * max(weights, 1e-3) / steep
    )  # a step of a thousandth of the weights: small, and above rounding
    with torch.no_grad():
        for parameter, slope in zip(wanted, slopes, strict=True):
            if slope is not None:
                parameter.sub_(slope, alpha=rate / steep)
        del slopes  # as large as the model, and used up
        after = trace(subject, train=None)
    return Downhill(rate * steep, float(loss.detach()) - float(after.loss), before, wrong(after))


def wrong(run: Run) -> float | None:
    """How far predictions are from targets in the first library loss; None where that has no meaning."""
    for use in run.uses:
        given, target = use.input.detach().float(), use.target.detach()
        if use.name in ("cross_entropy", "nll_loss") and not target.is_floating_point() and given.dim() > 1:
            return float((given.argmax(1) != target)[target >= 0].float().mean())
        if use.name in COMPARES_NUMBERS and given.shape == target.shape:
            return float((given - target).abs().mean())
    return None
