"""Observations are far from zero mean and unit spread, or hold outliers that set the scale.

## What happens
A position of 1200 beside an angle of 0.02: the first layer is ruled by the position, and the
angle, which decides, needs weights 60,000 times larger. Supervised learners would standardise the
data set; here there is none beforehand, and the distribution moves as the policy improves.

The standard remedy brings its own faults. Running statistics that are updated at evaluation, not
saved with the model (a reloaded agent sees another world), kept per worker, or computed over
recent data only: then the meaning of the input changes under a policy that does not know. A
constant feature has variance 0 and explodes at its first change. One sensor glitch of 1e6 early
on makes the spread so large that the feature is flat for the rest of the run; clip *before* you
accumulate as well as after.

## How to tell
- **probe**: some thousand random steps: per-feature mean, spread, extremes. Alarm at spreads that
  differ by more than 100 between features, a mean beyond 10 spreads, or a maximum beyond 20
  spreads.
- **watch**: the same figures for what the network receives; share of clipped entries; difference
  between the statistics in use for acting and those for the update.
- **refuted by**: each feature entering the network has a mean within about 1 and a spread between
  0.1 and 10.

## How to fix
If the ranges are known, use fixed constants. Otherwise running statistics over *all* data,
clipped, frozen for evaluation and stored with the weights.
```python
x = np.clip((obs - rms.mean) / np.sqrt(rms.var + 1e-8), -10, 10)
if training:
    rms.update(obs)
torch.save({"model": net.state_dict(), "rms": (rms.mean, rms.var, rms.count)}, path)
```
Pixels: divide by 255 and leave it. One-hot and binary features may stay as they are. Do not
standardise a feature that is informative by its rarity without clipping.

## Often mistaken for
- `inputs-unnormalized`: the same in supervised learning, with a fixed data set.
- `reward-scale`: the numbers on the other side of the network.
- `obs-ignored`: a feature squashed to nothing looks ignored; here rescaling it brings the signal
  back.

## Sources
- schulman-2016: slide "Whitening / Standardizing Data", running mean and deviation with clipping.
- andrychowicz-2021: the section on normalisation and clipping, in which observation normalisation
  matters for nearly all tasks.
- engstrom-2020: section 3, observation normalisation and clipping among the code-level details.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.course import POINTS, LoggedAgent
from sleuth.rl.evidence_of_plays import not_finite
from sleuth.rl.normalizer import NormalizerSeen
from sleuth.rl.played import Played

RATIO = 100.0  # between the spreads of two features; see the page
LARGE = 1000.0  # an observation beyond this rules a fresh network
MODEST = 20.0  # spreads that differ do no harm among numbers below this
READS_MOVE = 1e-3  # more than rounding


def check_env(played: Played) -> Iterator[Evidence]:
    yield from not_finite(played, "observation", lambda step: step.observation)
    yield from _scale(played)
    yield from _outside(played)
    yield from _wrong_type(played)


def _scale(played: Played) -> Iterator[Evidence]:
    counts = type(played.space).__name__ in ("Discrete", "MultiDiscrete", "MultiBinary")
    seen = played.finite_observations
    if counts or "uint8" in played.random.dtype or not len(seen):
        return
    spread, largest = seen.std(0), abs(seen).max(0)
    moving = spread > 1e-8
    if not moving.any():
        return
    ratio = float(spread[moving].max() / spread[moving].min())
    if largest.max() > LARGE or (ratio > RATIO and largest.max() > MODEST):
        worst = int(largest.argmax())
        yield Evidence(
            f"Feature {worst} of the observation reaches {largest[worst]:.3g}, and the spreads of the "
            f"features differ by a factor of {ratio:.3g}: the largest rules the first layer.",
            "likely",
            numbers={"feature": worst, "largest": float(largest[worst]), "ratio": ratio},
            fix="Divide by known ranges, or normalise with running statistics over all data, clipped at ±10.",
        )


def _outside(played: Played) -> Iterator[Evidence]:
    late = played.places(lambda step: not step.inside)
    if late and "float64" not in played.random.dtype:
        yield Evidence(
            f"The observation lies outside its declared space {played.space}, first at step {min(late)} of "
            f"an episode ({len(late)} steps in all): scaling and clipping that trust the bounds are wrong "
            "there.",
            "proven",
            numbers={"first_step": min(late), "count": len(late)},
            fix="Widen the bounds of the space, or clip in `step`.",
        )


def _wrong_type(played: Played) -> Iterator[Evidence]:
    declared, seen = str(getattr(played.space, "dtype", "") or ""), played.random.dtype
    if type(played.space).__name__ == "Box" and seen and declared and seen != declared:
        yield Evidence(
            f"Observations are {seen} where the space says {declared}: buffers made from the space "
            "convert or break.",
            "likely",
            fix=f"Return `obs.astype(np.{declared})`.",
        )


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    """Statistics over all data grow with the data."""
    series = agent.series("normaliser_count", POINTS)
    if series is not None and max(series.values) == min(series.values):
        yield agent.told(
            f"The normaliser has seen {series.values[0]:.0f} observations from beginning to end: its "
            "statistics stand still while the agent learns.",
            "Keep the normaliser in training mode during training, and freeze it only for evaluation.",
            series.steps[0],
            count=series.values[0],
        )


def check_normalizer(seen: NormalizerSeen) -> Iterator[Evidence]:
    if seen.off is not None and seen.off > seen.close:
        yield _of_normalizer(
            f"After 20 batches the data come out with mean {seen.mean:.2f} and spread {seen.spread:.2f} "
            "instead of 0 and 1: the statistics are not those of all data seen.",
            "Keep count, mean and variance over all data (merge batches by their counts).",
            mean=seen.mean,
            spread=seen.spread,
        )
    if seen.by_batching is not None and seen.by_batching > seen.close:
        yield _of_normalizer(
            f"The same data in other batches give results that differ by {seen.by_batching:.2f}: batches are "
            "merged without their sizes.",
            "Merge means and variances weighted by the number of rows.",
            difference=seen.by_batching,
        )
    if seen.by_reading > READS_MOVE:
        yield _of_normalizer(
            f"Reading changes the statistics: the same rows come out {seen.by_reading:.2f} apart after 20 "
            "reads.",
            "Update in one place during training only; evaluation must not move the statistics.",
            moved=seen.by_reading,
        )
    yield from _extremes(seen)


def _extremes(seen: NormalizerSeen) -> Iterator[Evidence]:
    if not seen.constant_finite:
        yield _of_normalizer(
            "A feature that never changes comes out as NaN or infinity: its spread is 0.",
            "Add a small number to the variance before the root.",
        )
    if seen.largest is not None and seen.clip is not None and seen.largest > seen.clip * 1.001:
        yield _of_normalizer(
            f"An outlier comes out at {seen.largest:.3g}: nothing clips it at ±{seen.clip:g}.",
            f"Clip what comes out to ±{seen.clip:g}.",
            largest=seen.largest,
        )


def _of_normalizer(message: str, fix: str, **numbers: float) -> Evidence:
    return Evidence(message, "proven", numbers={key: round(x, 4) for key, x in numbers.items()}, fix=fix)
