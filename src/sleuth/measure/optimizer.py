"""What one step of the real optimizer does, which rates would work, and how noisy the gradient is."""

import copy
import math
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from sleuth.measure import batches
from sleuth.measure.forward import gradients, set_mode
from sleuth.measure.large_tensors import ENTRIES
from sleuth.measure.not_examined import NotApplicable
from sleuth.measure.short_training import Stepper
from sleuth.measure.subject import Subject

RANGE_STEPS = 10
LOWEST, HIGHEST = 1e-6, 1.0
ADAPTIVE = frozenset(
    "Adam AdamW NAdam RAdam Adamax Adadelta Adagrad RMSprop Rprop SparseAdam Adafactor Lion".split()
)
# Rules that treat every entry of a weight by itself, so that a part of it may be asked alone.
BY_ENTRY = frozenset(
    {
        torch.optim.SGD,
        torch.optim.Adam,
        torch.optim.AdamW,
        torch.optim.NAdam,
        torch.optim.RAdam,
        torch.optim.Adamax,
        torch.optim.Adadelta,
        torch.optim.Adagrad,
        torch.optim.RMSprop,
    }
)


@dataclass(frozen=True, slots=True)
class UpdateFacts:
    """How far one parameter moved in one step, absolutely and over its own norm."""

    name: str
    update: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Updates:
    optimizer: str
    rate: float
    adaptive: bool
    parts: tuple[UpdateFacts, ...]

    @property
    def largest(self) -> float:
        """The largest ratio among parameters that are not (nearly) zero to begin with."""
        return max((part.ratio for part in self.parts if math.isfinite(part.ratio)), default=0.0)


@dataclass(frozen=True, slots=True)
class RateRange:
    """Loss over rising learning rates, and the span in which it falls."""

    rates: tuple[float, ...]
    losses: tuple[float, ...]
    steepest: float | None
    breaks_at: float | None


@dataclass(frozen=True, slots=True)
class NoiseScale:
    """Examples a batch needs before the gradient is more signal than noise (simple noise scale)."""

    scale: float
    batch: int


def updates(subject: Subject) -> Updates:
    """One step of a copy of the optimizer on a copy of its parameters, measured as a difference."""
    optimizer = subject.optimizer
    if type(optimizer).__name__ == "LBFGS":
        raise NotApplicable("LBFGS steps with a closure of its own")
    set_mode(subject.model, True)
    names = {id(p): name for name, p in subject.model.named_parameters()}
    held = [p for group in optimizer.param_groups for p in group["params"]]
    wanted = [p for p in held if p.requires_grad]
    slopes = {id(p): slope for p, slope in zip(wanted, gradients(subject.loss(), wanted), strict=True)}
    moved = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            update = _moved(optimizer, group, parameter, slopes.pop(id(parameter), None))
            size = float(parameter.detach().norm())
            ratio = update / size if size > 1e-8 * math.sqrt(parameter.numel()) else math.inf
            moved.append(UpdateFacts(names.get(id(parameter), "not in the model"), update, ratio))
    name = type(optimizer).__name__
    return Updates(name, float(optimizer.param_groups[0]["lr"]), name in ADAPTIVE, tuple(moved))


