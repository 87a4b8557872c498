"""`sleuth.surface`: feed synthetic values into a loss and look at its shape before training."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError
from sleuth.loss_surface.axes import Axis, Region, read_axes, read_count, read_region, read_slices
from sleuth.loss_surface.calls import Batched, adapt, name_of
from sleuth.loss_surface.flow import Flow, FlowRow, flow_table
from sleuth.loss_surface.grid import Sheet, evaluate
from sleuth.needs import need

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sleuth.loss_surface.analysis import Analysis
    from sleuth.loss_surface.compare import Comparison
    from sleuth.loss_surface.flaw import Flaw

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Surface:
    """A loss on its map: values and slopes of every term (and slice), and on demand what they show.

    `sheets` holds one sheet a slice and term; within a slice the last one is the loss that is minimised.
    """

    name: str
    axes: tuple[Axis, ...]
    sheets: tuple[Sheet, ...]
    want: Region | None
    start: Region | None
    fixed: Mapping[str, Any]
    n: int
    function: Callable[..., Any] = field(repr=False)
    calls: tuple[Batched, ...] = field(repr=False)

    @property
    def main(self) -> Sheet:
        """The loss that is minimised, in the first slice."""
        return self.sheets[len(self.calls[0].names) - 1]

    @property
    def loss(self) -> "Numbers":
        """`loss[i, j]`: the value at the i-th x and the j-th y."""
        return self.main.loss

    @property
    def slopes(self) -> dict[str, "Numbers"]:
        """Axis name → the loss's derivative by it, on the grid."""
        return {axis.name: slope for axis, slope in zip(self.axes, self.main.slopes, strict=True)}

    @cached_property
    def analyses(self) -> tuple["Analysis", ...]:
        """What each sheet shows, in the order of `sheets`."""
        from sleuth.loss_surface.analysis import analyse

        need("scipy", "torch", "sleuth surface")
        return tuple(
            analyse(sheet, call, self.want, self.start, whole=sheet.term == call.names[-1])
            for sheet, call in zip(self.sheets, self._call_a_sheet(), strict=True)
        )

    @property
    def findings(self) -> tuple["Flaw", ...]:
        """Every defect of every sheet; those of the loss itself before those of its terms."""
        from sleuth.finding import SEVERITIES

        whole = self.main.term
        found = [flaw for analysis in self.analyses for flaw in analysis.flaws]
        return tuple(sorted(found, key=lambda flaw: (SEVERITIES.index(flaw.severity), flaw.term != whole)))

    @cached_property
    def flow(self) -> Flow:
        """The gradient-flow table, of all slices together when there are several."""
        rows: list[FlowRow] = []
        notes: list[str] = []
        for call in self.calls:
            mine = [
                sheet for sheet, its in zip(self.sheets, self._call_a_sheet(), strict=True) if its is call
            ]
            wide, held = _widened(self.function, call, {**self.fixed, **mine[0].at})
            flow = flow_table(mine, call, wide, held, self.want, self.start)
            rows += flow.rows
            notes += [note for note in flow.notes if note not in notes]
        return Flow(tuple(rows), tuple(notes))

    def compare(self, other: "Surface | Callable[..., Any]") -> "Comparison":
        """This formula beside another (a surface, or a function to be laid on the same axes)."""
        from sleuth.loss_surface.compare import compare

        return compare(self, other)

    def text(self, colour: bool = False) -> str:
        """The map, the findings and the gradient-flow table for a terminal."""
        from sleuth.loss_surface.shown import as_text

        return as_text.full(self, colour)

    def to_dict(self) -> dict[str, Any]:
        from sleuth.loss_surface.shown import as_json

        return as_json.as_json(self)

    def save(self, path: str | Path) -> Path:
        """A picture (.png, .svg), an interactive page (.html), the text (.txt) or the data (.json)."""
        from sleuth.loss_surface.shown import files

        return files.save(self, Path(path))

    def __str__(self) -> str:
        return self.text()

    def _call_a_sheet(self) -> tuple[Batched, ...]:
        return tuple(call for call in self.calls for _ in call.names)


def surface(
    fn: Callable[..., Any],
    x: Any,
    y: Any = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    want: Any = None,
    start: Any = None,
    slices: Mapping[str, Any] | None = None,
    n: int = 80,
    dtype: Any = None,
) -> Surface:
    """Lay a loss on a map of one or two of its inputs, with slopes by autograd.

    `fn` takes the axes by name and returns one value a point, or a dict of terms; it may be written for whole
    tensors or for one point, or be a module. `x` and `y` are `("name", lo, hi)`. `want` is where training
    should end and `start` where it begins: a number for one axis, a pair for two, `((lo, hi), (lo, hi))`, or
    a test. `fixed` holds further inputs, `slices` maps an input to the values at which the map is drawn
    again.
    """
    axes = read_axes(x, y)
    count, wanted, begun = read_count(n), read_region(want, axes, "want"), read_region(start, axes, "start")
    cuts = read_slices(slices)
    held = dict(fixed or {})
    if both := [name for name in slices or {} if name in held]:
        raise SleuthError(f"{both[0]!r} is both sliced and held fixed; choose one.")
    need("torch", "torch", "sleuth surface")
    calls = tuple(adapt(fn, axes, {**held, **cut}, dtype) for cut in cuts)
    sheets = tuple(
        sheet for call, cut in zip(calls, cuts, strict=True) for sheet in evaluate(call, count, cut)
    )
    return Surface(name_of(fn), axes, sheets, wanted, begun, held, count, fn, calls)


def _widened(fn: Callable[..., Any], call: Batched, held: Mapping[str, Any]) -> tuple[Batched, list[float]]:
    """The loss as a function of its fixed numbers too, where it takes them as tensors."""
    numbers = {key: value for key, value in held.items() if isinstance(value, float)}
    if not numbers:
        return call, []
    axes = [*call.axes, *(Axis(key, value, value) for key, value in numbers.items())]
    rest = {key: value for key, value in held.items() if key not in numbers}
    try:
        return adapt(fn, axes, rest, call.dtype), list(numbers.values())
    except SleuthError:
        return call, []
