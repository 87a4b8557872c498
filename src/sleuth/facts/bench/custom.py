"""Hand-written backward functions against finite differences, in double precision."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction

from sleuth.facts.bench import batches
from sleuth.facts.bench.forward import gradients, source_of, trace
from sleuth.facts.bench.paths import graph_nodes
from sleuth.facts.bench.reasons import NotApplicable
from sleuth.facts.bench.subject import Subject
from sleuth.finding import Where

STEP = 1e-6  # of a central difference in float64: truncation and rounding are then both near 1e-10
DIRECTIONS = 3


@dataclass(frozen=True, slots=True)
class CustomGradient:
    """The functions with a backward of their own, and how far they are off along random directions."""

    names: tuple[str, ...]
    where: Where | None
    error: float


def measure(subject: Subject) -> CustomGradient:
    run = trace(subject, train=False)
    nodes = [node for node in graph_nodes(run.loss) if isinstance(node, BackwardCFunction)]
    classes = list(dict.fromkeys(getattr(type(node), "_forward_cls", type(node)) for node in nodes))
    if not classes:
        raise NotApplicable("no hand-written autograd function takes part")
    where = next(
        (place for cls in classes if (place := source_of(getattr(cls, "backward", None))) is not None), None
    )
    return CustomGradient(tuple(cls.__name__ for cls in classes), where, _worst(subject))


def _worst(subject: Subject) -> float:
    model = subject.model.double().eval()
    batch = batches.mapped(subject.batch, lambda _, t: t.double() if t.is_floating_point() else t)
    wanted = [p for p in model.parameters() if p.requires_grad]
    torch.manual_seed(subject.seed)
    slopes = gradients(subject.loss(batch), wanted)
    generator = subject.generator()
    errors = []
    for _ in range(DIRECTIONS):
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
