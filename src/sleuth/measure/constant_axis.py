"""An axis of the output along which a model says the same, whatever its weights are."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.forward import Run, Use, trace
from sleuth.measure.subject import Subject, shake
from sleuth.measure.tensor_paths import reached_from
from sleuth.torch_losses import OVER_CLASSES

# Of the spread over examples; positions of one kernel call differ by about 1e-7 of the size of the numbers.
EVEN = 1e-5


@dataclass(frozen=True, slots=True)
class Sameness:
    """Members of a list, positions of a sequence: `length` on `axis`, all answered alike, and since where."""

    axis: int
    length: int
    where: Where


def measure(subject: Subject) -> Sameness | None:
    """Asked twice, at weights as they are and at others: a head that starts at zero says the same, too."""
    subject.model.eval()
    given = {id(tensor): tensor for _, tensor in batches.leaves(subject.batch)}
    with torch.no_grad():
        run = trace(subject, train=False)
        found = next(_even(run, list(given.values())), None)
        if found is None:
            return None
        use, axis = found
        shake(subject.parameters(), subject.generator(), 1.0)
        again = [axes for _, axes in _even(trace(subject, train=False), list(given.values()))]
    if axis not in again:
        return None
    varied = [tensor for tensor in given.values() if _varies(tensor, axis, use.input)]
    return Sameness(axis, use.input.shape[axis], _levelled(run, varied, axis, use.input))


def _even(run: Run, given: list[Tensor]) -> Iterator[tuple[Use, int]]:
    """Losses and axes on which the answers are all equal, and inputs and targets are not."""
    for use in run.uses:
        said = use.input
        for axis in range(1, said.dim()) if said.is_floating_point() else ():
            fed = any(t is not use.target and _varies(t, axis, said) for t in given)
            if fed and _wanted(use, axis) and _is_level(said, axis) and not _is_level(said, 0):
                yield use, axis


def _varies(given: Tensor, axis: int, said: Tensor) -> bool:
    """An input with as many members on this axis, and examples on the first, that differ in most examples."""
    fits = given.dim() > axis and given.shape[axis] == said.shape[axis] > 1 and len(given) == len(said)
    return fits and _differs(given, axis)


def _wanted(use: Use, axis: int) -> bool:
    """Whether the targets ask for different answers along the axis."""
    if use.name in OVER_CLASSES and not use.target.is_floating_point():
        return axis == 1 and use.input.dim() == 2 and len(torch.unique(use.target)) > 1
    return use.target.shape == use.input.shape and _differs(use.target, axis)


def _differs(values: Tensor, axis: int) -> bool:
    first = values.narrow(axis, 0, 1)
    return float((values != first).reshape(len(values), -1).any(1).float().mean()) > 0.5


def _is_level(values: Tensor, axis: int) -> bool:
    values = values.detach().double()
    apart = (values - values.narrow(axis, 0, 1)).abs().max()
    return len(values) > 1 and bool(apart <= EVEN * values.std(0).max())


def _levelled(run: Run, varied: list[Tensor], axis: int, said: Tensor) -> Where:
    """The first operation on what differs along the axis that makes it the same there."""
    behind = reached_from(run, varied)
    for op in run.ops:
        for made in op.outputs:
            fits = made.dim() > axis and made.shape[axis] == said.shape[axis] and len(made) == len(said)
            if fits and id(made) in behind and made.is_floating_point() and _is_level(made, axis):
                return op.where
    return Where()