def _moved(
    optimizer: torch.optim.Optimizer, group: dict[str, Any], parameter: Tensor, slope: Tensor | None
) -> float:
    """How far the optimizer's own rule and state move one parameter: on copies, in small parts for memory."""
    state = optimizer.state.get(parameter, {})
    parts = max(1, parameter.numel() // ENTRIES) if type(optimizer) in BY_ENTRY else 1
    if parameter.dim() == 0 or (slope is not None and slope.is_sparse):
        parts = 1
    squares = 0.0
    for rows in torch.arange(len(parameter) if parameter.dim() else 1).tensor_split(parts):
        if parts == 1:
            return _stepped(optimizer, group, parameter, slope, state)
        if len(rows):
            cut = slice(int(rows[0]), int(rows[-1]) + 1)
            held = {k: v[cut] if _alike(v, parameter) else v for k, v in state.items()}
            part = None if slope is None else slope[cut]
            squares += _stepped(optimizer, group, parameter[cut], part, held) ** 2
    return math.sqrt(squares)


def _copied(value: Any) -> Any:
    """A copy; of a part of a tensor only the part, where `deepcopy` takes the whole."""
    return value.clone() if isinstance(value, Tensor) else copy.deepcopy(value)


def _alike(value: Any, parameter: Tensor) -> bool:
    return isinstance(value, Tensor) and value.shape == parameter.shape


def _stepped(
    optimizer: torch.optim.Optimizer,
    group: dict[str, Any],
    parameter: Tensor,
    slope: Tensor | None,
    state: Mapping[str, Any],
) -> float:
    """The class's own `step` is used; schedulers wrap it on the instance."""
    other = parameter.detach().clone().requires_grad_(parameter.requires_grad)
    other.grad = slope
    twin = copy.copy(optimizer)
    vars(twin).pop("step", None)
    plain = {"foreach": False} if group.get("foreach", False) is None else {}  # one tensor, least memory
    twin.param_groups = [{**group, "params": [other], **plain}]
    twin.state = defaultdict(dict, {other: {key: _copied(value) for key, value in state.items()}})
    twin.step()
    return float(other.detach().sub_(parameter.detach()).norm())


def rate_range(subject: Subject) -> RateRange:
    """A few steps while the rate climbs from tiny to absurd: where does the loss fall, where break?"""
    wanted = list(subject.parameters().values())
    if not wanted:
        raise NotApplicable("the model has no trainable parameter")
    name = type(subject.optimizers[0]).__name__ if subject.optimizers else "Adam"
    set_mode(subject.model, True)
    stepper = Stepper(wanted, adaptive=name in ADAPTIVE or name == "LBFGS")
    rates = [LOWEST * (HIGHEST / LOWEST) ** (k / (RANGE_STEPS - 1)) for k in range(RANGE_STEPS)]
    losses: list[float] = []
    until = time.monotonic() + 0.2 * subject.budget
    for rate in rates:
        loss = subject.loss()
        losses.append(float(loss.detach()))
        if not loss.requires_grad or not math.isfinite(losses[-1]):
            break
        if time.monotonic() > until or not subject.has_room_for(1):
            break
        if losses[-1] > 4 * max(abs(losses[0]), 1e-6) and len(losses) > 2:
            break
        stepper.step(gradients(loss, wanted), rate)
    return read_range(tuple(rates[: len(losses)]), tuple(losses))


def read_range(rates: tuple[float, ...], losses: tuple[float, ...]) -> RateRange:
    falls = [b - a for a, b in pairwise(losses)]
    steepest = min(range(len(falls)), key=falls.__getitem__) if falls else None
    lowest = math.inf
    breaks = None
    for rate, loss in zip(rates, losses, strict=True):
        lowest = min(lowest, loss)
        if not math.isfinite(loss) or loss > lowest + 0.5 * max(abs(losses[0]), 1e-6):
            breaks = rate
            break
    good = steepest is not None and falls[steepest] < 0
    return RateRange(rates, losses, rates[steepest] if good and steepest is not None else None, breaks)


def noise_scale(subject: Subject) -> NoiseScale:
    """From the gradients of the two halves and of the whole, as McCandlish et al. (2018), appendix A.1."""
    length = subject.examples
    if length < 4:
        raise NotApplicable("the batch holds fewer than four examples")
    set_mode(subject.model, True)
    wanted = list(subject.parameters().values())
    small = [
        _square(gradients(subject.loss(batches.take(subject.batch, rows)), wanted))
        for rows in (torch.arange(length // 2), torch.arange(length // 2, length))
    ]
    large = _square(gradients(subject.loss(), wanted))
    return NoiseScale(estimate(sum(small) / 2, length / 2, large, length), length)


def estimate(square_small: float, small: float, square_large: float, large: float) -> float:
    """tr(covariance) / |mean gradient|² from squared norms at two batch sizes; infinite if noise is all."""
    signal = (large * square_large - small * square_small) / (large - small)
    noise = (square_small - square_large) / (1 / small - 1 / large)
    return noise / signal if signal > 0 else math.inf


def _square(slopes: list[Tensor | None]) -> float:
    return sum(float(s.detach().float().pow(2).sum()) for s in slopes if s is not None)
