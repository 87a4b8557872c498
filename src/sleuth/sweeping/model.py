"""The two-way model (value + seed) on many sweeps at once: pure functions on arrays (sweep, value, seed).

A cell without a result is NaN. Seeds with a single result carry no comparison and are left out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.sweeping.tails import chi_square_above, t_cuts, t_two_sided

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

    Floats = NDArray[float64]

RELIABLE = 0.05  # the promise: at most this share of sweeps in which nothing differs
# A value noisier than the rest by this factor (in variance) must also pass the paired t on its own noise, at
# OWN. With UNEQUAL below, the three keep wrong alarms at 5% or less for 3-16 seeds and 3-8 values under
# gaussian, heavy-tailed and 30%-failing outcomes and with one value 2, 4 or 10 times noisier, where pooling
# alone gives up to 31% and the paired t alone up to 19% (bench/sweep_errors.py).
NOISIER = 1.0
OWN = 0.042
UNEQUAL = 0.10  # Bartlett's p below which noise counts as unequal, and the paired t is corrected as well
# One comparison (two values, a slope) has no correction to hide behind: its exact level would be 5.0% on the
# dot, and heavy tails of the 30%-failing kind push it to 5.3% (same simulation).
SINGLE = 0.042
TINY = 1e-12  # of the spread of the data: less is rounding, not noise


@dataclass(frozen=True)
class Fit:
    """One row a sweep, one column a value."""

    effect: "Floats"  # against the mean of the other values
    error: "Floats"  # of the effect, from the pooled noise
    own_error: "Floats"  # of the effect, from the value's own noise
    df: "Floats"  # of the pooled noise (sweep)
    seeds: "Floats"  # paired seeds of the value
    noise: "Floats"  # pooled standard deviation of one run (sweep)
    ratio: "Floats"  # variance of the value's noise against that of the others
    unequal: "Floats"  # Bartlett's p for equal noise (sweep)
    residual: "Floats"  # (sweep, value, seed)


@dataclass(frozen=True)
class Judged:
    """`p` holds the correction for the number of values and whatever unequal noise asks for."""

    p: "Floats"
    raw: "Floats"
    low: "Floats"
    high: "Floats"
    switched: "NDArray[bool_]"


def paired(y: "Floats") -> "Floats":
    """The results with those seeds blanked that have a single one."""
    import numpy as np

    alone = (~np.isnan(y)).sum(axis=1, keepdims=True) < 2
    return np.where(alone, np.nan, y) if alone.any() else y


def shown(there: "NDArray[bool_]", numbers: "Floats") -> "Floats":
    """The numbers with 0 where nothing is there; a full grid, which is the rule, is not copied."""
    import numpy as np

    return numbers if there.all() else np.where(there, numbers, 0)


def fit(y: "Floats") -> Fit:
    """Least squares for y = value + seed + noise."""
    import numpy as np

    y = paired(y)
    present = ~np.isnan(y)
    per_seed, per_value = present.sum(axis=1), present.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = shown(present, y).sum(axis=1) / np.maximum(per_seed, 1)
        within = shown(present, y - middle[:, None, :])
        if present.all():
            levels, effect, spread = _balanced(within)
        else:
            levels, effect, spread = _unbalanced(within, present, per_seed)
        fitted_middle = shown(present, levels[:, :, None]).sum(axis=1) / np.maximum(per_seed, 1)
        residual = shown(present, within - levels[:, :, None] + fitted_middle[:, None, :])
        df = (present.sum(axis=(1, 2)) - (per_seed > 0).sum(axis=1) - (per_value > 0).sum(axis=1) + 1).astype(
            float
        )
        squares = np.einsum("svn,svn->s", residual, residual)
        scale = np.nanmax(np.abs(shown(present, within)), axis=(1, 2))
        squares = np.where(squares <= (TINY * scale) ** 2 * df, 0.0, squares)
        effect = np.where(np.abs(effect) <= TINY * scale[:, None], 0.0, effect)
        if y.shape[1] == 2:
            effect[:, 1] = -effect[:, 0]  # one comparison, to the last digit
        variance = np.where(df > 0, squares / np.maximum(df, 1), np.nan)
        grown = residual * (per_seed / np.maximum(per_seed - 1, 1))[:, None, :]
        own = np.einsum("svn,svn->sv", grown, grown) / np.maximum(per_value - 1, 1) / np.maximum(per_value, 1)
        ratio, unequal = _inequality(residual, per_value)
    return Fit(
        effect=effect,
        error=np.sqrt(variance[:, None] * spread),
        own_error=np.where(per_value > 1, np.sqrt(own), np.nan),
        df=df,
        seeds=per_value.astype(float),
        noise=np.sqrt(variance),
        ratio=ratio,
        unequal=unequal,
        residual=residual if present.all() else np.where(present, residual, np.nan),
    )


def judge(fitted: Fit) -> Judged:
    """Holm over the values, plus the paired t where noise is unequal; two values are one comparison."""
    import numpy as np

    values = fitted.effect.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        raw = t_two_sided(_ratio(fitted.effect, fitted.error), fitted.df[:, None])
        if values == 2:
            half = t_cuts(np.full(raw.shape, SINGLE), fitted.df[:, None]) * fitted.error
            p = np.minimum(raw * RELIABLE / SINGLE, 1)
            return Judged(p, raw, fitted.effect - half, fitted.effect + half, np.zeros(len(raw), dtype=bool))
        own_df = fitted.seeds - 1
        own = t_two_sided(_ratio(fitted.effect, fitted.own_error), own_df)
        p, step = holm(raw)
        own_p, own_step = holm(own)
        half = t_cuts(RELIABLE / step, fitted.df[:, None]) * fitted.error
        noisier = fitted.ratio > NOISIER
        unequal = np.broadcast_to((fitted.unequal < UNEQUAL)[:, None], p.shape)
        own_half = t_cuts(np.full(p.shape, OWN), own_df) * fitted.own_error
        corrected_half = t_cuts(RELIABLE / own_step, own_df) * fitted.own_error
        p = np.where(noisier, np.fmax(p, np.minimum(own * RELIABLE / OWN, 1)), p)
        half = np.where(noisier, np.fmax(half, own_half), half)
        p = np.where(unequal, np.fmax(p, own_p), p)
        half = np.where(unequal, np.fmax(half, corrected_half), half)
    return Judged(p, raw, fitted.effect - half, fitted.effect + half, fitted.unequal < UNEQUAL)


def holm(p: "Floats") -> "tuple[Floats, Floats]":
    """Corrected p, and the number each raw p was held against: p < level / step says the same."""
    import numpy as np

    known = (~np.isnan(p)).sum(axis=1, keepdims=True)
    order = np.argsort(p, axis=1)  # NaN comes last
    ranked = np.take_along_axis(p, order, axis=1)
    steps = np.maximum(known - np.arange(p.shape[1]), 1).astype(float)
    running = np.minimum(np.maximum.accumulate(ranked * steps, axis=1), 1)
    # From the first that fails, every later one is held to the bar of that first.
    failed = np.cumsum(running >= RELIABLE, axis=1) > 0
    first = np.argmax(failed, axis=1)
    bar = np.where(failed, np.take_along_axis(steps, first[:, None], axis=1), steps)
    corrected, step = np.empty_like(p), np.empty_like(p)
    np.put_along_axis(corrected, order, running, axis=1)
    np.put_along_axis(step, order, bar, axis=1)
    return corrected, step


def _balanced(within: "Floats") -> "tuple[Floats, Floats, Floats]":
    import numpy as np

    _, values, seeds = within.shape
    levels = within.mean(axis=2)
    factor = values / (values - 1) if values > 1 else np.nan
    return levels, levels * factor, np.full(levels.shape, factor / seeds)


def _unbalanced(
    within: "Floats", present: "NDArray[bool_]", per_seed: "NDArray[float64]"
) -> "tuple[Floats, Floats, Floats]":
    """Value levels by the normal equations with the seeds eliminated; contrasts run over present values."""
    import numpy as np

    if not present.any():  # the equations of thousands of values would be solved for nothing
        nothing = np.full(present.shape[:2], np.nan)
        return np.zeros(present.shape[:2]), nothing, nothing.copy()
    shown = present.astype(float)
    shared = shown / np.maximum(per_seed, 1)[:, None, :]
    normal = -np.einsum("svn,swn->svw", shown, shared)
    places = np.arange(shown.shape[1])
    normal[:, places, places] += shown.sum(axis=2)
    inverse = np.linalg.pinv(normal, rcond=1e-9, hermitian=True)
    levels = np.einsum("svw,sw->sv", inverse, within.sum(axis=2))
    there = shown.any(axis=2)
    count = there.sum(axis=1)
    share = there / np.maximum(count, 1)[:, None]
    contrast = (np.eye(shown.shape[1])[None] - share[:, None, :]) * (count / (count - 1))[:, None, None]
    effect = np.einsum("svw,sw->sv", contrast, levels)
    spread = np.einsum("svw,swx,svx->sv", contrast, inverse, contrast)
    missing = ~there
    return levels, np.where(missing, np.nan, effect), np.where(missing, np.nan, spread)


def _inequality(residual: "Floats", per_value: "NDArray[float64]") -> "tuple[Floats, Floats]":
    """Each value's noise variance against that of the others, and Bartlett's p for equal noise."""
    import numpy as np

    df = np.maximum(per_value - 1, 0).astype(float)
    squares = np.einsum("svn,svn->sv", residual, residual)
    rest, rest_df = squares.sum(axis=1, keepdims=True) - squares, df.sum(axis=1, keepdims=True) - df
    own = squares / np.where(df > 0, df, np.nan)
    others = rest / np.where(rest_df > 0, rest_df, np.nan)
    ratio = np.where(others > 0, own / np.where(others > 0, others, 1), np.where(own > 0, np.inf, 1.0))
    ratio = np.where(np.isnan(own) | np.isnan(others), 1.0, ratio)
    return ratio, _bartlett(own, df)


def _bartlett(variance: "Floats", df: "Floats") -> "Floats":
    """P-values; 1 where there is nothing to compare. A value without any noise counts as nearly none."""
    import numpy as np

    used = df > 0
    count, total = used.sum(axis=1), df.sum(axis=1)
    pooled = np.where(used, df * np.where(used, variance, 0), 0).sum(axis=1) / np.maximum(total, 1)
    floor = np.maximum(np.where(used, variance, 1), (pooled * TINY)[:, None])
    logs = np.where(used, df * np.log(np.where(floor > 0, floor, 1)), 0).sum(axis=1)
    statistic = total * np.log(np.where(pooled > 0, pooled, 1)) - logs
    inverse = np.where(used, 1 / np.where(used, df, 1), 0).sum(axis=1) - 1 / np.maximum(total, 1)
    statistic /= 1 + inverse / (3 * np.maximum(count - 1, 1))
    return _chi_square(np.where((count > 1) & (pooled > 0), statistic, 0), count - 1)


def _chi_square(statistic: "Floats", df: "NDArray[float64]") -> "Floats":
    import numpy as np

    pairs = zip(statistic.tolist(), df.tolist(), strict=True)
    return np.array([chi_square_above(value, int(free)) if free > 0 else 1.0 for value, free in pairs])


def _ratio(effect: "Floats", error: "Floats") -> "Floats":
    """t, with 0/0 read as no effect."""
    import numpy as np

    return np.where((error == 0) & (effect == 0), 0.0, effect / error)
