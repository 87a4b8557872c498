"""`sleuth.diff`: your model beside a trusted one, same weights, same input; where do they part?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.needs import need

if TYPE_CHECKING:
    from torch import Tensor, nn

SAME = 1e-4  # relative; the same float32 computation in another order differs by some 1e-6


@dataclass(frozen=True, slots=True)
class Pair:
    """One module of each model, matched by order and shape, and how far apart their outputs are."""

    mine: str
    reference: str
    kind: str
    difference: float | None
    gradient: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class DiffReport:
    """All pairs in order; `first` is where the models part, None when they agree."""

    pairs: tuple[Pair, ...]
    unpaired: tuple[str, ...]
    output: float

    @property
    def first(self) -> Pair | None:
        return next((p for p in self.pairs if p.note or (p.difference or 0.0) > SAME), None)

    @property
    def first_gradient(self) -> Pair | None:
        """The pair nearest to the output whose gradients differ although outputs agree."""
        return next((p for p in reversed(self.pairs) if (p.gradient or 0.0) > SAME), None)

    def __bool__(self) -> bool:
        return self.first is not None or self.output > SAME or self.first_gradient is not None

    def __str__(self) -> str:
        lines = [f"{p.mine or 'model':<28} {p.reference or 'model':<28} {_said(p)}" for p in self.pairs]
        if self.first is not None:
            part = self.first
            head = f"First difference: `{part.mine}` against `{part.reference}`: {_said(part)}."
        elif self.output > SAME:
            head = f"Every module agrees, the outputs differ by {self.output:.1e}: look between the modules."
        elif self.first_gradient is not None:
            part = self.first_gradient
            head = f"Outputs agree; the gradient of `{part.mine}` differs by {part.gradient:.1e}."
        else:
            head = "No difference: outputs and gradients agree."
        tail = [f"Without a counterpart: {', '.join(self.unpaired)}"] if self.unpaired else []
        return "\n".join([head, *lines, *tail])

    __repr__ = __str__


def diff(mine: Any, reference: Any, batch: Any) -> DiffReport:
    """Give both models the reference's weights and one input, and name the first module that differs.

    `batch` is what the models are called with (a tensor, a tuple, a dict) or an (input, target) pair. Both
    models are as they were afterwards.
    """
    need("torch", "torch", "`sleuth.diff`")
    from torch import nn

    for name, model in (("mine", mine), ("reference", reference)):
        if not isinstance(model, nn.Module):
            raise SleuthError(f"{name} is a {type(model).__name__}; expected a torch.nn.Module.")
    from sleuth.measure.sandbox import kept

    with kept(mine, seed=0), kept(reference, seed=0):
        pairs, unpaired = _paired(mine, reference)
        left, right = _run(mine, batch), _run(reference, batch)
        if len(left.order) == len(right.order):  # parts without weights, such as activations, stand in line
            pairs = list(zip(left.order, right.order, strict=True))
        rows = tuple(_compare(a, b, left, right) for a, b in pairs)
        return DiffReport(rows, tuple(unpaired), _relative(left.output, right.output))


@dataclass(frozen=True, eq=False)
class _Run:
    outputs: dict[int, "Tensor"]
    gradients: dict[int, "Tensor"]
    output: "Tensor"
    names: dict[int, str]
    order: list["nn.Module"]


def _leaves(model: "nn.Module") -> list[tuple[str, "nn.Module"]]:
    return [(name, module) for name, module in model.named_modules() if not any(module.children())]


def _shapes(module: "nn.Module") -> list[tuple[int, ...]]:
    return [tuple(p.shape) for p in (*module.parameters(), *module.buffers())]


def _paired(
    mine: "nn.Module", reference: "nn.Module"
) -> tuple[list[tuple["nn.Module", "nn.Module"]], list[str]]:
    """Match leaves in order: the next one with parameters of the same shapes, and give mine its weights."""
    import torch

    waiting = [(name, m) for name, m in _leaves(reference) if _shapes(m)]
    pairs, unpaired = [], []
    for name, module in _leaves(mine):
        if not _shapes(module):
            continue
        found = next((i for i, (_, other) in enumerate(waiting) if _shapes(other) == _shapes(module)), None)
        if found is None:
            unpaired.append(f"mine: {name}")
            continue
        other = waiting.pop(found)[1]
        pairs.append((module, other))
        with torch.no_grad():
            ours, theirs = (*module.parameters(), *module.buffers()), (*other.parameters(), *other.buffers())
            for target, source in zip(ours, theirs, strict=True):
                target.copy_(source)
    return pairs, unpaired + [f"reference: {name}" for name, _ in waiting]


def _run(model: "nn.Module", batch: Any) -> _Run:
    import torch

    from sleuth.measure.batches import leaves
    from sleuth.measure.sandbox import sow

    outputs: dict[int, Tensor] = {}
    order: list[nn.Module] = []

    def keep(module: "nn.Module", _: Any, output: Any) -> None:
        found = [tensor for _, tensor in leaves(output)]
        if found and id(module) not in outputs:
            outputs[id(module)] = found[0]
            order.append(module)

    handles = [module.register_forward_hook(keep) for _, module in _leaves(model)]
    model.eval()
    sow(0)
    try:
        result = _called(model, batch)
    finally:
        for handle in handles:
            handle.remove()
    tensors = [tensor for _, tensor in leaves(result) if tensor.is_floating_point()]
    if not tensors:
        raise SleuthError(f"{type(model).__name__} returned no tensor to compare.")
    wanted = [p for p in model.parameters() if p.requires_grad]
    weights = torch.randn(tensors[0].shape, generator=torch.Generator().manual_seed(1)).to(tensors[0])
    total = (tensors[0] * weights).sum()
    slopes = torch.autograd.grad(total, wanted, allow_unused=True) if wanted and total.requires_grad else ()
    found = {id(p): s.detach() for p, s in zip(wanted, slopes, strict=False) if s is not None}
    names = {id(module): name for name, module in model.named_modules()}
    return _Run({key: t.detach() for key, t in outputs.items()}, found, tensors[0].detach(), names, order)


def _called(model: "nn.Module", batch: Any) -> Any:
    from sleuth.measure.batches import parted
    from sleuth.measure.subject import call

    try:
        return call(model, batch if not isinstance(batch, list) else tuple(batch))
    except Exception:  # a pair of input and target: the models take the input only
        inputs, target = parted(batch)
        if target is None:
            raise
        return call(model, inputs)


def _compare(mine: "nn.Module", reference: "nn.Module", left: _Run, right: _Run) -> Pair:
    names = left.names.get(id(mine), ""), right.names.get(id(reference), "")
    ran = id(mine) in left.outputs, id(reference) in right.outputs
    kinds = type(mine).__name__, type(reference).__name__
    kind = kinds[0] if kinds[0] == kinds[1] else f"{kinds[0]}/{kinds[1]}"
    if not all(ran):
        return Pair(
            *names,
            kind,
            None,
            None,
            "" if ran[0] == ran[1] else f"only {'mine' if ran[0] else 'the reference'} runs it",
        )
    a, b = left.outputs[id(mine)], right.outputs[id(reference)]
    if a.shape != b.shape:
        return Pair(*names, kind, None, None, f"shapes {tuple(a.shape)} and {tuple(b.shape)}")
    slopes = [
        _relative(left.gradients[id(p)], right.gradients[id(q)])
        for p, q in zip(mine.parameters(), reference.parameters(), strict=False)
        if id(p) in left.gradients and id(q) in right.gradients
    ]
    return Pair(*names, kind, _relative(a, b), max(slopes, default=None))


def _relative(a: "Tensor", b: "Tensor") -> float:
    if a.shape != b.shape:
        return float("inf")
    return float((a - b).abs().max() / b.abs().max().clamp(min=1e-12)) if a.numel() else 0.0


def _said(pair: Pair) -> str:
    if pair.note:
        return pair.note
    if pair.difference is None:
        return "not run"
    return "same" if pair.difference <= SAME else f"differs by {pair.difference:.1e}"
