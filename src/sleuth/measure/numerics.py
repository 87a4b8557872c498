"""Where numbers stop being numbers: on this batch, and in situations that will come."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.activations import LAYERS, PRODUCTS
from sleuth.measure.forward import Op, Run, trace
from sleuth.measure.not_examined import NotApplicable, one_line
from sleuth.measure.owned_modules import every_module
from sleuth.measure.subject import FORWARD, Subject
from sleuth.measure.tensor_paths import LAYOUT_OPS

POLES = frozenset(
    "log log2 log10 log1p sqrt rsqrt div truediv true_divide rtruediv rdiv reciprocal pow acos asin atanh "
    "logit float_power std var norm".split()
)
# Minus infinity is written on purpose where a mask shall win.
_DELIBERATE = frozenset(
    {"masked_fill", "where", "full", "full_like", "fill", "triu", "tril", "masked_scatter"}
)
_FRACTIONS = frozenset({"div", "truediv", "true_divide"})
FEW_COLUMNS = 4
RAREST = 1e-9  # chance of a batch from which on nobody will ever meet it
LOUD = 1e3  # far beyond the 88.7 at which exp leaves float32
SCALE = 100.0  # a trained classifier is some hundred times surer than a fresh one


@dataclass(frozen=True, slots=True)
class Hazard:
    """The first operation that turned finite numbers into something else, and in which situation."""

    situation: str
    operation: str
    where: Where
    argument: float
    in_gradient: bool
    by_hand: bool
    bad_input: str


@dataclass(frozen=True, slots=True)
class Numerics:
    hazards: tuple[Hazard, ...]
    loss_finite: bool
    gradients_finite: bool
    outputs_finite: bool


@dataclass(frozen=True, slots=True)
class Soundness:
    """Whether the first pass stayed among the numbers, and whether a softmax in it is written by hand."""

    loss: bool
    gradients: bool
    outputs: bool
    by_hand: bool


def soundness(run: Run, gradients_finite: bool) -> Soundness:
    return Soundness(
        loss=bool(torch.isfinite(run.loss)),
        gradients=gradients_finite,
        outputs=all(_fine(output) for output in run.outputs),
        by_hand=any(_by_hand(op, run) or _log_of_share(op, run) for op in run.ops),
    )


def measure(subject: Subject, seen: Soundness) -> Numerics:
    hazards = []
    if not seen.loss and (found := _first_bad(trace(subject), "this batch")) is not None:
        hazards.append(found)
    elif seen.loss and not seen.gradients:
        hazards.append(_in_backward(subject, "this batch"))
    hazards = hazards or _imagined(subject, seen.by_hand)
    return Numerics(tuple(hazards), seen.loss, seen.gradients, seen.outputs)


def _imagined(subject: Subject, by_hand: bool) -> list[Hazard]:
    """What happens on batches that will come; the last situations change weights, so they come last."""
    found = []
    for name, change in _SITUATIONS:
        subject.need_room_for(2 * FORWARD)
        if (hazard := _under(subject, name, change)) is not None:
            found.append(hazard)
    if found or not by_hand:
        return found
    loud = _under(subject, "scores of a thousand", partial(_surer, reach=LOUD))
    return [loud] if loud is not None and loud.by_hand else []


def _under(subject: Subject, name: str, change: Callable[[Subject], Any]) -> Hazard | None:
    try:
        run = trace(subject, change(subject), train=None)
        if not bool(torch.isfinite(run.loss)):
            return _first_bad(run, name)
        return None
    except Exception:  # the situation cannot be made with these shapes; that is no finding
        return None


def _first_bad(run: Run, situation: str) -> Hazard | None:
    """The first operation with finite arguments and a result that is not; masks do not count."""
    allowed: set[int] = set()
    for op in run.ops:
        if all(_fine(t) for t in op.outputs):
            continue
        if op.name in _DELIBERATE or any(id(t) in allowed for t in op.inputs):
            allowed.update(id(t) for t in op.outputs)
            continue
        bad = [t for t in op.inputs if not _fine(t)]
        if bad:
            return Hazard(situation, op.name, op.where, _pole(op), False, False, "an earlier value")
        by_hand = _by_hand(op, run) or _log_of_share(op, run)
        return Hazard(situation, op.name, op.where, _pole(op), False, by_hand, "")
    return None


def _fine(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor.detach()).all())


def _pole(op: Op) -> float:
    """The argument that came nearest to the pole: the smallest, the largest for exp."""
    index = 1 if op.name in ("div", "truediv", "true_divide") and len(op.inputs) > 1 else 0
    values = op.inputs[index].detach().float()
    values = values[torch.isfinite(values)]
    if not values.numel():
        return float("nan")
    if op.name in ("exp", "expm1"):
        return float(values.max())
    return float(values[values.abs().argmin()])


def _by_hand(op: Op, run: Run) -> bool:
    """exp whose sum goes into a log or under a fraction bar: a softmax, logsumexp or softplus by hand."""
    if op.name != "exp":
        return False
    plain, summed = {id(t) for t in op.outputs}, set[int]()
    for other in run.ops:
        if not any(id(t) in plain | summed for t in other.inputs):
            continue
        if other.name in ("log", "log1p", "reciprocal", "rtruediv", "rdiv"):
            return other.name == "log1p" or any(id(t) in summed for t in other.inputs)
        if other.name in _FRACTIONS and len(other.inputs) > 1 and id(other.inputs[1]) in summed:
            return True
        if other.name in ("sum", "add", "radd", "iadd", "cumsum"):
            summed.update(id(t) for t in other.outputs)
        elif other.name in LAYOUT_OPS:
            plain.update(id(t) for t in other.outputs)
    return False


def _log_of_share(op: Op, run: Run) -> bool:
    """The log of a softmax or sigmoid, nothing between: log_softmax by hand, without its safety."""
    if op.name not in ("log", "log2", "log10"):
        return False
    made = {id(t): other.name for other in run.ops for t in other.outputs}
    return made.get(id(op.inputs[0])) in ("softmax", "sigmoid")


def _in_backward(subject: Subject, situation: str) -> Hazard:
    """Which operation's derivative was not finite: autograd's own anomaly mode names it."""
    try:
        with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(True, check_nan=True):
            warnings.simplefilter("ignore")  # it prints a traceback; ours names the line itself
            run = trace(subject)
            torch.autograd.backward(run.loss)
    except RuntimeError as error:
        name = str(error).partition("Function '")[2].partition("Backward")[0].lower()
        op = next((op for op in run.ops if op.name.strip("_") == name), None)
        if op is not None:
            return Hazard(situation, op.name, op.where, _pole(op), True, False, "")
        return Hazard(situation, name or "unknown", Where(), float("nan"), True, False, "")
    return Hazard(situation, "infinite derivative", Where(), float("nan"), True, False, "")


def _targets_equal(subject: Subject) -> Any:
    """A batch in which only one answer occurs, as happens sooner or later with small batches."""
    _, target = batches.parted(subject.batch)
    wanted = {id(tensor) for _, tensor in batches.leaves(target)} if target is not None else set()
    if not wanted:
        raise NotApplicable("no target")
    if not all(_may_all_be_equal(t) for _, t in batches.leaves(target)):
        raise NotApplicable("so many examples never have the same target")

    def change(_: str, tensor: Tensor) -> Tensor:
        return torch.full_like(tensor, tensor.min().item()) if id(tensor) in wanted else tensor

    return batches.mapped(subject.batch, change)


def _may_all_be_equal(target: Tensor) -> bool:
    """Whether, by the shares in this batch, a whole batch of the smallest target is to be met at all."""
    if target.dim() == 0 or len(target) < 2 or target[0].numel() > FEW_COLUMNS:
        return True  # of masks and texts one batch tells too little
    columns = target.detach().reshape(len(target), -1)
    shares = (columns == columns.amin(0)).double().mean(0)
    return float(shares.min()) ** len(target) > RAREST


def _inputs_zero(subject: Subject) -> Any:
    """An empty image, a silent recording. What is above zero in every example (a duration, an exposure, a
    price) is so by its nature."""
    _, target = batches.parted(subject.batch)
    wanted = {id(tensor) for _, tensor in batches.leaves(target)} if target is not None else set()

    def change(_: str, tensor: Tensor) -> Tensor:
        fixed = id(tensor) in wanted or not tensor.is_floating_point() or _marks_something(tensor)
        return tensor if fixed or bool((tensor > 0).all()) else torch.zeros_like(tensor)

    return batches.mapped(subject.batch, change)


def _marks_something(tensor: Tensor) -> bool:
    """A mask of zeros and ones with a one in every example: which places are filled, and some always are."""
    if tensor.dim() < 2 or not tensor.numel() or not bool(((tensor == 0) | (tensor == 1)).all()):
        return False
    return bool(tensor.reshape(len(tensor), -1).any(1).all())


def _surer(subject: Subject, reach: float = 0.0) -> Any:
    """The last layer's weights a hundredfold, or as large as its outputs need to reach a size."""
    run = trace(subject, train=None)
    layers = [op for op in run.ops if op.name in LAYERS or op.name in PRODUCTS]
    weights = [t for op in layers for t in op.inputs if t.is_leaf and t.requires_grad]
    if not weights:
        raise NotApplicable("no weight layer")
    last = [op for op in layers if any(t.is_leaf and t.requires_grad for t in op.inputs)][-1]
    size = max(float(last.outputs[0].detach().abs().max()), 1e-6)
    with torch.no_grad():
        for tensor in last.inputs:
            if tensor.is_leaf and tensor.requires_grad:
                tensor.mul_(max(SCALE, reach / size))
    return subject.batch


