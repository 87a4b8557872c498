"""What changes with the mode, the batch size and repeated use: dropout, normalisation, recurrent state."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from sleuth.finding import Where
from sleuth.measure import batches
from sleuth.measure.forward import Op, Run, outputs_of, trace
from sleuth.measure.gradients import Slopes
from sleuth.measure.not_examined import NotApplicable, one_line
from sleuth.measure.subject import PRIME_EXAMPLES, PRIME_LENGTH, Subject

DROPOUTS = frozenset("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split())
_NORMS = (nn.modules.batchnorm._BatchNorm,)


@dataclass(frozen=True, slots=True)
class DropoutFacts:
    operation: str
    probability: float
    where: Where


@dataclass(frozen=True, slots=True)
class Modes:
    """Two passes in eval mode, and what dropout did in them."""

    repeatable: bool
    difference: float
    awake: tuple[DropoutFacts, ...]
    loss_eval: float


@dataclass(frozen=True, slots=True)
class NormFacts:
    """A layer that takes statistics over the batch."""

    path: str
    kind: str
    examples: int
    values: int
    training: bool


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """A module called more than once in a step; the gap is between the calls' means, in spreads."""

    path: str
    calls: int
    dropouts: int
    norms: int
    gap: float


@dataclass(frozen=True, slots=True)
class RecurrentFacts:
    path: str
    kind: str
    calls: int
    steps: int
    stateless_calls: int
    hidden_gradient: float | None
    input_gradient: float | None
    blank: float = 0.0  # share of states handed back that are all zero, call by call and row by row


@dataclass(frozen=True, slots=True)
class Shapes:
    """Whether the model takes one example, seven, sequences of thirteen; what it said if not."""

    one: str
    seven: str
    thirteen: str | None
    alone_differs: float | None


@dataclass(frozen=True, slots=True)
class Affine:
    """f(a+b) - f(a) - f(b) + f(0), relative to f: zero for a model that is one matrix in disguise."""

    residue: float
    layers: int


def modes(subject: Subject) -> Modes:
    with torch.no_grad():
        run = trace(subject, train=False)
        awake = tuple(found for op in run.ops if (found := _awake(op)) is not None)
        before, loss = run.outputs, float(run.loss.detach())
        del run
        again = outputs_of(subject)
    change = [
        float((a - b).abs().max())
        for a, b in zip(before, again, strict=False)
        if a.numel() and a.shape == b.shape
    ]
    worst = max(change, default=0.0)
    return Modes(worst == 0.0, worst, awake, loss)


def _awake(op: Op) -> DropoutFacts | None:
    """Dropout that was asked to drop although the model is in eval mode. What a step does outside of modules,
    as in a method that is not `forward`, is replayed with the flag it had in training."""
    if op.outside:
        return None
    if op.name == "scaled_dot_product_attention":
        chance = op.keywords.get("dropout_p", op.arguments[4] if len(op.arguments) > 4 else 0.0)
        return DropoutFacts("scaled_dot_product_attention", float(chance), op.where) if chance else None
    if op.name not in DROPOUTS:
        return None
    chance = op.keywords.get("p", op.arguments[1] if len(op.arguments) > 1 else 0.5)
    training = op.keywords.get("training", op.arguments[2] if len(op.arguments) > 2 else True)
    return DropoutFacts(op.name, float(chance), op.where) if training and chance > 0 else None


def norms(run: Run, examples: int) -> tuple[NormFacts, ...]:
    return tuple(
        NormFacts(
            path=call.path,
            kind=call.kind,
            examples=examples,
            values=call.inputs[0].numel() // max(call.inputs[0].shape[1], 1),
            training=call.module.training,
        )
        for call in run.calls
        if isinstance(call.module, _NORMS) and call.inputs and call.inputs[0].dim() >= 2
    )


def shared(run: Run) -> tuple[SharedFacts, ...]:
    """Modules called repeatedly whose parts behave differently from call to call."""
    found = []
    by_module: dict[int, list[Any]] = {}
    for call in run.calls:
        by_module.setdefault(id(call.module), []).append(call)
    for calls in by_module.values():
        module = calls[0].module
        parts = list(module.modules())
        dropouts = sum(isinstance(m, nn.modules.dropout._DropoutNd) and m.p > 0 and m.training for m in parts)
        normal = sum(isinstance(m, _NORMS) and m.training for m in parts)
        if len(calls) > 1 and (dropouts or normal) and (module is not parts or len(parts) > 1):
            found.append(SharedFacts(calls[0].path, len(calls), dropouts, normal, _gap(calls)))
    return tuple(found)


def _gap(calls: list[Any]) -> float:
    """How far apart the calls' inputs lie, in units of their spread."""
    firsts = [
        call.inputs[0].detach().float()
        for call in calls
        if call.inputs and call.inputs[0].is_floating_point()
    ]
    if len(firsts) < 2 or any(t.dim() < 2 for t in firsts):
        return 0.0
    means = torch.stack([t.mean() for t in firsts])
    spread = max(float(t.std(unbiased=False)) for t in firsts)
    return float(means.max() - means.min()) / spread if spread > 0 else 0.0


