"""The first pass: model and loss once, forward and backward, with everything that can be read from it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  the name everybody knows it by

from sleuth.finding import Where
from sleuth.measure import (
    activations,
    batch_contents,
    batches,
    custom_backward,
    gradients,
    loss_terms,
    losses,
    modes,
    numerics,
)
from sleuth.measure.activations import Activations
from sleuth.measure.batch_contents import Data
from sleuth.measure.forward import Op, Run, trace
from sleuth.measure.gradients import Gradients, Slopes
from sleuth.measure.large_tensors import largest_of
from sleuth.measure.loss_terms import LooseTerm
from sleuth.measure.losses import LossFacts
from sleuth.measure.modes import NormFacts, RecurrentFacts, SharedFacts
from sleuth.measure.numerics import Soundness
from sleuth.measure.subject import Subject
from sleuth.measure.tape import tensors_in
from sleuth.measure.tensor_paths import makers, reached_from

_DIFFERENCES = frozenset("sub rsub isub add mul eq truediv".split())
_BOUNDS = frozenset("relu clamp clamp_min clamp_max clip threshold hardtanh".split())
MOST_MISTAKES = 8
MOST_COLUMNS = 64


@dataclass(frozen=True, slots=True)
class SoftmaxFacts:
    """One softmax inside the step: over which axis, and what its result multiplies."""

    where: Where
    shape: tuple[int, ...]
    axis: int
    over_examples: bool
    wrong_for_product: bool


@dataclass(frozen=True, slots=True)
class BroadcastFacts:
    """Two tensors of different shape met outside the model and grew."""

    operation: str
    where: Where
    shapes: tuple[tuple[int, ...], ...]
    result: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """An example the model is sure about, and wrong."""

    example: int
    says: int
    truth: int
    probability: float


@dataclass(frozen=True, slots=True)
class Half:
    """What float16 would make of this pass: the largest value over its range, gradients that vanish."""

    largest: float
    where: Where | None
    share_of_range: float
    vanishing: float


@dataclass(frozen=True, slots=True)
class FirstPass:
    loss: float
    data: Data
    losses: tuple[LossFacts, ...]
    gradients: Gradients
    activations: Activations
    norms: tuple[NormFacts, ...]
    shared: tuple[SharedFacts, ...]
    recurrent: tuple[RecurrentFacts, ...]
    softmaxes: tuple[SoftmaxFacts, ...]
    broadcasts: tuple[BroadcastFacts, ...]
    mistakes: tuple[Mistake, ...]
    normalised_first: bool
    loose: tuple[LooseTerm, ...]
    flat: float  # share of examples at whose answers a loss written by hand has no slope
    bounded_at: Where | None  # the operation that bounds such a loss: an exp, a tanh
    shut: Where | None  # a clamp or rectifier in the loss code that lets nothing of any example through
    half: Half
    outputs: tuple[tuple[int, ...], ...]
    sound: Soundness
    terms: int  # summands of the loss
    own_backward: bool  # whether a function with a hand-written backward takes part
    swapped: Where | None  # the only place where a reshape takes one axis for another
    differentiated: bool  # the loss is made of slopes of what the model says by what it is given
    entering: Mapping[str, tuple[float, ...]]  # tensor of the batch → sizes where the first weights meet it

    def names(self, role: str) -> tuple[str, ...]:
        """Places in the batch of the tensors with this role."""
        return tuple(
            "" if p.name == "batch" else p.name for p in self.data.tensors if p.role in (role, "both")
        )


def first_pass(subject: Subject) -> tuple[FirstPass, float]:
    """What was seen, and the seconds of the pass alone, without reading it."""
    started = time.perf_counter()
    run = trace(subject)
    slopes = gradients.collect(subject, run)
    seconds = time.perf_counter() - started
    length, judges = subject.examples, _judges(run)
    found = FirstPass(
        loss=float(run.loss.detach()),
        data=batch_contents.describe(subject.batch, batch_contents.seen_roles(subject.batch, run)),
        losses=losses.read(subject, run, slopes),
        gradients=gradients.read(subject, run, slopes),
        activations=activations.read(run),
        norms=modes.norms(run, length),
        shared=modes.shared(run),
        recurrent=modes.recurrent(run, slopes, subject.model),
        softmaxes=_softmaxes(run, length),
        swapped=_swapped(run, length),
        broadcasts=tuple(_broadcasts(run)),
        mistakes=_mistakes(run),
        normalised_first=_normalised_first(run),
        loose=loss_terms.loose(run, list(subject.parameters().values())),
        flat=losses.flat(run),
        bounded_at=next((op.where for op in reversed(run.ops) if op.outside and op.name in BOUNDING), None),
        shut=next((op.where for op in reversed(run.ops) if _shut(op, judges)), None),
        half=_half(run, slopes),
        outputs=tuple(tuple(output.shape) for output in run.outputs),
        sound=numerics.soundness(run, all(slope is None or slope.finite for slope in slopes.values())),
        terms=loss_terms.count(run),
        own_backward=bool(custom_backward.written_by_hand(run.loss)),
        differentiated=_differentiated(run),
        entering=_entering(subject, run),
    )
    return found, seconds


BOUNDING = frozenset("exp tanh sigmoid erf clamp clip softmax hardtanh atan minimum".split())


def _differentiated(run: Run) -> bool:
    """As the residual of an equation is: the slopes are kept with their own way back."""
    asked = [op for op in run.ops if op.name == "grad" and op.keywords.get("create_graph")]
    return any(
        not isinstance(tensor, nn.Parameter)
        for op in asked
        if len(op.arguments) > 1
        for tensor in tensors_in(op.arguments[1])
    )


def _columns(op: Op) -> tuple[float, ...]:
    """The size of each column, or channel, that a weighted layer takes."""
    taken = op.inputs[0].detach().float()
    axis = 1 if op.name.startswith("conv") and taken.dim() > 1 else -1
    rows = taken.movedim(axis, -1).reshape(-1, taken.shape[axis])
    return tuple(rows.square().mean(0).sqrt()[:MOST_COLUMNS].tolist())


RECURRENT = frozenset("lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell".split())


def _weighted(op: Op) -> bool:
    weighing = activations.LAYERS | activations.PRODUCTS | RECURRENT
    return op.name in weighing and op.grad and op.inputs[0].dim() > 0


def _entering(subject: Subject, run: Run) -> Mapping[str, tuple[float, ...]]:
    """What each tensor of the batch has become where the first weights meet it."""
    found = {}
    for name, leaf in batches.leaves(subject.batch):
        reached = reached_from(run, [leaf])
        first = next((op for op in run.ops if _weighted(op) and id(op.inputs[0]) in reached), None)
        if first is not None and first.inputs[0].is_floating_point():
            found[name] = _columns(first)
    return found


def _swapped(run: Run, length: int) -> Where | None:
    """`(time, batch, ...)` viewed as `(batch, time, ...)` or `(batch, time * ...)`, `(batch * time, ...)` as
    `(time, batch, ...)`: sizes change places, numbers do not."""
    found = {
        (op.path, op.line): op.where
        for op in run.ops
        if op.name in ("view", "reshape", "_unsafe_view") and op.path is not None and op.inputs and op.outputs
        if _permuted(tuple(op.inputs[0].shape), tuple(op.outputs[0].shape), length)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _permuted(before: tuple[int, ...], after: tuple[int, ...], length: int) -> bool:
    one, other = ([size for size in shape if size > 1] for shape in (before, after))
    to_the_front = one[1:2] == [length] and one[0] != length and other[:1] == [length]
    # Rows that stand example by example, `(batch * time, ...)`, taken as if they stood time by time.
    torn = other[1:2] == [length] and other[0] != length and one[0] == other[0] * length
    return one != other and (sorted(one) == sorted(other) or to_the_front or torn)


def _softmaxes(run: Run, length: int) -> tuple[SoftmaxFacts, ...]:
    found = []
    for op in run.ops:
        if op.name not in ("softmax", "log_softmax") or not op.grad:
            continue
        axis = op.keywords.get("dim", op.arguments[1] if len(op.arguments) > 1 else None)
        shape = tuple(op.inputs[0].shape)
        if axis is None or not shape:
            continue
        axis = axis % len(shape)
        over = axis == 0 and len(shape) > 1 and shape[0] == length and not _square(shape)
        found.append(SoftmaxFacts(op.where, shape, axis, over, axis != len(shape) - 1 and _weighs(op, run)))
    return tuple(found)


def _square(shape: tuple[int, ...]) -> bool:
    """A square table of similarities has examples on both axes; either may be normalised."""
    return len(shape) == 2 and shape[0] == shape[1]


def _weighs(op: Op, run: Run) -> bool:
    """Whether the result is the left factor of a product, which sums over its last axis."""
    made = {id(tensor) for tensor in op.outputs}
    for other in run.ops:
        if other.name == "dropout" and id(other.inputs[0]) in made:
            made.update(id(tensor) for tensor in other.outputs)
        if other.name in ("matmul", "bmm", "mm") and other.inputs and id(other.inputs[0]) in made:
            return True
    return False


def _broadcasts(run: Run) -> list[BroadcastFacts]:
    predicted = reached_from(run, run.outputs)
    judges = _judges(run)
    found = []
    for op in run.ops:
        if op.name not in _DIFFERENCES or len(op.inputs) != 2 or not (op.outside or op.module in judges):
            continue
        a, b = op.inputs
        if (id(a) in predicted) == (id(b) in predicted):
            continue
        if op.outputs[0].numel() > max(a.numel(), b.numel()) and {a.dim(), b.dim()} == {1, 2}:
            if not op.outside and _is_a_table(op, run):
                continue
            shapes = (tuple(a.shape), tuple(b.shape))
            found.append(BroadcastFacts(op.name, op.where, shapes, tuple(op.outputs[0].shape)))
    return found


def _judges(run: Run) -> set[str]:
    """Modules without parameters that the step calls by itself: losses written as modules."""
    return {call.path for call in run.calls if call.outermost and not _has_parameters(call.module)}


def _has_parameters(module: nn.Module) -> bool:
    return next(module.parameters(), None) is not None


def _is_a_table(op: Op, run: Run) -> bool:
    """Each against each, as losses of rank and likeness want it: the axis was added by hand."""
    made = makers(run)
    return any(
        (maker := made.get(id(tensor))) is not None
        and maker.inputs[0].dim() < tensor.dim()
        and maker.name in ("unsqueeze", "getitem", "view", "reshape")
        for tensor in op.inputs
    )


def _mistakes(run: Run) -> tuple[Mistake, ...]:
    use = next(
        (use for use in run.uses if use.name in ("cross_entropy", "nll_loss") and use.input.dim() == 2), None
    )
    if use is None or use.target.is_floating_point():
        return ()
    chances = F.softmax(use.input.detach().float(), dim=1)
    sure, says = chances.max(1)
    wrong = ((says != use.target) & (use.target >= 0)).nonzero().flatten()
    worst = wrong[sure[wrong].argsort(descending=True)][:MOST_MISTAKES]
    return tuple(Mistake(int(i), int(says[i]), int(use.target[i]), float(sure[i])) for i in worst)


def _half(run: Run, slopes: Slopes) -> Half:
    largest, where = 0.0, None
    for op in run.ops:
        for tensor in op.outputs:
            if op.name in activations.LAYERS | activations.PRODUCTS and tensor.is_floating_point():
                size = float(largest_of(tensor.detach()))
                largest, where = (size, op.where) if size > largest else (largest, where)
    found = [slope for slope in slopes.values() if slope is not None]
    lost, count = sum(slope.faint for slope in found), sum(slope.moving for slope in found)
    return Half(largest, where, largest / torch.finfo(torch.float16).max, lost / count if count else 0.0)


def _shut(op: Op, judges: set[str]) -> bool:
    """All at its bound, so that no slope passes; values without a graph have none to pass."""
    if not (op.outside or op.module in judges) or op.name not in _BOUNDS or not op.outputs[0].requires_grad:
        return False
    made, given = op.outputs[0].detach(), op.inputs[0].detach()
    return made.numel() > 1 and bool((made == made.reshape(-1)[0]).all()) and not torch.equal(made, given)


def _normalised_first(run: Run) -> bool:
    """Whether the model itself standardises its input before the first weight sees it."""
    made = makers(run)
    for op in run.ops:
        if op.name in ("batch_norm", "layer_norm", "instance_norm", "group_norm"):
            return True
        if op.name in activations.LAYERS | activations.PRODUCTS and op.grad:
            return made.get(id(op.inputs[0])) is not None and made[id(op.inputs[0])].name.endswith("norm")
    return False


@dataclass(frozen=True, slots=True)
class Silence:
    """Share of units of a rectifier that stay silent on this batch and on further ones."""

    number: int
    dead: float
    examples: int


def silence(subject: Subject, number: int, more: list[object]) -> Silence:
    """Look at a suspicious rectifier again, with more examples."""
    with torch.no_grad():
        runs = [trace(subject, train=None)]
        for batch in more:
            try:
                runs.append(trace(subject, batch, train=None))
            except Exception:  # a last, shorter batch may not fit a step with fixed shapes
                continue
    return Silence(number, activations.dead_everywhere(runs, number), subject.examples * len(runs))
