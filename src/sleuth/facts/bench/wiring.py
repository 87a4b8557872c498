"""Experiments on the loss that need no training: permute the targets, double the batch, step downhill."""

from dataclasses import dataclass

import torch
from torch import Tensor

from sleuth.facts.bench import batches
from sleuth.facts.bench.forward import gradients, set_mode
from sleuth.facts.bench.reasons import NotApplicable
from sleuth.facts.bench.subject import Subject


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the loss reacts to. `doubling` is the loss of the doubled batch over that of the batch."""

    loss: float
    target_effect: float | None
    doubling: float | None
    gradient_doubling: float | None


@dataclass(frozen=True, slots=True)
class Downhill:
    """One small step along minus the gradient: what it promised and what it brought."""

    promised: float
    brought: float


def measure(subject: Subject, targets: tuple[str, ...]) -> Wiring:
    subject.model.eval()
    loss = subject.loss()
    effect = _target_effect(subject, targets, float(loss.detach()))
    doubling, slopes = _doubling(subject, loss)
    return Wiring(float(loss.detach()), effect, doubling, slopes)


def _target_effect(subject: Subject, targets: tuple[str, ...], loss: float) -> float | None:
    """Relative change of the loss when targets are handed to the wrong examples."""
    length = subject.examples
    if not targets or length < 2:
        return None
    order = torch.arange(length).roll(1)

    def change(name: str, tensor: Tensor) -> Tensor:
        return tensor[order] if name in targets and tensor.dim() and len(tensor) == length else tensor

    with torch.no_grad():
        moved = float(subject.loss(batches.mapped(subject.batch, change)))
    return abs(moved - loss) / max(abs(loss), 1e-12)


def _doubling(subject: Subject, loss: Tensor) -> tuple[float | None, float | None]:
    if subject.examples < 1:
        return None, None
    wanted = list(subject.parameters().values())
    try:
        twice = subject.loss(batches.doubled(subject.batch))
        once_slope = _norm(gradients(loss, wanted))
        twice_slope = _norm(gradients(twice, wanted))
    except Exception:  # the step has fixed shapes; then the question cannot be asked
        return None, None
    if abs(float(loss.detach())) < 1e-12 or once_slope == 0:
        return None, None
    return float(twice.detach()) / float(loss.detach()), twice_slope / once_slope


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
    loss = subject.loss()
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
                parameter.sub_(rate / steep * slope)
        after = subject.loss()
    set_mode(subject.model, True)
    return Downhill(rate * steep, float(loss.detach()) - float(after))
