"""Who receives a gradient, how large, and who waits in vain."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sleuth.measure import batches
from sleuth.measure.forward import Run, each_gradient
from sleuth.measure.large_tensors import ENTRIES, largest_of, pieces
from sleuth.measure.owned_modules import hidden_modules
from sleuth.measure.subject import Subject
from sleuth.measure.tensor_paths import graph_nodes

_FAINTEST = torch.finfo(torch.float16).smallest_normal * torch.finfo(torch.float16).eps


@dataclass(frozen=True, slots=True)
class ParameterFacts:
    """One parameter after one backward pass. `gradient` is None without a path from the loss."""

    name: str
    module: str
    kind: str
    shape: tuple[int, ...]
    trainable: bool
    used: bool
    recorded: bool  # used where operations are recorded for the way back, not only under `no_grad`
    order: int
    reads: int | None  # which tensor its layer is applied to; layers with the same one stand side by side
    weight: float
    mean: float
    std: float
    gradient: float | None
    finite: bool
    in_output: bool
    symmetric: bool
    optimizer: int | None
    root: str

    @property
    def is_weight(self) -> bool:
        return len(self.shape) >= 2 and self.kind != "Embedding"


@dataclass(frozen=True, slots=True)
class Gradients:
    """All parameters in the order of their first use, and what stands outside of the model's list."""

    parameters: tuple[ParameterFacts, ...]
    loss_has_graph: bool
    strangers: tuple[tuple[int, ...], ...]
    hidden: tuple[str, ...]
    optimizers: int
    upstream_of_step: tuple[str, ...]

    @property
    def weights(self) -> tuple[ParameterFacts, ...]:
        """Trainable weight matrices that took part, input side first."""
        chosen = [p for p in self.parameters if p.is_weight and p.trainable and p.used]
        return tuple(sorted(chosen, key=lambda p: p.order))

    @property
    def silent(self) -> tuple[ParameterFacts, ...]:
        """Parameters that ran without a way to any output, in models of which another part has one."""
        ran = [p for p in self.parameters if p.trainable and p.used]
        alive = {p.root for p in ran if p.gradient is not None}
        return tuple(p for p in ran if p.gradient is None and not p.in_output and p.root in alive)


@dataclass(frozen=True, slots=True)
class Slope:
    """One gradient in numbers. `faint` of its `moving` entries are too small for float16."""

    norm: float
    largest: float
    finite: bool
    moving: int
    faint: int
    symmetric: bool


Slopes = Mapping[str, Slope | None]


def collect(subject: Subject, run: Run) -> dict[str, Slope | None]:
    """d loss / d parameter by name, read one by one; the graph stays alive for further questions."""
    wanted = subject.parameters()
    owners = {id(p): module for module in subject.model.modules() for p in _own(module)}

    def read(name: str, slope: Tensor) -> Slope:
        parameter = wanted[name].detach()
        return _read_slope(slope, parameter, owners.get(id(wanted[name]), subject.model))

    return each_gradient(run.loss, wanted, read, again=True)


def _read_slope(slope: Tensor, weight: Tensor, module: nn.Module) -> Slope:
    values = (slope.coalesce().values() if slope.is_sparse else slope).float()
    norm, largest = float(values.norm()), float(largest_of(values))
    moving = faint = 0
    for part in pieces(values):
        size = part.abs()
        moving += int((size > 0).sum())
        faint += int(((size > 0) & (size < _FAINTEST)).sum())
    return Slope(
        norm=norm,
        largest=largest,
        finite=math.isfinite(norm) or bool(torch.isfinite(values).all()),
        moving=moving,
        faint=faint,
        symmetric=not slope.is_sparse and alike_for_ever(weight, slope, module),
    )


def read(subject: Subject, run: Run, found: Slopes) -> Gradients:
    order, outside = _first_uses(run), _only_outside(run)
    fed = {id(call.module): id(call.inputs[0]) for call in reversed(run.calls) if call.inputs}
    called = {id(call.module) for call in run.calls}
    owners = {id(p): (path, module) for path, module in subject.model.named_modules() for p in _own(module)}
    held = _holders(subject)
    in_output = _in_output(subject, run, found)
    roots = _roots(run)
    facts = []
    for name, parameter in subject.model.named_parameters():
        path, module = owners.get(id(parameter), ("", subject.model))
        slope = found.get(name)
        values = parameter.detach().float()
        facts.append(
            ParameterFacts(
                name=name,
                module=path,
                kind=type(module).__name__,
                shape=tuple(parameter.shape),
                trainable=parameter.requires_grad,
                used=id(parameter) in order or id(module) in called,
                recorded=id(parameter) not in outside,
                order=order.get(id(parameter), _call_order(run, module)),
                reads=fed.get(id(module)),
                weight=float(values.norm()),
                mean=float(values.mean()) if values.numel() else 0.0,
                std=float(values.std(unbiased=False)) if values.numel() else 0.0,
                gradient=None if slope is None else slope.norm,
                finite=slope is None or slope.finite,
                in_output=name in in_output,
                symmetric=slope is not None and slope.symmetric,
                optimizer=held.get(id(parameter)),
                root=roots.get(id(parameter), ""),
            )
        )
    return Gradients(
        parameters=tuple(facts),
        loss_has_graph=run.loss.requires_grad,
        strangers=_strangers(subject, run),
        hidden=tuple(
            path
            for path, module in hidden_modules(subject.model)
            if next(module.parameters(), None) is not None
        ),
        optimizers=len(subject.optimizers),
        upstream_of_step=_upstream(subject, run, found),
    )


