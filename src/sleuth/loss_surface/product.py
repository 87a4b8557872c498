"""Losses of the form c + A(x)·B(y): recognised on the grid, and compared with their log-space form."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sleuth.loss_surface.axes import Region
from sleuth.loss_surface.scale import Scaled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

RANK_ONE = 1e-9  # the second singular value against the first: rounding in float64, and no more
# At which sizes of both factors, as shares of their largest, the two forms are compared.
CLOSE, MIDDLE, FAR = 0.02, 0.25, 0.75


@dataclass(frozen=True)
class Beside:
    """Both forms' gradients at one point."""

    point: tuple[float, ...]
    product: tuple[float, ...]
    logarithm: tuple[float, ...]


@dataclass(frozen=True)
class LogForm:
    """What a product loss would be in log space: its formula in words, and both gradients."""

    formula: str
    constant: float
    rows: tuple[Beside, ...]

    @property
    def advice(self) -> str:
        small = self.rows[0]
        place = ", ".join(f"{value:.3g}" for value in small.point)
        return (
            "This loss is a product of one factor an axis, so each slope is scaled by the other factor. "
            f"In log space ({self.formula}) the factors separate and this saddle is gone: at ({place}) "
            f"the gradient is {_say(small.logarithm)} instead of {_say(small.product)}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "formula": self.formula,
            "constant": self.constant,
            "gradients": [
                {"at": list(row.point), "product": list(row.product), "log": list(row.logarithm)}
                for row in self.rows
            ],
        }


def log_form(scaled: Scaled, want: Region | None) -> LogForm | None:
    """The log-space form of a loss c + A·B, or None when the loss is no such product."""
    import numpy as np

    sheet = scaled.sheet
    if len(sheet.axes) != 2 or not scaled.finite.all() or scaled.range == 0:
        return None
    constant = _constant(sheet.loss)
    if constant is None:
        return None
    product = sheet.loss - constant
    singular = np.linalg.svd(product, compute_uv=False)
    if singular[1] > RANK_ONE * singular[0] or not _varies(product):
        return None
    grows = _should_grow(scaled, product, want)
    names = " and ".join(axis.name for axis in sheet.axes)
    formula = f"{'-' if grows else ''}(log A + log B), A and B the factors of {names}"
    rows = tuple(
        Beside(
            sheet.point(index),
            tuple(float(slope[index]) for slope in sheet.slopes),
            tuple(float(slope[index] / product[index]) * (-1 if grows else 1) for slope in sheet.slopes),
        )
        for index in _spots(product)
    )
    return LogForm(formula, constant, rows)


def _constant(loss: "Numbers") -> float | None:
    """The c that makes loss - c a product: from a 2 × 2 minor, (L00-c)(L11-c) = (L01-c)(L10-c)."""
    import numpy as np

    rows, columns = (np.linspace(0, count - 1, 7).astype(int) for count in loss.shape)
    best, answer = 0.0, None
    for i, k in ((i, k) for i in rows for k in rows if i < k):
        for j, m in ((j, m) for j in columns for m in columns if j < m):
            mixed = loss[i, j] + loss[k, m] - loss[i, m] - loss[k, j]
            if abs(mixed) > best:
                best = abs(mixed)
                answer = float((loss[i, j] * loss[k, m] - loss[i, m] * loss[k, j]) / mixed)
    return answer if best > 1e-9 * float(np.ptp(loss)) else None


def _varies(product: "Numbers") -> bool:
    """Along both axes: a function of one input alone has rank one too, and is no product."""
    import numpy as np

    return all(
        float(np.ptp(product, axis=axis).max()) > 1e-9 * float(np.abs(product).max()) for axis in (0, 1)
    )


def _should_grow(scaled: Scaled, product: "Numbers", want: Region | None) -> bool:
    """Whether training is to make A·B large: what is wanted says so, or else the sign of the product."""
    import numpy as np

    if want is not None:
        pad = [axis.width / (count - 1) for axis, count in zip(scaled.sheet.axes, product.shape, strict=True)]
        wanted = product[want.holds(scaled.sheet.places(), pad)]
        if wanted.size:
            return bool(np.abs(wanted).mean() > np.median(np.abs(product)))
    return bool(np.median(product) < 0)


def _spots(product: "Numbers") -> list[tuple[int, ...]]:
    """Grid points where both factors are small, middling and large, on the side of the largest product."""
    import numpy as np

    left, _, right = np.linalg.svd(product)
    # Of equally large corners the one at the far ends of the axes: there factors are usually positive.
    corner = np.unravel_index(product.size - 1 - int(np.abs(product).ravel()[::-1].argmax()), product.shape)
    factors = [left[:, 0] * np.sign(left[corner[0], 0]), right[0] * np.sign(right[0, corner[1]])]

    def nearest(factor: "Numbers", share: float) -> int:
        gap = np.abs(factor / factor.max() - share)
        return int(np.where(factor > 1e-9 * factor.max(), gap, np.inf).argmin())

    return [tuple(nearest(factor, share) for factor in factors) for share in (CLOSE, MIDDLE, FAR)]


def _say(slopes: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{slope:.3g}" for slope in slopes) + ")"