_SITUATIONS: tuple[tuple[str, Callable[[Subject], Any]], ...] = (
    ("a batch in which all targets are equal", _targets_equal),
    ("a batch of zero inputs", _inputs_zero),
    ("a last layer with weights a hundred times larger", _surer),
)


def _all_wide(subject: Subject, batch: Any) -> float:
    subject.model.double()
    try:
        return float(subject.loss(batch))
    except RuntimeError as error:
        raise NotApplicable(
            f"the step holds tensors of its own in float32 and cannot run in float64 ({one_line(error)})"
        ) from None


@contextmanager
def _widened_one_by_one(model: nn.Module) -> Iterator[None]:
    """Every module has float64 weights for as long as it runs: a whole wide model takes twice its memory."""
    narrow: list[list[tuple[Tensor, Tensor]]] = []

    def enter(module: nn.Module, _: Any) -> None:
        own = [t for t in (*module._parameters.values(), *module._buffers.values()) if t is not None]
        if isinstance(module, nn.MultiheadAttention):  # it uses its part's weights without calling it
            own += list(module.out_proj.parameters())
        swapped = [(t, t.data) for t in own if t.is_floating_point() or t.is_complex()]
        narrow.append(swapped)
        for tensor, data in swapped:
            tensor.data = data.to(torch.complex128 if data.is_complex() else torch.float64)

    def leave(*_: Any) -> None:
        for tensor, data in narrow.pop():
            tensor.data = data

    with ExitStack() as stack:
        for module in every_module(model):
            stack.callback(module.register_forward_pre_hook(enter).remove)
            stack.callback(module.register_forward_hook(leave, always_call=True).remove)
        yield


@dataclass(frozen=True, slots=True)
class Precision:
    """The loss in the model's own precision and in double."""

    loss: float
    loss_double: float
    difference: float


def precision(subject: Subject) -> Precision:
    """Run once more in float64: a large difference is rounding that matters."""
    torch.manual_seed(subject.seed)
    subject.model.eval()
    with torch.no_grad():
        plain = float(subject.loss())
        wide = batches.mapped(subject.batch, lambda _, t: t.double() if t.is_floating_point() else t)
        torch.manual_seed(subject.seed)
        try:
            with _widened_one_by_one(subject.model):
                double = float(subject.loss(wide))
        except Exception:  # weights of a module that is not called, as in tied heads: all at once
            torch.manual_seed(subject.seed)
            double = _all_wide(subject, wide)
    return Precision(plain, double, abs(plain - double) / max(abs(double), 1e-12))
