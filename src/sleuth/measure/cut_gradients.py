"""Parameters that ran and got no gradient: does their value pass on all the same, or is it thrown away?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sleuth.finding import Where
from sleuth.measure.forward import Op, Run, trace
from sleuth.measure.gradients import Gradients
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.sandbox import sow
from sleuth.measure.subject import Subject
from sleuth.measure.tensor_paths import reached_from

MOST_GROUPS = 8  # modules that are changed one by one; more of them are taken as one
NOTICED = 1e-6  # relative change of loss or output: rounding stays below
_LOSES_THE_GRAPH = frozenset({"detach", "data"})  # asked in place, even the input has no past any more


@dataclass(frozen=True, slots=True)
class Cuts:
    """Names of parameters behind a cut, whose values matter, and of idle ones, whose values do not."""

    behind: tuple[str, ...]
    place: Where | None
    idle: tuple[str, ...]
    idle_place: Where | None


def measure(subject: Subject, gradients: Gradients) -> Cuts:
    """Change values and look: an experiment cannot be deceived by how the values were passed on."""
    waiting = gradients.silent
    if not waiting:
        raise NotApplicable("every parameter that ran has a path to an output")
    groups: dict[str, list[str]] = {}
    for parameter in waiting:
        groups.setdefault(parameter.module, []).append(parameter.name)
    if len(groups) > MOST_GROUPS:
        groups = {"": [parameter.name for parameter in waiting]}
    before = _values(subject)
    behind = [name for names in groups.values() if _noticed(subject, names, before) for name in names]
    idle = [parameter.name for parameter in waiting if parameter.name not in behind]
    with torch.enable_grad():
        run = trace(subject, train=None)
    parameters = subject.parameters()
    return Cuts(
        tuple(behind),
        lost(run, [parameters[name] for name in behind]),
        tuple(idle),
        _used_at(run, [parameters[name] for name in idle]),
    )


def _values(subject: Subject) -> list[Tensor]:
    sow(subject.seed)
    with torch.no_grad():
        run = trace(subject, train=None)
    return [run.loss.detach().clone(), *(output.detach().clone() for output in run.outputs)]


def _noticed(subject: Subject, names: Iterable[str], before: list[Tensor]) -> bool:
    chosen = [parameter for name, parameter in subject.parameters().items() if name in names]
    kept = [parameter.detach().clone() for parameter in chosen]
    generator = subject.generator()
    with torch.no_grad():
        for parameter in chosen:
            spread = max(float(parameter.std(unbiased=False)) if parameter.numel() > 1 else 0.0, 0.1)
            parameter.add_(2 * spread * torch.randn(parameter.shape, generator=generator).to(parameter))
        after = _values(subject)
        for parameter, old in zip(chosen, kept, strict=True):
            parameter.copy_(old)
    return any(_moved(a, b) for a, b in zip(before, after, strict=False))


def _moved(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or not a.numel():
        return a.shape != b.shape
    return float((a - b).abs().max()) > NOTICED * max(float(a.abs().max()), 1e-12)


def lost(run: Run, sources: Sequence[nn.Parameter], aim: Tensor | None = None) -> Where | None:
    """Where a graph from these parameters ends although the loss, or a part of it, is made from the value."""
    after, needed = reached_from(run, sources), _needed(run, run.loss if aim is None else aim)
    for op in run.ops:
        passed = [t for t in op.inputs if id(t) in after]
        if not passed or not any(id(t) in needed for t in op.outputs):
            continue
        attached = op.name in _LOSES_THE_GRAPH or any(t.requires_grad for t in passed)
        if attached and not any(t.requires_grad for t in op.outputs):
            return op.where
    return next((op.where for op in run.reads if any(id(t) in after for t in op.inputs)), None)


def _needed(run: Run, aim: Tensor) -> set[int]:
    """ids of all tensors whose values this one is made from."""
    needed = {id(aim)}
    for op in reversed(run.ops):
        if any(id(t) in needed for t in op.outputs):
            needed.update(id(t) for t in op.inputs)
    return needed


def _used_at(run: Run, parameters: list[nn.Parameter]) -> Where | None:
    wanted = {id(p) for p in parameters}
    users: Iterable[Op] = (op for op in run.ops if any(id(t) in wanted for t in op.inputs))
    return next((op.where for op in users), None)