def _own(module: nn.Module) -> list[nn.Parameter]:
    return [p for p in module._parameters.values() if p is not None]


def _first_uses(run: Run) -> dict[int, int]:
    order: dict[int, int] = {}
    for number, op in enumerate(run.ops):
        for tensor in op.inputs:
            if tensor.is_leaf:
                order.setdefault(id(tensor), number)
    return order


def _only_outside(run: Run) -> set[int]:
    """Tensors that took part under `no_grad` alone: those of a teacher, or of a network that follows."""
    inside = {id(tensor) for op in run.ops if op.grad for tensor in op.inputs}
    return {id(tensor) for op in run.ops if not op.grad for tensor in op.inputs} - inside


def _call_order(run: Run, module: nn.Module) -> int:
    return next((call.number for call in run.calls if call.module is module), len(run.ops))


def _holders(subject: Subject) -> dict[int, int]:
    held: dict[int, int] = {}
    for number, optimizer in enumerate(subject.optimizers):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                held.setdefault(id(parameter), number)
    return held


def _in_output(subject: Subject, run: Run, found: Slopes) -> set[str]:
    """Parameters without a gradient from the loss on which some output of the model depends all the same."""
    waiting = {name: p for name, p in subject.parameters().items() if found.get(name) is None}
    outputs = [tensor.sum() for tensor in run.outputs if tensor.requires_grad]
    if not waiting or not outputs:
        return set()
    total = torch.stack([output.float() for output in outputs]).sum()
    reached = each_gradient(total, waiting, lambda *_: True, again=True)
    return {name for name, there in reached.items() if there}


def _roots(run: Run) -> dict[int, str]:
    """id of a parameter → path of the outermost module whose call it belongs to."""
    roots: dict[int, str] = {}
    for call in run.calls:
        if call.outermost:
            for parameter in call.module.parameters():
                roots.setdefault(id(parameter), call.path or "model")
    return roots


def alike_for_ever(weight: Tensor, slope: Tensor, module: nn.Module) -> bool:
    """Units that are copies of each other and get the same gradient stay copies for ever."""
    if weight.dim() < 2 or isinstance(module, nn.Embedding):
        return False
    for axis in (0, 1):
        if weight.shape[axis] > 1 and _all_alike(weight, axis, 0.0) and _all_alike(slope, axis, 1e-5):
            return True
    return False


def _all_alike(values: Tensor, axis: int, tolerance: float) -> bool:
    first, others = values.narrow(axis, 0, 1), values.narrow(axis, 1, values.shape[axis] - 1)
    # The second tells most of them apart; the rest is asked in small parts, for memory.
    return all(
        bool(((part - first).abs() <= tolerance * first.abs()).all())
        for part in (others.narrow(axis, 0, 1), *others.tensor_split(-(-others.numel() // ENTRIES), axis))
    )


def _strangers(subject: Subject, run: Run) -> tuple[tuple[int, ...], ...]:
    """Shapes of trainable tensors behind the loss that neither the model nor an optimizer lists.

    Data that wants a gradient, and what the step itself made to differentiate by, is no parameter.
    """
    known = {id(p) for p in subject.model.parameters()}
    known |= {id(p) for opt in subject.optimizers for group in opt.param_groups for p in group["params"]}
    known |= {id(tensor) for _, tensor in batches.leaves(subject.batch)}
    known |= {id(tensor) for op in run.ops for tensor in op.outputs} | {id(t) for t in run.born}
    leaves = [getattr(node, "variable", None) for node in graph_nodes(run.loss)]
    return tuple(tuple(leaf.shape) for leaf in leaves if leaf is not None and id(leaf) not in known)


def _upstream(subject: Subject, run: Run, found: Slopes) -> tuple[str, ...]:
    """Models of other optimizers that get a gradient here although they run before the one that steps."""
    held = _holders(subject)
    called: dict[str, list[int]] = {}
    owner: dict[str, set[int | None]] = {}
    slopes = {id(p): found.get(name) is not None for name, p in subject.parameters().items()}
    touched: set[str] = set()
    for call in run.calls:
        if not call.outermost:
            continue
        own = list(call.module.parameters())
        called.setdefault(call.path, []).append(call.number)
        owner[call.path] = {held.get(id(p)) for p in own}
        if any(slopes.get(id(p), False) for p in own):
            touched.add(call.path)
    mine = [numbers for path, numbers in called.items() if owner[path] == {0}]
    if not mine:
        return ()
    last = max(number for numbers in mine for number in numbers)
    others = [path for path in called if owner[path] and not owner[path] & {0, None}]
    return tuple(path for path in others if path in touched and min(called[path]) < last)
