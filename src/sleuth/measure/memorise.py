"""A short training on one batch, on the live model in a sandbox: can it be learned by heart?"""

import math
import time
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from sleuth.measure import batches
from sleuth.measure.forward import gradients, set_mode
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.short_training import Stepper
from sleuth.measure.subject import FORWARD, Subject

STEPS = 150
PATIENCE = 40  # steps without a new low by one hundredth: a curve that will not move any more
RATE = 3e-3  # Adam's default is 1e-3; a batch that is to be learned by heart bears a little more
REPLACEMENTS = ("noise", "shuffled", "zero")
STILL = 0.03  # of the loss at the start, over a quarter of the steps: it has not come to rest
NEAR_ZERO = 0.05  # of the loss at the start
SHARE_OF_BUDGET = 0.4


@dataclass(frozen=True, slots=True)
class Memory:
    """The curve, how it reads, and what the trained model makes of other inputs."""

    start: float
    end: float
    best: float
    steps: int
    seconds: float
    curve: tuple[float, ...]
    reading: str
    explanation: str
    ablation: tuple[tuple[str, float, float], ...]


def measure(subject: Subject, inputs: tuple[str, ...], steps: int = STEPS) -> Memory:
    wanted = list(subject.parameters().values())
    if not wanted:
        raise NotApplicable("the model has no trainable parameter")
    _without_dropout(subject.model)
    stepper = Stepper(wanted)
    started = time.monotonic()
    until = started + SHARE_OF_BUDGET * subject.budget
    curve: list[float] = []
    while len(curve) < steps and (not curve or _goes_on(subject, until)):
        loss = subject.loss()
        curve.append(float(loss.detach()))
        if not loss.requires_grad or not math.isfinite(curve[-1]) or _learned(curve) or _stuck(curve):
            break
        stepper.step(gradients(loss, wanted), RATE)
    done = len(curve) >= steps or _learned(curve) or _stuck(curve)
    reading, explanation = read_curve(curve, complete=done)
    table = _ablation(subject, inputs) if math.isfinite(curve[-1]) else ()
    seconds = time.monotonic() - started
    return Memory(
        curve[0], curve[-1], min(curve), len(curve), seconds, tuple(curve), reading, explanation, table
    )


def _goes_on(subject: Subject, until: float) -> bool:
    """Whether there is time for one more step and for the questions that follow the training."""
    return time.monotonic() < until and subject.has_room_for(1 + FORWARD * len(REPLACEMENTS) + FORWARD)


def _learned(curve: list[float]) -> bool:
    return curve[0] > 0 and 0 <= curve[-1] < NEAR_ZERO * curve[0]


def _stuck(curve: list[float]) -> bool:
    """Whether the last steps brought nothing, neither a fall nor an answer to why."""
    if len(curve) <= 2 * PATIENCE:
        return False
    before, lately = min(curve[:-PATIENCE]), min(curve[-PATIENCE:])
    return lately > before - 0.01 * abs(curve[0])


def read_curve(curve: list[float], complete: bool) -> tuple[str, str]:
    """A name for the shape of the curve and what usually stands behind it."""
    finite = [value for value in curve if math.isfinite(value)]
    if len(finite) < len(curve) or max(finite) > 1e3 * max(abs(finite[0]), 1e-6):
        return (
            "explodes",
            "the values are no longer finite: check the learning rate, the input scale and unsafe operations",
        )
    start, end = finite[0], sum(finite[-5:]) / len(finite[-5:])
    if _learned(finite):
        return "learned", "the batch can be memorised: model, loss and gradients work together"
    if end > start + 0.1 * abs(start):
        return "rises", "the loss rises although it is minimised: check its sign, and for a wrong gradient"
    rises = sum(b > a for a, b in pairwise(finite)) / max(len(finite) - 1, 1)
    if rises > 0.4 and end > 0.5 * start:
        return (
            "oscillates",
            "the loss goes up and down without progress: contradictory labels, noise, or the learning rate",
        )
    if not complete:
        return "unfinished", "the time budget ended before the curve could be read"
    if end > 0.9 * start:
        return (
            "flat",
            "almost nothing was learned: gradient flow, a saturated loss, or inputs without information",
        )
    if _still_falls(finite):
        return "falls", (
            "the loss was still falling when the steps ended: more steps, or a larger "
            "learning rate, may be enough"
        )
    return (
        "plateaus",
        (
            "the batch was memorised only in part: noise in the model, capacity, or different labels for "
            "equal inputs"
        ),
    )


def _still_falls(curve: list[float]) -> bool:
    """Whether the last quarter brought a good part of what the same stretch before it did."""
    quarter = len(curve) // 4
    if quarter < 5:
        return False
    levels = [sum(curve[-k * quarter :][:5]) / 5 for k in (2, 1)]
    end = sum(curve[-5:]) / 5
    before, lately = levels[0] - levels[1], levels[1] - end
    return lately > STILL * abs(curve[0]) and lately > 0.5 * before


def _without_dropout(model: nn.Module) -> None:
    set_mode(model, True)
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.eval()


def _ablation(subject: Subject, inputs: tuple[str, ...]) -> tuple[tuple[str, float, float], ...]:
    """Loss after the short training with inputs replaced: name, loss, loss over that of the real inputs."""
    generator = subject.generator()
    with torch.no_grad():
        real = float(subject.loss())
        found = []
        for name in REPLACEMENTS:
            try:
                loss = float(subject.loss(_replaced(subject, inputs, name, generator)))
            except Exception:  # inputs such as indices may not be replaced at will
                continue
            found.append((name, loss, loss / real if real > 0 else math.inf))
    return tuple(found)


def _replaced(subject: Subject, inputs: tuple[str, ...], how: str, generator: torch.Generator) -> object:
    length = subject.examples

    def change(name: str, tensor: Tensor) -> Tensor:
        if name not in inputs or tensor.dim() == 0:
            return tensor
        if how == "shuffled":
            return tensor[torch.arange(length).roll(1)] if len(tensor) == length else tensor
        if not tensor.is_floating_point():
            rows = tensor.reshape(-1)
            mixed = rows[torch.randperm(len(rows), generator=generator)].reshape(tensor.shape)
            return mixed if how == "noise" else torch.zeros_like(tensor)
        noise = torch.randn(tensor.shape, generator=generator).to(tensor)
        return tensor.mean() + tensor.std() * noise if how == "noise" else torch.zeros_like(tensor)

    return batches.mapped(subject.batch, change)
