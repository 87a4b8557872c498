"""Loss, slopes and curvature by autograd on whole grids, in chunks that keep memory small."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError
from sleuth.loss_surface.axes import Axis
from sleuth.loss_surface.calls import SHOULD, Batched, guest, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    Numbers = NDArray[np.float64]

# A million points must fit in 200 MB with their results (24 MB a term): this much may stand between at once.
CHUNK_BYTES = 32e6
CHUNK_POINTS = (1_024, 131_072)


@dataclass(frozen=True, eq=False)
class Sheet:
    """One term on the grid. `loss[i, j]` is its value at the i-th x and j-th y, `slopes` an array an axis."""

    term: str
    at: Mapping[str, float]
    axes: tuple[Axis, ...]
    ticks: tuple["Numbers", ...]
    loss: "Numbers"
    slopes: tuple["Numbers", ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.loss.shape

    def places(self) -> tuple["Numbers", ...]:
        """The coordinates of every point, one array an axis."""
        import numpy as np

        return tuple(np.meshgrid(*self.ticks, indexing="ij"))

    def point(self, index: Sequence[int]) -> tuple[float, ...]:
        return tuple(float(line[i]) for line, i in zip(self.ticks, index, strict=True))


def _ticks(axis: Axis, n: int) -> "Numbers":
    """What `np.linspace` gives, in a quarter of its time; torch's own misses 0 by 1e-17."""
    import numpy as np

    line = np.arange(n, dtype=np.float64)
    line *= (axis.hi - axis.lo) / (n - 1)
    line += axis.lo
    line[-1] = axis.hi
    return line


def evaluate(batched: Batched, n: int, at: Mapping[str, float] | None = None) -> tuple[Sheet, ...]:
    """One sheet a term, the total last: values and slopes at n points an axis."""
    axes = batched.axes
    shape = (n,) * len(axes)
    ticks = tuple(_ticks(axis, n) for axis in axes)
    with guest():
        parts = [_columns(batched, inputs) for inputs in _chunks(batched, ticks)]
    sheets = []
    for name in batched.names:
        columns = [
            _joined([part[name][place] for part in parts]).reshape(shape) for place in range(1 + len(axes))
        ]
        sheets.append(Sheet(name, dict(at or {}), axes, ticks, columns[0], tuple(columns[1:])))
    return tuple(sheets)


def _joined(pieces: list["Tensor"]) -> "Numbers":
    """One array of all chunks, without a copy when there is only one."""
    import torch

    whole = pieces[0] if len(pieces) == 1 else torch.cat(pieces)
    return whole.to("cpu", torch.float64).numpy()


def slopes_at(batched: Batched, term: str, points: "Numbers") -> tuple["Numbers", "Numbers"]:
    """Values (points) and slopes (points × axes) of one term at arbitrary places."""
    import numpy as np

    with guest():
        value, *slopes = _columns(batched, _inputs(batched, points))[term]
    return _joined([value]), np.stack([_joined([slope]) for slope in slopes], axis=1)


def curvature_at(batched: Batched, term: str, points: "Numbers") -> "Numbers":
    """The Hessian at each place (points × axes × axes), by differentiating twice where torch can."""

    try:
        with guest():
            return _twice(batched, term, _inputs(batched, points))
    except RuntimeError:  # an operation without a second derivative: differences of the first
        return _by_differences(batched, term, points)


def _twice(batched: Batched, term: str, inputs: list["Tensor"]) -> "Numbers":
    import numpy as np
    import torch

    hessian = np.zeros((len(inputs[0]), len(inputs), len(inputs)))
    value = whole(batched.call(inputs), term).sum()
    if not value.requires_grad:
        return hessian
    first = torch.autograd.grad(value, inputs, create_graph=True, allow_unused=True)
    if any(slope is not None and not slope.requires_grad for slope in first):
        raise RuntimeError("no second derivative: the loss is linear, or written so that it cannot be asked")
    for row, slope in enumerate(first):
        if slope is None:
            continue
        second = torch.autograd.grad(slope.sum(), inputs, retain_graph=True, allow_unused=True)
        for column, curve in enumerate(second):
            if curve is not None:
                hessian[:, row, column] = curve.detach().cpu().numpy()
    return hessian


