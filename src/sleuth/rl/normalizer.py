"""A unit check for running normalisers: over all data, frozen when only read, clipped, rewards scale-only."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

from sleuth.errors import SleuthError
from sleuth.finding import Finding
from sleuth.needs import need
from sleuth.rl.naming import finding
from sleuth.rl.outcome import UnitCheck

UPDATES = ("update", "observe", "push", "record", "partial_fit", "add")
READS = ("normalize", "normalise", "transform", "filter", "apply", "__call__")
CLIP = 10.0
CLOSE = 0.05  # epsilons and starting counts shift a mean over 600 rows by less

Kind = Literal["observation", "reward"]


def check_normalizer(
    make: Callable[[], Any], kind: Kind = "observation", clip: float | None = CLIP
) -> UnitCheck:
    """`make()` gives a fresh normaliser with update(batch) and normalize(x), or names alike.

    Observations must come out with the mean and spread of *all* data taken off; rewards may be scaled but
    never shifted; reading must not change the statistics; outliers are clipped at ±`clip` (None: not asked).
    """
    need("numpy", "rl", "`sleuth.rl` checks")
    found = [
        entry
        for test in (_over_all, _any_batching, _frozen, _constant, _clipped)
        for entry in test(make, kind, clip)
    ]
    name = getattr(make, "__name__", "normaliser")
    wrong = tuple(entry.message for entry in found)
    return UnitCheck(name, not found, 5, wrong, "", tuple(found))


def _method(thing: Any, names: tuple[str, ...], what: str) -> Callable[..., Any]:
    for name in names:
        if callable(getattr(thing, name, None)):
            chosen: Callable[..., Any] = getattr(thing, name)
            return chosen
    raise SleuthError(f"{type(thing).__name__} has no method to {what}; looked for {', '.join(names)}.")


def _fed(make: Callable[[], Any], batches: list[Any]) -> Any:
    thing = make()
    update = _method(thing, UPDATES, "update")
    for batch in batches:
        update(batch)
    return thing


def _read(thing: Any, rows: Any) -> Any:
    import numpy as np

    read = _method(thing, READS, "normalise")
    try:
        answer = read(rows, update=False)
    except TypeError:
        answer = read(rows)
    return np.asarray(answer, np.float64)


def _data(kind: Kind) -> Any:
    """The scale changes on the way, as it does when a policy improves: recent data are not all data."""
    import numpy as np

    chance = np.random.default_rng(0)
    rows = np.concatenate([chance.normal(5.0, 2.0, (300, 1)), chance.normal(9.0, 3.0, (300, 1))])
    return rows.astype(np.float64)


def _problem(slug: str, message: str, fix: str, **numbers: float) -> Finding:
    return finding(slug, message, 0.9, {key: round(value, 4) for key, value in numbers.items()}, fix)


def _over_all(make: Callable[[], Any], kind: Kind, clip: float | None) -> Iterator[Finding]:
    rows = _data(kind)
    out = _read(_fed(make, [rows[k : k + 30] for k in range(0, 600, 30)]), rows)
    if kind == "reward":
        yield from _scale_only(rows, out)
        return
    right = (rows - rows.mean()) / rows.std()
    if abs(out - right).max() > CLOSE * 4:
        yield _problem(
            "obs-unnormalized",
            f"After 20 batches the data come out with mean {out.mean():.2f} and spread {out.std():.2f} "
            "instead of 0 "
            "and 1: the statistics are not those of all data seen.",
            "Keep count, mean and variance over all data (merge batches by their counts).",
            mean=float(out.mean()),
            spread=float(out.std()),
        )


def _scale_only(rows: Any, out: Any) -> Iterator[Finding]:
    ratio = out / rows
    if ratio.std() > CLOSE * abs(ratio.mean()):
        shift = float((out - rows * (out.std() / rows.std())).mean())
        yield _problem(
            "reward-shifted",
            f"Rewards are moved by {shift:.2f}, not only scaled: that changes how long the agent wants to "
            "live.",
            "Divide by the spread of the discounted return; do not subtract a mean.",
            shift=shift,
        )


def _any_batching(make: Callable[[], Any], kind: Kind, clip: float | None) -> Iterator[Finding]:
    if kind == "reward":
        return
    rows = _data(kind)
    one = _read(_fed(make, [rows]), rows)
    many = _read(_fed(make, [rows[:50], rows[50:51], rows[51:]]), rows)
    if abs(one - many).max() > CLOSE * 4:
        yield _problem(
            "obs-unnormalized",
            f"The same data in other batches give results that differ by {abs(one - many).max():.2f}: "
            "batches are "
            "merged without their sizes.",
            "Merge means and variances weighted by the number of rows.",
            difference=float(abs(one - many).max()),
        )


def _frozen(make: Callable[[], Any], kind: Kind, clip: float | None) -> Iterator[Finding]:
    rows = _data(kind)
    thing = _fed(make, [rows])
    before = _read(thing, rows[:5])
    for _ in range(20):
        _read(thing, rows[:5] + 50.0)
    moved = float(abs(_read(thing, rows[:5]) - before).max())
    if moved > 1e-3:
        yield _problem(
            "obs-unnormalized",
            f"Reading changes the statistics: the same rows come out {moved:.2f} apart after 20 reads.",
            "Update in one place during training only; evaluation must not move the statistics.",
            moved=moved,
        )


def _constant(make: Callable[[], Any], kind: Kind, clip: float | None) -> Iterator[Finding]:
    import numpy as np

    thing = _fed(make, [np.full((50, 1), 3.0)])
    out = _read(thing, np.full((2, 1), 3.0))
    if not np.isfinite(out).all():
        yield _problem(
            "obs-unnormalized",
            "A feature that never changes comes out as NaN or infinity: its spread is 0.",
            "Add a small number to the variance before the root.",
        )


def _clipped(make: Callable[[], Any], kind: Kind, clip: float | None) -> Iterator[Finding]:
    import numpy as np

    if clip is None:
        return
    out = _read(_fed(make, [_data(kind)]), np.array([[1e6]]))
    if abs(out).max() > clip * 1.001:
        yield _problem(
            "obs-unnormalized",
            f"An outlier comes out at {abs(out).max():.3g}: nothing clips it at ±{clip:g}.",
            f"Clip what comes out to ±{clip:g}.",
            largest=float(abs(out).max()),
        )
