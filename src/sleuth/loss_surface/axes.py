"""What is asked of a surface: axes, the wanted region and the start, checked before any work."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Span = tuple[float, float]
AXIS_FORM = 'an axis is ("name", lo, hi) with lo < hi, such as ("margin", 0.0, 2.0)'


@dataclass(frozen=True)
class Axis:
    """One input of the loss, varied from `lo` to `hi`."""

    name: str
    lo: float
    hi: float

    @property
    def width(self) -> float:
        return self.hi - self.lo

    def __str__(self) -> str:
        return f"{self.name} from {self.lo:g} to {self.hi:g}"


@dataclass(frozen=True)
class Region:
    """A part of the map: one interval an axis (of no width for a point), or a test of the point."""

    spans: tuple[Span, ...] = ()
    test: Callable[..., Any] | None = None

    @property
    def center(self) -> tuple[float, ...]:
        return tuple((lo + hi) / 2 for lo, hi in self.spans)

    def holds(self, places: Sequence["NDArray[Any]"], pad: Sequence[float]) -> "NDArray[Any]":
        """Which of the places lie inside, each interval widened by its pad on both sides."""
        import numpy as np

        if self.test is not None:
            import torch

            inside = self.test(*(torch.as_tensor(place) for place in places))
            return np.broadcast_to(np.asarray(inside, dtype=bool), np.shape(places[0]))
        checks = [
            (place >= lo - slack) & (place <= hi + slack)
            for place, (lo, hi), slack in zip(places, self.spans, pad, strict=True)
        ]
        return np.asarray(np.logical_and.reduce(checks))

    def __str__(self) -> str:
        if self.test is not None:
            return f"where {getattr(self.test, '__name__', 'the test')} holds"
        parts = [f"{lo:g}" if lo == hi else f"{lo:g} to {hi:g}" for lo, hi in self.spans]
        return f"({', '.join(parts)})" if len(parts) > 1 else parts[0]


def read_axis(spec: Any, letter: str) -> Axis:
    """An `Axis`, or a sentence that says what is wrong with it."""
    if isinstance(spec, Axis):
        spec = (spec.name, spec.lo, spec.hi)
    if isinstance(spec, str) or not isinstance(spec, Sequence):
        raise SleuthError(f"{letter}={spec!r} is not an axis: {AXIS_FORM}.")
    if len(spec) == 2 and isinstance(spec[1], range):
        raise SleuthError(_integers(str(spec[0])))
    if len(spec) != 3 or not isinstance(spec[0], str) or not spec[0]:
        raise SleuthError(f"{letter}={spec!r} is not an axis: {AXIS_FORM}.")
    name, lo, hi = spec
    lo, hi = _bound(name, lo), _bound(name, hi)
    if not (math.isfinite(lo) and math.isfinite(hi)):
        raise SleuthError(f"The axis {name!r} runs from {lo} to {hi}; both ends must be finite numbers.")
    if lo >= hi:
        raise SleuthError(
            f"The axis {name!r} is empty: it runs from {lo:g} to {hi:g}. Put the smaller end first."
        )
    return Axis(name, lo, hi)


def read_axes(x: Any, y: Any) -> tuple[Axis, ...]:
    axes = tuple(read_axis(spec, letter) for spec, letter in ((x, "x"), (y, "y")) if spec is not None)
    if not axes:
        raise SleuthError(f"A surface needs at least one axis: {AXIS_FORM}.")
    if len({axis.name for axis in axes}) < len(axes):
        raise SleuthError(f"Both axes are named {axes[0].name!r}; the second must be another input.")
    return axes


def read_region(given: Any, axes: Sequence[Axis], word: str) -> Region | None:
    """`want` and `start`: a number for one axis, a pair for two, intervals, or a test of the point."""
    if given is None or isinstance(given, Region):
        return given
    if callable(given):
        return Region(test=given)
    parts = [given] if len(axes) == 1 else given
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) != len(axes):
        form = "a number or (lo, hi)" if len(axes) == 1 else "a pair (x, y) or ((x_lo, x_hi), (y_lo, y_hi))"
        raise SleuthError(f"{word}={given!r} does not fit {_count(axes)}: give {form}.")
    spans = tuple(_span(part, axis, word) for part, axis in zip(parts, axes, strict=True))
    for (lo, hi), axis in zip(spans, axes, strict=True):
        if hi < axis.lo or lo > axis.hi:
            raise SleuthError(f"{word} lies outside the map: {axis.name} = {lo:g}, but the axis is {axis}.")
    return Region(spans)


def read_count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int) or n < 3:
        raise SleuthError(f"n={n!r} points an axis will not do: give a whole number of 3 or more.")
    return n


def read_slices(slices: Mapping[str, Any] | None) -> tuple[dict[str, float], ...]:
    """Every combination of the values to slice at; one empty combination when there are none."""
    from itertools import product

    if not slices:
        return ({},)
    for name, values in slices.items():
        if not isinstance(values, Sequence) or isinstance(values, str) or not values:
            raise SleuthError(
                f"The slices of {name!r} are {values!r}; give a list of numbers, such as [0.1, 1.0]."
            )
    chosen = [[_finite(name, value) for value in values] for name, values in slices.items()]
    return tuple(dict(zip(slices, combination, strict=True)) for combination in product(*chosen))


def _span(part: Any, axis: Axis, word: str) -> Span:
    if isinstance(part, Sequence) and not isinstance(part, str):
        if len(part) != 2:
            raise SleuthError(f"{word} for {axis.name!r} is {part!r}; an interval has two ends.")
        lo, hi = (_finite(axis.name, end) for end in part)
        if lo > hi:
            raise SleuthError(f"{word} for {axis.name!r} is empty: from {lo:g} to {hi:g}.")
        return lo, hi
    value = _finite(axis.name, part)
    return value, value


def _bound(name: str, value: Any) -> float:
    """A plain number. Whole-number types (integer tensors, numpy integers) mark an axis without slopes."""
    kind = str(getattr(value, "dtype", "")).removeprefix("torch.")
    if kind.startswith(("int", "uint", "bool")) or isinstance(value, bool):
        raise SleuthError(_integers(name))
    return _number(name, value)


def _finite(name: str, value: Any) -> float:
    number = _number(name, value)
    if not math.isfinite(number):
        raise SleuthError(f"{name!r} is to be {number}; give a finite number.")
    return number


def _number(name: str, value: Any) -> float:
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SleuthError(f"{name!r} is to be {value!r}, which is no number.")
    return float(value)


def _integers(name: str) -> str:
    return (
        f"{name!r} is an integer axis, and a loss has no gradient along whole numbers: hold it fixed, or "
        "slice at some of its values."
    )


def _count(axes: Sequence[Axis]) -> str:
    return "one axis" if len(axes) == 1 else f"{len(axes)} axes"
