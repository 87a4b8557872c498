"""What the verdicts on a run share: whether it learns, how large entropy can be, how a verdict is told."""

import math
from statistics import fmean, pstdev

from sleuth.finding import Finding, Severity
from sleuth.rl.logs import Run, Series, finite
from sleuth.rl.naming import finding

POINTS = 10  # fewer are no course
COLLAPSED, FLAT = 0.1, 0.95  # of the largest entropy; see the pages of entropy-collapsed and entropy-flat
EARLY = 0.2  # share of the run in which a collapse is early


def learns(run: Run) -> bool | None:
    """Whether the return clearly rose; None where it is not logged."""
    series = run.series.get("return")
    if series is None or len(finite(series.values)) < POINTS:
        return None
    start, end = finite(series.part(0, 0.2)), finite(series.part(0.8, 1))
    if not start or not end:
        return None
    return fmean(end) > fmean(start) + 2 * pstdev(start) + 1e-6 + 0.02 * abs(fmean(start))


def said(
    run: Run,
    slug: str,
    message: str,
    fix: str,
    began: float,
    credence: float = 0.8,
    severity: Severity = "warning",
    **numbers: float,
) -> Finding:
    message = f"{message} Began at step {began:.0f}." if began else message
    rounded = {key: round(value, 4) if math.isfinite(value) else str(value) for key, value in numbers.items()}
    return finding(
        slug, message, credence, {"run": run.name, "began": began, **rounded}, fix, severity, "watch"
    )


def largest_entropy(series: Series, actions: int | None) -> float:
    """The logarithm of the number of actions; unknown, that of a policy that has just begun."""
    if actions is not None:
        return math.log(actions)
    return max(finite(series.part(0, 0.1)) or [0.0])