def recurrent(run: Run, found: Slopes, model: nn.Module) -> tuple[RecurrentFacts, ...]:
    names = {id(module): path for path, module in model.named_modules()}
    by_module: dict[int, list[Any]] = {}
    for call in run.calls:
        if isinstance(call.module, (nn.RNNBase, nn.RNNCellBase)):
            by_module.setdefault(id(call.module), []).append(call)
    return tuple(_recurrent(calls, names.get(key, ""), found) for key, calls in by_module.items())


def _recurrent(calls: list[Any], path: str, found: Slopes) -> RecurrentFacts:
    module = calls[0].module
    axis = 1 if getattr(module, "batch_first", False) else 0
    given = calls[0].inputs[0]
    steps = given.shape[axis] if isinstance(module, nn.RNNBase) and given.dim() == 3 else 1
    prefix = f"{path}." if path else ""

    def size(part: str) -> float | None:
        slopes = [
            s for name, s in found.items() if name.startswith(f"{prefix}weight_{part}") and s is not None
        ]
        return max((s.largest for s in slopes), default=None)

    stateless = sum(len(call.inputs) == 1 for call in calls)
    kind = type(module).__name__
    return RecurrentFacts(path, kind, len(calls), steps, stateless, size("hh"), size("ih"), _blank(calls))


def _blank(calls: list[Any]) -> float:
    """Of the calls after the first: that one starts from nothing anyway."""
    given = [call.inputs[1] for call in calls[1:] if len(call.inputs) > 1 and call.inputs[1].dim() == 2]
    rows = [(state == 0).all(-1).float() for state in given]
    return float(torch.cat(rows).mean()) if rows else 0.0


def shapes(subject: Subject) -> Shapes:
    """Sizes that no code has by chance: one example, seven examples."""
    length = subject.examples
    if length < 2:
        raise NotApplicable("the batch holds one example")
    subject.model.eval()
    with torch.no_grad():
        whole = outputs_of(subject)
        one, alone = _tried(subject, torch.tensor([0]))
        seven, _ = _tried(subject, torch.arange(min(PRIME_EXAMPLES, length)))
        thirteen = _shortened(subject)
    pairs = [
        (a[0], b[0])
        for a, b in zip(whole, alone, strict=False)
        if a.dim() and b.dim() and a[0].shape == b[0].shape
    ]
    gaps = [float((a - b).abs().max() / a.abs().max().clamp(min=1e-12)) for a, b in pairs if a.numel()]
    return Shapes(one, seven, thirteen, max(gaps, default=None) if not one else None)


def _tried(subject: Subject, rows: Tensor) -> tuple[str, list[Tensor]]:
    try:
        return "", outputs_of(subject, batches.take(subject.batch, rows))
    except Exception as error:  # what the user's model says is the result
        return one_line(error), []


def _shortened(subject: Subject) -> str | None:
    """What the model says to sequences of thirteen; None where there are no sequences to cut."""
    shapes = [tuple(t.shape) for _, t in batches.leaves(subject.batch)]
    tokens = [t for _, t in batches.leaves(subject.batch) if t.dim() == 2 and not t.is_floating_point()]
    lengths = {t.shape[1] for t in tokens} | {shape[1] for shape in shapes if len(shape) == 3}
    if len(lengths) != 1 or max(lengths) <= PRIME_LENGTH:
        return None
    try:
        outputs_of(subject, batches.cropped(subject.batch, max(lengths), PRIME_LENGTH))
    except Exception as error:  # what the user's model says is the result
        return one_line(error)
    return ""


def affine(subject: Subject, inputs: tuple[str, ...], layers: int) -> Affine:
    leaves = {name: t for name, t in batches.leaves(subject.batch) if name in inputs}
    if not leaves or not all(t.is_floating_point() for t in leaves.values()):
        raise NotApplicable("the inputs are integers")
    subject.model.eval()
    subject.wake_zeros()
    generator = subject.generator()

    def given(scale_a: float, scale_b: float) -> list[Tensor]:
        def mix(name: str, tensor: Tensor) -> Tensor:
            if name not in leaves:
                return tensor
            first, second = noise[name]
            return (scale_a * first + scale_b * second).requires_grad_(tensor.requires_grad)

        return [output.detach() for output in outputs_of(subject, batches.mapped(subject.batch, mix))]

    noise = {
        name: tuple(torch.randn(t.shape, generator=generator).to(t.detach()) * 3 for _ in range(2))
        for name, t in leaves.items()
    }
    # With gradients: a step may take derivatives by its inputs, as one that solves an equation does.
    both, first, second, none = given(1, 1), given(1, 0), given(0, 1), given(0, 0)
    residues = [
        float((ab - a - b + z).abs().max() / (ab - z).abs().max())
        for ab, a, b, z in zip(both, first, second, none, strict=True)
        if bool((ab != z).any())
    ]
    return Affine(max(residues, default=1.0), layers)
