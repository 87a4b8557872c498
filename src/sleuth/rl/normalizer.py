"""A unit check for running normalisers: over all data, frozen when only read, clipped, rewards scale-only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sleuth.errors import SleuthError
from sleuth.judge.asking import findings_of
from sleuth.needs import need
from sleuth.rl.outcome import UnitCheck

UPDATES = ("update", "observe", "push", "record", "partial_fit", "add")
READS = ("normalize", "normalise", "transform", "filter", "apply", "__call__")
CLIP = 10.0
CLOSE = 0.05  # epsilons and starting counts shift a mean over 600 rows by less
TESTS = 5

Kind = Literal["observation", "reward"]


@dataclass(frozen=True)
class NormalizerSeen:
    """What came out of a normaliser that was given known data; None where that was not asked."""

    kind: Kind
    mean: float  # of what comes out of all data
    spread: float
    off: float | None  # largest distance from the data with their own mean and spread taken off
    shift: float | None  # by which rewards were moved; 0 for those that were only scaled
    by_batching: float | None  # between the results of the same data in other batches
    by_reading: float  # between the results before and after twenty reads
    constant_finite: bool  # a feature that never changes comes out as numbers
    largest: float | None  # of what comes out for an outlier
    clip: float | None

    @property
    def close(self) -> float:
        """The largest distance that starting counts explain."""
        return CLOSE * 4


def check_normalizer(
    make: Callable[[], Any], kind: Kind = "observation", clip: float | None = CLIP
) -> UnitCheck:
    """`make()` gives a fresh normaliser with update(batch) and normalize(x), or names alike.

    Observations must come out with the mean and spread of *all* data taken off; rewards may be scaled but
    never shifted; reading must not change the statistics; outliers are clipped at ±`clip` (None: not asked).
    """
    need("numpy", "rl", "`sleuth.rl` checks")
    found = findings_of("check_normalizer", seen_of(make, kind, clip))
    name = getattr(make, "__name__", "normaliser")
    return UnitCheck(name, not found, TESTS, tuple(entry.message for entry in found), "", found)


def seen_of(make: Callable[[], Any], kind: Kind, clip: float | None) -> NormalizerSeen:
    rows = _drifting_rows()
    out = _normalised(_fed_with(make, [rows[k : k + 30] for k in range(0, 600, 30)]), rows)
    of_rewards = kind == "reward"
    return NormalizerSeen(
        kind,
        float(out.mean()),
        float(out.std()),
        None if of_rewards else float(abs(out - (rows - rows.mean()) / rows.std()).max()),
        _shift(rows, out) if of_rewards else None,
        None if of_rewards else _apart_by_batching(make, rows),
        _moved_by_reading(make, rows),
        _finite_for_constants(make),
        None if clip is None else _largest(make, rows),
        clip,
    )


def _shift(rows: Any, out: Any) -> float:
    ratio = out / rows
    if ratio.std() <= CLOSE * abs(ratio.mean()):
        return 0.0
    return float((out - rows * (out.std() / rows.std())).mean())


def _apart_by_batching(make: Callable[[], Any], rows: Any) -> float:
    one = _normalised(_fed_with(make, [rows]), rows)
    many = _normalised(_fed_with(make, [rows[:50], rows[50:51], rows[51:]]), rows)
    return float(abs(one - many).max())


def _moved_by_reading(make: Callable[[], Any], rows: Any) -> float:
    thing = _fed_with(make, [rows])
    before = _normalised(thing, rows[:5])
    for _ in range(20):
        _normalised(thing, rows[:5] + 50.0)
    return float(abs(_normalised(thing, rows[:5]) - before).max())


def _finite_for_constants(make: Callable[[], Any]) -> bool:
    import numpy as np

    out = _normalised(_fed_with(make, [np.full((50, 1), 3.0)]), np.full((2, 1), 3.0))
    return bool(np.isfinite(out).all())


def _largest(make: Callable[[], Any], rows: Any) -> float:
    import numpy as np

    return float(abs(_normalised(_fed_with(make, [rows]), np.array([[1e6]]))).max())


def _first_method(thing: Any, names: tuple[str, ...], what: str) -> Callable[..., Any]:
    for name in names:
        if callable(getattr(thing, name, None)):
            chosen: Callable[..., Any] = getattr(thing, name)
            return chosen
    raise SleuthError(f"{type(thing).__name__} has no method to {what}; looked for {', '.join(names)}.")


def _fed_with(make: Callable[[], Any], batches: list[Any]) -> Any:
    thing = make()
    update = _first_method(thing, UPDATES, "update")
    for batch in batches:
        update(batch)
    return thing


def _normalised(thing: Any, rows: Any) -> Any:
    import numpy as np

    read = _first_method(thing, READS, "normalise")
    try:
        answer = read(rows, update=False)
    except TypeError:
        answer = read(rows)
    return np.asarray(answer, np.float64)


def _drifting_rows() -> Any:
    """The scale changes on the way, as it does when a policy improves: recent data are not all data."""
    import numpy as np

    chance = np.random.default_rng(0)
    rows = np.concatenate([chance.normal(5.0, 2.0, (300, 1)), chance.normal(9.0, 3.0, (300, 1))])
    return rows.astype(np.float64)
