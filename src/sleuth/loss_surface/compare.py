"""Two formulas on the same axes: what changed, in words and numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.loss_surface.axes import Axis
from sleuth.loss_surface.flats import say_point

if TYPE_CHECKING:
    from sleuth.loss_surface.survey import Surface

NOTABLE = 0.02  # a change of less than this share of the map is not worth a sentence


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two surfaces side by side, and what changed from the left one to the right one."""

    left: "Surface"
    right: "Surface"

    @cached_property
    def changes(self) -> tuple[str, ...]:
        return tuple(_changes(self.left, self.right)) or ("Nothing that matters: both maps show the same.",)

    def text(self, colour: bool = False) -> str:
        from sleuth.loss_surface.shown import as_text

        return as_text.side_by_side(self, colour)

    def to_dict(self) -> dict[str, Any]:
        from sleuth.loss_surface.shown import as_json

        return as_json.comparison_json(self)

    def save(self, path: str | Path) -> Path:
        from sleuth.loss_surface.shown import files

        return files.save(self, Path(path))

    def __str__(self) -> str:
        return self.text()


def compare(left: "Surface", other: "Surface | Callable[..., Any]") -> Comparison:
    from sleuth.loss_surface.survey import Surface, surface

    if not isinstance(other, Surface):
        other = surface(
            other, *left.axes, fixed=_shared(other, left), want=left.want, start=left.start, n=left.n
        )
    if other.axes != left.axes:
        raise SleuthError(
            f"The two surfaces have different axes ({_say(left.axes)}; {_say(other.axes)}): lay both on the "
            "same."
        )
    return Comparison(left, other)


def _shared(fn: Callable[..., Any], left: "Surface") -> dict[str, Any]:
    """Of what the left one holds fixed, what the other function takes at all."""
    import inspect

    try:
        takes = inspect.signature(getattr(fn, "forward", fn)).parameters
    except (TypeError, ValueError):
        return dict(left.fixed)
    return {key: value for key, value in {**left.fixed, **left.main.at}.items() if key in takes}


def _changes(left: "Surface", right: "Surface") -> Iterator[str]:
    yield from _kinds(left, right)
    yield from _shares(left, right)
    yield from _directions(left, right)
    yield from _starts(left, right)


def _kinds(left: "Surface", right: "Surface") -> Iterator[str]:
    """Defects that went, and defects that came."""
    had, has = ({flaw.kind for flaw in one.findings if flaw.term == one.main.term} for one in (left, right))
    if gone := sorted(had - has):
        yield f"Gone in {right.name}: {', '.join(gone)}."
    if new := sorted(has - had):
        yield f"New in {right.name}: {', '.join(new)}."


def _shares(left: "Surface", right: "Surface") -> Iterator[str]:
    """How much of the map is flat, broken, or leads where it should."""
    one, two = (surface.analyses[len(surface.calls[0].names) - 1] for surface in (left, right))
    for what, before, after in (
        ("The flat part of the map", float(one.flat.mean()), float(two.flat.mean())),
        ("The part that is not finite", float(one.broken.mean()), float(two.broken.mean())),
        ("The part from which descent arrives", one.basins.arrives, two.basins.arrives),
    ):
        if abs(after - before) >= NOTABLE:
            yield f"{what} {'grows' if after > before else 'shrinks'} from {before:.0%} to {after:.0%}."
    lows = [
        min((end.spot for end in side.basins.ends), key=lambda spot: spot.loss, default=None)
        for side in (one, two)
    ]
    if lows[0] and lows[1]:
        moved = [
            abs(a - b) / axis.width for a, b, axis in zip(lows[0].at, lows[1].at, left.axes, strict=True)
        ]
        if max(moved) >= NOTABLE:
            places = [say_point(left.axes, low.at) for low in lows if low]
            yield f"The lowest point moves from {places[0]} to {places[1]}."


def _directions(left: "Surface", right: "Surface") -> Iterator[str]:
    """Where the two formulas push in opposite directions, and how their slopes compare in size."""
    import numpy as np

    if left.loss.shape != right.loss.shape:
        return
    both = [np.stack(one.main.slopes) for one in (left, right)]
    dot = (both[0] * both[1]).sum(axis=0)
    sizes = [np.sqrt((slopes**2).sum(axis=0)) for slopes in both]
    alive = np.isfinite(dot) & (sizes[0] > 0) & (sizes[1] > 0)
    if not alive.any():
        return
    against = float((dot[alive] < 0).mean())
    if against >= NOTABLE:
        yield f"On {against:.0%} of the map the two push in opposite directions."
    ratio = float(np.median(sizes[1][alive]) / np.median(sizes[0][alive]))
    if not 0.5 <= ratio <= 2:
        yield (
            f"Slopes of {right.name} are {ratio:.3g} times those of {left.name} (medians): retune the "
            "learning rate."
        )


def _starts(left: "Surface", right: "Surface") -> Iterator[str]:
    """The slopes at the user's own start."""
    import numpy as np

    from sleuth.loss_surface.grid import slopes_at

    if left.start is None or not left.start.spans:
        return
    point = np.array([left.start.center])
    sizes = [float(np.linalg.norm(slopes_at(one.calls[0], one.main.term, point)[1])) for one in (left, right)]
    yield f"At the start {left.start} the gradient is {sizes[1]:.3g} instead of {sizes[0]:.3g}."


def _say(axes: tuple[Axis, ...]) -> str:
    return ", ".join(map(str, axes))
