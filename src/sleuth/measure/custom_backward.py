"""Hand-written backward functions against finite differences, in double precision."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.forward import gradients, source_of, trace
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.subject import FORWARD, Subject
from sleuth.measure.tensor_paths import graph_nodes

STEP = 1e-6  # of a central difference in float64: truncation and rounding are then both near 1e-10
DIRECTIONS = 3
NONE = "no hand-written autograd function takes part"
LEVELS = 16  # what rounds gives out no more than so many different values of a layer's


@dataclass(frozen=True, slots=True)
class CustomGradient:
    """The functions with a backward of their own, and how far they are off along random directions."""

    names: tuple[str, ...]
    where: Where | None
    error: float


def measure(subject: Subject) -> CustomGradient:
    classes = written_by_hand(trace(subject, train=False).loss)
    if not classes:
        raise NotApplicable(NONE)
    if meant := [cls.__name__ for cls in classes if cls in _other_on_purpose(subject, classes)]:
        raise NotApplicable(
            f"{meant[0]} passes its input on, or rounds it: its backward is meant to differ from its forward"
        )
    where = next(
        (place for cls in classes if (place := source_of(getattr(cls, "backward", None))) is not None), None
    )
    return CustomGradient(tuple(cls.__name__ for cls in classes), where, _worst(subject))


def written_by_hand(loss: Tensor) -> list[Any]:
    """Classes of the functions behind the loss that bring their own backward."""
    nodes = [node for node in graph_nodes(loss) if isinstance(node, BackwardCFunction)]
    return list(dict.fromkeys(getattr(type(node), "_forward_cls", type(node)) for node in nodes))


def _other_on_purpose(subject: Subject, classes: Sequence[Any]) -> set[Any]:
    """Functions that change nothing forward (they reverse or scale gradients) or only give a few levels.

    No finite difference can judge those: a gradient reversal and a straight-through estimator are as they
    should be.
    """
    meant = set()
    for cls in classes:
        with _watched_forward(cls) as passed:
            subject.loss()
        if passed and all(_same(given, made) or _few_levels(given, made) for given, made in passed):
            meant.add(cls)
    return meant


@contextmanager
def _watched_forward(cls: Any) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """What a function gets first and what it gives, while it is open."""
    passed: list[tuple[Tensor, Tensor]] = []
    original = cls.__dict__.get("forward")
    forward = cls.forward

    def watched(*args: Any, **keywords: Any) -> Any:
        made = forward(*args, **keywords)
        given = next((a for a in args if isinstance(a, Tensor)), None)
        if given is not None and isinstance(made, Tensor):
            passed.append((given.detach(), made.detach()))
        return made

    cls.forward = staticmethod(watched)
    try:
        yield passed
    finally:
        if original is None:
            del cls.forward
        else:
            cls.forward = original


def _same(given: Tensor, made: Tensor) -> bool:
    return given.shape == made.shape and bool(torch.equal(given, made))


def _few_levels(given: Tensor, made: Tensor) -> bool:
    """A threshold, a sign, a rounding: many different values in, few out."""
    return len(torch.unique(made)) <= LEVELS < len(torch.unique(given))


def _worst(subject: Subject) -> float:
    model = subject.model.double().eval()
    batch = batches.mapped(subject.batch, lambda _, t: t.double() if t.is_floating_point() else t)
    wanted = [p for p in model.parameters() if p.requires_grad]
    torch.manual_seed(subject.seed)
    slopes = gradients(subject.loss(batch), wanted)
    generator = subject.generator()
    errors = []
    for _ in range(DIRECTIONS):
        subject.need_room_for(2 * 3 * FORWARD)  # three passes in float64, which takes about twice as long
        direction = [
            torch.randn(p.shape, generator=generator, dtype=torch.float64).to(p.device) for p in wanted
        ]
        told = sum(float((s * d).sum()) for s, d in zip(slopes, direction, strict=True) if s is not None)
        seen = _difference(subject, batch, wanted, direction)
        errors.append(abs(told - seen) / max(abs(told), abs(seen), 1e-12))
    return sorted(errors)[
        len(errors) // 2
    ]  # the middle one: a kink next to the point spoils single directions


def _difference(
    subject: Subject, batch: object, wanted: Sequence[Tensor], direction: Sequence[Tensor]
) -> float:
    """The central difference of the loss along a direction."""
    values = []
    with torch.no_grad():
        for sign in (STEP, -2 * STEP, STEP):
            for parameter, part in zip(wanted, direction, strict=True):
                parameter.add_(sign * part)
            torch.manual_seed(subject.seed)
            values.append(float(subject.loss(batch)))
    return (values[0] - values[1]) / (2 * STEP)