def _by_differences(batched: Batched, term: str, points: "Numbers") -> "Numbers":
    """Central differences of the slopes at two step sizes; zero where they disagree, as they do at a kink."""
    import numpy as np

    # Near the cube root of float64's precision, and a quarter of it.
    wide, narrow = (_differences(batched, term, points, share) for share in (1e-4, 2.5e-5))
    return np.where(np.abs(wide - narrow) <= 0.1 * np.abs(wide), wide, 0.0)


def _differences(batched: Batched, term: str, points: "Numbers", share: float) -> "Numbers":
    import numpy as np

    columns = []
    for place, axis in enumerate(batched.axes):
        step = np.zeros(len(batched.axes))
        step[place] = share * axis.width
        ahead, behind = (slopes_at(batched, term, points + sign * step)[1] for sign in (1, -1))
        columns.append((ahead - behind) / (2 * step[place]))
    return np.stack(columns, axis=2)


def _inputs(batched: Batched, points: "Numbers") -> list["Tensor"]:
    import torch

    made = torch.as_tensor(points, dtype=batched.dtype, device=batched.device)
    return [made[:, column].contiguous().requires_grad_() for column in range(made.shape[1])]


def _chunks(batched: Batched, ticks: Sequence["Numbers"]) -> Iterator[list["Tensor"]]:
    """Whole rows of the grid, as many as fit a chunk, as flat coordinates."""
    import torch

    n = len(ticks[0])
    fewest, most = CHUNK_POINTS
    points = min(max(fewest, int(CHUNK_BYTES / max(batched.bytes_a_point, 1.0))), most)
    xs, ys = (torch.from_numpy(line).to(batched.device, batched.dtype) for line in (ticks[0], ticks[-1]))
    per_row = n if len(ticks) > 1 else 1
    step = max(1, points // per_row)
    for first in range(0, n, step):
        part = xs[first : first + step]
        if per_row == 1:
            yield [part.clone().requires_grad_()]
        else:
            shape = (len(part), n)
            grid = (part[:, None].expand(shape), ys.expand(shape))
            yield [one.reshape(-1).requires_grad_() for one in grid]


def _columns(batched: Batched, inputs: list["Tensor"]) -> dict[str, list["Tensor"]]:
    """Every term's values, then its slope along each axis."""
    try:
        terms = batched.call(inputs)
    except Exception as error:
        raise SleuthError(_blame(batched, inputs, error)) from None
    points, last = inputs[0].numel(), batched.terms[-1]
    columns: dict[str, list[Tensor]] = {}
    for name, values in terms.items():
        if values.numel() != points:
            raise SleuthError(
                f"{batched.name} returned {values.numel()} values for {points} points. {SHOULD}"
            )
        columns[name] = [values.detach().reshape(-1), *_slopes(values, inputs, keep=name != last)]
    for name in batched.names:
        if name not in terms:
            columns[name] = [sum(parts[1:], parts[0]) for parts in zip(*columns.values(), strict=True)]
    return columns


def _slopes(values: "Tensor", inputs: list["Tensor"], keep: bool) -> list["Tensor"]:
    """The slopes along each input; zero along one that the values do not depend on."""
    import torch

    if not values.requires_grad:
        return [torch.zeros_like(one) for one in inputs]
    found = torch.autograd.grad(values.sum(), inputs, retain_graph=keep, allow_unused=True)
    return [
        torch.zeros_like(one) if slope is None else slope for one, slope in zip(inputs, found, strict=True)
    ]


def _blame(batched: Batched, inputs: list["Tensor"], error: Exception) -> str:
    """Halve the points until the one that raises is found."""
    while inputs[0].numel() > 1:
        half = inputs[0].numel() // 2
        front = [one[:half] for one in inputs]
        try:
            batched.call(front)
        except Exception as found:
            inputs, error = front, found
        else:
            inputs = [one[half:] for one in inputs]
            try:
                batched.call(inputs)
            except Exception as found:
                error = found
    point = [float(one.detach()[0]) for one in inputs]
    text = " ".join(str(error).split()).rstrip(".")
    return f"{batched.describe(point)} raised {type(error).__name__}: {text}. {SHOULD}"
