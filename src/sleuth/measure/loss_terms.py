"""A loss that is a sum: its terms, the gradient of each, and how they get along."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.cut_gradients import lost
from sleuth.measure.forward import Op, Run, gradients, trace
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.subject import Subject
from sleuth.measure.tensor_paths import makers, reached_from
from sleuth.torch_losses import OF_PREDICTIONS

_SUMS = frozenset({"add", "iadd", "radd", "sub", "isub", "rsub"})
_SCALES = frozenset({"mul", "imul", "rmul", "div", "truediv", "neg", "reshape", "true_divide", "float"})
MOST_TERMS = 8
ONE = "the loss has one term only"
OTHER_STARTS = 3  # a cosine below -0.3 by chance at all of them is rare


@dataclass(frozen=True, slots=True)
class TermFacts:
    """One summand of the loss, with its weight in it."""

    name: str
    where: Where
    value: float
    gradient: float
    of_data: bool
    of_target: bool
    library: bool  # a loss of torch on a prediction and a target
    growth: float | None


@dataclass(frozen=True, slots=True)
class Terms:
    """The summands, and the cosines between the gradients of each two.

    Of the whole batch, of its halves, and, where they are at odds there, at other initial weights.
    """

    parts: tuple[TermFacts, ...]
    cosines: tuple[tuple[int, int, tuple[float, ...]], ...]


@dataclass(frozen=True, slots=True)
class LooseTerm:
    """A summand that is made from what the model says and has no graph, and where it lost it."""

    value: float
    where: Where | None


@dataclass(frozen=True, eq=False)
class _Term:
    weight: float
    tensor: Tensor
    op: Op | None


def measure(subject: Subject, targets: tuple[str, ...] = ()) -> Terms:
    run = trace(subject)
    terms = _terms(run)
    if len(terms) < 2:
        raise NotApplicable(ONE)
    wanted = list(subject.parameters().values())
    slopes = [_slope(term, wanted) for term in terms]
    growth = _growth(subject, terms)
    leaves = dict(batches.leaves(subject.batch))
    data = reached_from(run, leaves.values())
    wished = reached_from(run, [tensor for name, tensor in leaves.items() if name in targets])
    parts = tuple(
        TermFacts(
            name=_name(term),
            where=term.op.where if term.op is not None else Where(),
            value=term.weight * float(term.tensor.detach()),
            gradient=float(slope.norm()),
            of_data=id(term.tensor) in data,
            of_target=id(term.tensor) in wished,
            library=term.op is not None and _loss_behind(term.op, makers(run)) in OF_PREDICTIONS,
            growth=growth[index] if growth else None,
        )
        for index, (term, slope) in enumerate(zip(terms, slopes, strict=True))
    )
    return Terms(parts, _cosines(subject, slopes))


def count(run: Run) -> int:
    """How many summands the loss has that can be trained by."""
    return len(_terms(run))


def summands(run: Run) -> list[Tensor]:
    """The summands of the loss that can be trained by."""
    return [term.tensor for term in _terms(run)]


def loss_value_behind(term: Tensor, made: dict[int, Op]) -> Tensor:
    """What a summand was before it was weighed."""
    while (op := made.get(id(term))) is not None and op.name in _SCALES and op.inputs[0] is not term:
        term = next((t for t in op.inputs if t.requires_grad), op.inputs[0])
    return term


def loose(run: Run, weights: Sequence[nn.Parameter]) -> tuple[LooseTerm, ...]:
    """Summands, of a loss that has a graph, that are made from the model's output and have none.

    One that was detached as a whole, after it was summed up, was meant to be a constant.
    """
    if not run.loss.requires_grad:
        return ()
    said = reached_from(run, [t for t in run.outputs if t.requires_grad])
    found = [
        t
        for t in _summands(run)
        if not t.tensor.requires_grad
        and id(t.tensor) in said
        and t.op is not None
        and t.op.name not in ("detach", "data")
    ]
    return tuple(
        LooseTerm(term.weight * float(term.tensor.detach()), lost(run, weights, term.tensor))
        for term in found
    )


def _terms(run: Run) -> list[_Term]:
    return [term for term in _summands(run) if term.tensor.requires_grad]


def _summands(run: Run) -> list[_Term]:
    made = makers(run)
    found: list[_Term] = []
    todo = [(1.0, run.loss)]
    while todo and len(found) <= MOST_TERMS:
        weight, tensor = todo.pop()
        op = made.get(id(tensor))
        parts = _split(op, tensor, made) if op is not None and op.outside else []
        if parts:
            todo.extend((weight * factor, part) for factor, part in reversed(parts))
        else:
            found.append(_Term(weight, tensor, op))
    return found


def _split(op: Op, tensor: Tensor, made: dict[int, Op]) -> list[tuple[float, Tensor]]:
    scalars = [t for t in op.inputs if t.numel() == 1]
    if len(scalars) != len(op.inputs):
        return []
    if op.name in _SUMS:
        signs = [1.0, -1.0 if "sub" in op.name else 1.0]
        return list(zip(signs, op.inputs, strict=False)) if len(op.inputs) == 2 else [(1.0, op.inputs[0])]
    if op.name == "sum" or op.name not in _SCALES or len(scalars) != 1:
        return []
    inner = scalars[0]
    deeper = made.get(id(inner))
    if deeper is None or deeper is op or deeper.name not in _SUMS | _SCALES:
        return []
    before, after = float(inner.detach()), float(tensor.detach())
    return [(after / before, inner)] if before != 0 else []


def _loss_behind(op: Op, made: dict[int, Op]) -> str:
    """The name of the operation a term comes from, without the weight it was given."""
    while op.name in _SCALES and (inner := made.get(id(op.inputs[0]))) is not None and inner is not op:
        op = inner
    return op.name


def _name(term: _Term) -> str:
    if term.op is None:
        return "term"
    return term.op.name if term.op.name in OF_PREDICTIONS else f"{term.op.name} on line {term.op.line}"


def _slope(term: _Term, wanted: Sequence[Tensor]) -> Tensor:
    found = gradients(term.tensor.reshape(()), wanted, again=True)
    flat = [(torch.zeros_like(p) if g is None else g).reshape(-1) for p, g in zip(wanted, found, strict=True)]
    return term.weight * torch.cat(flat).detach().float()


def _growth(subject: Subject, terms: list[_Term]) -> list[float] | None:
    """How each term grows when every example stands in the batch twice: 1 for a mean, 2 for a sum."""
    try:
        twice = _terms(trace(subject, batches.doubled(subject.batch), train=False))
        once = _terms(trace(subject, train=False))
    except Exception:  # a step with fixed shapes cannot take another batch size: nothing to compare
        return None
    if not len(once) == len(twice) == len(terms):
        return None
    return [
        float(b.tensor.detach()) / (float(a.tensor.detach()) or 1e-30) / (2 if _averages(b, subject) else 1)
        for a, b in zip(once, twice, strict=True)
    ]


def averages_by_number(subject: Subject) -> bool:
    """Whether the loss, or a part of it, is such a sum: how it grows with the batch cannot be asked then."""
    return any(_averages(term, subject) for term in _summands(trace(subject, train=False)))


def _averages(term: _Term, subject: Subject) -> bool:
    """A sum divided by the length of the batch, which a step that is played back still has as a number."""
    if term.op is None or term.op.name not in _SCALES:
        return False
    numbers = [a for a in term.op.arguments if isinstance(a, int | float) and not isinstance(a, bool)]
    return any(number in (subject.examples, 1 / max(1, subject.examples)) for number in numbers)


def _cosines(subject: Subject, slopes: list[Tensor]) -> tuple[tuple[int, int, tuple[float, ...]], ...]:
    rounds = [slopes, *_halves(subject, len(slopes))]
    pairs = [(i, j) for i in range(len(slopes)) for j in range(i + 1, len(slopes))]
    if any(all(_cosine(part[i], part[j]) < 0 for part in rounds) for i, j in pairs):
        rounds += _redrawn(subject, len(slopes))
    return tuple((i, j, tuple(_cosine(part[i], part[j]) for part in rounds)) for i, j in pairs)


def _cosine(a: Tensor, b: Tensor) -> float:
    length = float(a.norm() * b.norm())
    return float(a @ b) / length if length > 0 else 0.0


def _halves(subject: Subject, count: int) -> list[list[Tensor]]:
    """The same gradients on the two halves of the batch: one batch alone is noisy."""
    length = subject.examples
    wanted = list(subject.parameters().values())
    found = []
    for rows in (torch.arange(length // 2), torch.arange(length // 2, length)):
        if not subject.has_room_for(count):
            return []
        try:
            terms = _terms(trace(subject, batches.take(subject.batch, rows)))
        except Exception:  # a step with fixed shapes cannot be cut in half
            return []
        if len(terms) == count:
            found.append([_slope(term, wanted) for term in terms])
    return found


def _redrawn(subject: Subject, count: int) -> list[list[Tensor]]:
    """The same gradients at other starts: what two terms want is at odds, or only these weights are.

    The entries of every weight change places, so that the start keeps its scale.
    """
    wanted = list(subject.parameters().values())
    generator = subject.generator()
    found = []
    for _ in range(OTHER_STARTS):
        if not subject.has_room_for(count):
            break
        with torch.no_grad():
            for weight in wanted:
                order = torch.randperm(weight.numel(), generator=generator).to(weight.device)
                weight.copy_(weight.reshape(-1)[order].reshape(weight.shape))
        terms = _terms(trace(subject))
        if len(terms) == count:
            found.append([_slope(term, wanted) for term in terms])
    return found
