"""How often each verdict word is wrong, and how often it is right: sweeps drawn from known truths.

`python -m bench.sweep_errors` prints every cell; `--quick` is what the tests run.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from sleuth.sweeping.folklore import LOUD, scores
from sleuth.sweeping.model import RELIABLE, fit, judge
from sleuth.sweeping.trend import slopes
from sleuth.sweeping.verdicts import FEWEST, SUGGESTIVE

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[float64]
    Draw = Callable[[Generator, tuple[int, int, int]], Floats]

SEEDS, VALUES = (3, 4, 5, 8, 16), (2, 3, 4, 5, 8)
MANY, FEW = 10_000, 2_000  # sweeps a cell; standard errors of 0.2 and 0.5 points at 5%
MATCH = 0.6745 / 0.8165  # t(2) with the median absolute deviation of a gaussian
FAILS, DEPTH = 0.3, 6.0  # share of runs that fail, and by how many standard deviations


def _gaussian(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    return source.standard_normal(shape)


def _heavy(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    return source.standard_t(2, shape) * MATCH


def _failing(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    return source.standard_normal(shape) - DEPTH * (source.random(shape) < FAILS)


def _failing_seeds(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    return source.standard_normal(shape) - DEPTH * (source.random((shape[0], 1, shape[2])) < FAILS)


def _crashing(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    import numpy as np

    return np.where(source.random(shape) < FAILS, np.nan, source.standard_normal(shape))


def _noisier(times: float) -> "Draw":
    def draw(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
        noise = source.standard_normal(shape)
        noise[:, 0] *= times
        return noise

    return draw


def _quieter(source: "Generator", shape: tuple[int, int, int]) -> "Floats":
    noise = source.standard_normal(shape)
    noise[:, 1:] *= 4
    return noise


TRUTHS: "Mapping[str, Draw]" = {
    "gaussian": _gaussian,
    "heavy tails, t(2)": _heavy,
    "30% of runs fail": _failing,
    "30% of seeds fail": _failing_seeds,
    "30% of runs crash": _crashing,
    "one value 2 times noisier": _noisier(2),
    "one value 4 times noisier": _noisier(4),
    "one value 10 times noisier": _noisier(10),
    "all but one 4 times noisier": _quieter,
}


def draw(truth: str, sweeps: int, values: int, seeds: int, effect: float = 0.0) -> "Floats":
    """Sweeps (sweep, value, seed) with a level a seed; the first value is better by `effect` noise sds."""
    import zlib

    import numpy as np

    source = np.random.default_rng([zlib.crc32(truth.encode()), values, seeds, 1])
    y = TRUTHS[truth](source, (sweeps, values, seeds)) + 2 * source.standard_normal((sweeps, 1, seeds))
    y[:, 0] += effect
    return y


def rates(y: "Floats") -> dict[str, float]:
    """Shares of sweeps in which a word falls: about any value, about the first, about the trend, by
    folklore.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        fitted = fit(y)
        judged = judge(fitted)
        folk = scores(y)
        x = np.broadcast_to(np.arange(y.shape[1], dtype=float), y.shape[:2])
        trend = slopes(y, folk.z, x)
        enough = fitted.seeds >= FEWEST
        reliable = (judged.p < RELIABLE) & enough
        hint = ~reliable & (judged.raw < SUGGESTIVE)
        return {
            "reliable": float(reliable.any(axis=1).mean()),
            "first reliable": float(reliable[:, 0].mean()),
            "suggestive": float((hint.any(axis=1) & ~reliable.any(axis=1)).mean()),
            "trend reliable": float(((trend.p < RELIABLE) & enough.any(axis=1)).mean()),
            "folklore": float((np.abs(folk.t) > LOUD).any(axis=1).mean()),
        }


def null_rates(sweeps: int) -> Iterator[tuple[str, int, int, dict[str, float]]]:
    for truth in TRUTHS:
        for values in VALUES:
            for seeds in SEEDS:
                yield truth, values, seeds, rates(draw(truth, sweeps, values, seeds))


def table() -> Iterator[tuple[str, str, str]]:
    """The worst cell of each truth, and the power at 2 noise sds with 3 values."""
    worst: dict[str, tuple[float, float, float]] = {}
    for truth, _, _, found in null_rates(FEW):
        old = worst.get(truth, (0.0, 0.0, 0.0))
        new = (found["reliable"], found["trend reliable"], found["folklore"])
        worst[truth] = (max(old[0], new[0]), max(old[1], new[1]), max(old[2], new[2]))
    for truth, (value, trend, folklore) in worst.items():
        told = f"{value:.1%} (trend {trend:.1%}; folklore {folklore:.0%})"
        yield "sweep", f"nothing differs, {truth}: `reliable` is wrong in at most", told
    for truth in ("gaussian", "heavy tails, t(2)", "30% of runs fail"):
        shares = [rates(draw(truth, FEW, 3, seeds, effect=2.0))["first reliable"] for seeds in (3, 4, 5, 8)]
        yield (
            "sweep",
            f"2 sd, 3 values, {truth}: found with 3/4/5/8 seeds",
            " / ".join(f"{s:.0%}" for s in shares),
        )


def main() -> int:
    sweeps = FEW if "--quick" in sys.argv else MANY
    bad = 0
    for truth, values, seeds, found in null_rates(sweeps):
        over = found["reliable"] > RELIABLE or found["trend reliable"] > RELIABLE
        bad += over
        words = "  ".join(f"{name} {share:.1%}" for name, share in found.items() if name != "first reliable")
        print(
            f"{truth:28s} {values} values {seeds:2d} seeds  {words}{'  <-- over 5%' if over else ''}",
            flush=True,
        )
    for line in table():
        print("  ".join(line))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
