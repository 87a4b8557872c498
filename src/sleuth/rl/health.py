"""Verdicts on a logged run, each with the step at which it began; silent on healthy runs."""

import math
from collections.abc import Iterator
from statistics import median

from sleuth.finding import Finding
from sleuth.rl import health_of_policy as policy
from sleuth.rl.course import POINTS, largest_entropy, learns, said
from sleuth.rl.logs import Run, finite

WORSE_THAN_CONSTANT = -0.2
OFFSET = 0.5  # mean of the advantages in spreads
RUNAWAY = 100.0


def verdicts(run: Run, actions: int | None = None) -> list[Finding]:
    """All that is wrong with one run, surest first."""
    found = [entry for judge in JUDGES for entry in judge(run, actions)]
    return sorted(found, key=lambda entry: -entry.credence)


def _explained(run: Run, actions: int | None) -> Iterator[Finding]:
    """Only where returns vary: on a solved task the ratio divides by nothing."""
    series, loss = run.series.get("explained_variance"), run.series.get("value_loss")
    if series is None or len(finite(series.values)) < POINTS:
        return
    late = finite(series.part(0.5, 1))
    if loss is not None and median(finite(loss.part(0.5, 1)) or [0.0]) < 0.01:
        return
    if late and median(late) < WORSE_THAN_CONSTANT and learns(run) is not True:
        first = next(k for k, value in enumerate(series.values) if value < 0)
        yield said(
            run,
            "value-explained-variance-negative",
            f"Explained variance is {median(late):.2f} over the second half of the run: the critic adds "
            "noise to every "
            "advantage.",
            "Test the critic alone on fixed data; scale returns; give it its own rate.",
            series.steps[first],
            0.8,
            explained_variance=median(late),
        )


def _advantages(run: Run, actions: int | None) -> Iterator[Finding]:
    mean, spread = run.series.get("advantage_mean"), run.series.get("advantage_sd")
    if mean is None or spread is None or len(mean.values) < POINTS:
        return
    pairs = zip(mean.part(0.5, 1), spread.part(0.5, 1), strict=False)
    ratios = [m / s for m, s in pairs if s > 0]
    if ratios and min(map(abs, ratios)) > OFFSET and (min(ratios) > 0 or max(ratios) < 0):
        yield said(
            run,
            "advantage-biased",
            f"Raw advantages are {median(ratios):.2f} spreads away from zero, always on the same side.",
            "Compare the means of values and returns; the critic is off by that much.",
            mean.steps[len(mean.steps) // 2],
            0.75,
            ratio=median(ratios),
        )


def _values(run: Run, actions: int | None) -> Iterator[Finding]:
    """Values that run away from what can be earned."""
    level, paid = run.series.get("value_level"), run.series.get("return")
    if level is None or paid is None or len(level.values) < POINTS:
        return
    best = max((abs(value) for value in finite(paid.values)), default=0.0)
    late = finite(level.part(0.8, 1))
    if late and abs(median(late)) > RUNAWAY * max(best, 1.0):
        far = next(k for k, v in enumerate(level.values) if abs(v) > 10 * max(best, 1.0))
        yield said(
            run,
            "bootstrap-through-terminal",
            f"Values are at {median(late):.3g} where the largest return so far is {best:.3g}: they feed "
            "on themselves.",
            "Mask the next value by 1 - terminated; run `sleuth rl probe`.",
            level.steps[far],
            0.7,
            value=median(late),
            largest_return=best,
        )


def _targets(run: Run, actions: int | None) -> Iterator[Finding]:
    """What the critic is asked to learn, against what was ever paid; only a callback sees it."""
    low, high, paid = (run.series.get(word) for word in ("target_min", "target_max", "return"))
    if low is None or high is None or paid is None or len(high.values) < POINTS:
        return
    best = max((abs(value) for value in finite(paid.values)), default=0.0)
    widest = [max(abs(a), abs(b)) for a, b in zip(low.values, high.values, strict=False)]
    if not finite(widest) or median(finite(widest[4 * len(widest) // 5 :]) or [0.0]) <= RUNAWAY * max(
        best, 1.0
    ):
        return
    far = next(k for k, value in enumerate(widest) if value > 10 * max(best, 1.0))
    yield said(
        run,
        "bootstrap-through-terminal",
        f"Value targets reach {widest[-1]:.3g} where the largest return so far is {best:.3g}: the critic is "
        "taught its own guesses.",
        "Mask the next value by 1 - terminated; run `sleuth rl probe`.",
        high.steps[far],
        0.75,
        target=widest[-1],
        largest_return=best,
    )


def _best_apart(run: Run, actions: int | None) -> Iterator[Finding]:
    """Single episodes get better and the mean does not: what pays is found, and not repeated."""
    best, mean = run.series.get("return_max"), run.series.get("return")
    if best is None or mean is None or len(finite(best.values)) < POINTS or learns(run) is not False:
        return
    early, late = finite(best.part(0, 0.3)), finite(best.part(0.7, 1))
    usual, spread = finite(mean.values), max(finite(mean.values)) - min(finite(mean.values))
    if early and late and median(late) > max(early) + 3 * max(spread, 1e-6) and len(usual) >= POINTS:
        yield said(
            run,
            "policy-update-broken",
            f"The best episode rises from {median(early):.3g} to {median(late):.3g} while the mean stays "
            f"near {median(usual):.3g}: what pays is found, and not repeated.",
            "Look at the sign and the size of the advantages of those episodes: `sleuth rl probe`.",
            best.steps[int(0.7 * len(best.steps))],
            0.5,
            "note",
            best=median(late),
            mean=median(usual),
        )


def _normaliser(run: Run, actions: int | None) -> Iterator[Finding]:
    """Statistics over all data grow with the data."""
    series = run.series.get("normaliser_count")
    if series is None or len(series.values) < POINTS:
        return
    if max(series.values) == min(series.values):
        yield said(
            run,
            "obs-unnormalized",
            f"The normaliser has seen {series.values[0]:.0f} observations from beginning to end: its "
            "statistics stand still while the agent learns.",
            "Keep the normaliser in training mode during training, and freeze it only for evaluation.",
            series.steps[0],
            0.8,
            count=series.values[0],
        )


def _scale(run: Run, actions: int | None) -> Iterator[Finding]:
    value, policy = run.series.get("value_loss"), run.series.get("policy_loss")
    paid = run.series.get("return")
    if value is None or policy is None or paid is None or len(value.values) < POINTS:
        return
    ratio = median(finite(value.part(0.2, 1)) or [0.0]) / max(
        median(map(abs, finite(policy.part(0.2, 1)) or [1.0])), 1e-9
    )
    size = median(map(abs, finite(paid.values) or [0.0]))
    if ratio > 1e5 and size > 1000 and learns(run) is not True:
        yield said(
            run,
            "reward-scale",
            f"The value loss is {ratio:.2g} times the policy loss, with returns around {size:.3g}: the "
            "critic's gradient "
            "drowns the policy's.",
            "Divide rewards by one constant so that returns lie within about ±10.",
            value.steps[0],
            0.75,
            ratio=ratio,
        )


def _lengths(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("length")
    if series is None or len(series.values) < POINTS:
        return
    values = finite(series.values)
    if values and max(values) == min(values) and learns(run) is not True:
        yield said(
            run,
            "episode-length-degenerate",
            f"Every episode has {values[0]:g} steps from beginning to end, and the return does not rise.",
            "If the task does not prescribe this length, print why episodes end.",
            series.steps[0],
            0.5,
            "note",
            length=values[0],
        )


def _reward(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("return")
    if series is None or len(series.values) < POINTS:
        return
    values = finite(series.values)
    if values and max(values) == min(values):
        yield said(
            run,
            "reward-constant",
            f"The return is {values[0]:g} from beginning to end: nothing can be learnt from it.",
            "See whether the reward arrives at all: `sleuth rl check ENV_ID`.",
            series.steps[0],
            0.7,
            value=values[0],
        )


def _numbers(run: Run, actions: int | None) -> Iterator[Finding]:
    for name in ("policy_loss", "value_loss", "entropy", "kl"):
        series = run.series.get(name)
        if series is not None and not all(map(math.isfinite, series.values)):
            place = next(k for k, value in enumerate(series.values) if not math.isfinite(value))
            yield said(
                run,
                "value-not-learning" if name == "value_loss" else "policy-update-broken",
                f"{series.key} is {series.values[place]}: from here on no update means anything.",
                "Look for advantages normalised over one sample, a logarithm of 0, an outlier in the "
                "observation.",
                series.steps[place],
                0.9,
                "error",
            )
            return


def _stale(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("staleness")
    if series is not None and series.values and median(finite(series.values) or [0.0]) > 8:
        yield said(
            run,
            "kl-spike",
            f"Samples are {median(finite(series.values)):.0f} updates old when they are used.",
            "Fewer workers ahead of the learner, or a correction for stale data.",
            series.steps[0],
            0.5,
            "note",
        )


def _speed(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("speed")
    if series is None or len(series.values) < 2 * POINTS:
        return
    early, late = median(finite(series.part(0.1, 0.4)) or [0.0]), median(finite(series.part(0.8, 1)) or [0.0])
    if 0 < late < 0.5 * early:
        place = next(
            k for k, v in enumerate(series.values) if v < 0.7 * early and k > len(series.values) // 10
        )
        yield said(
            run,
            "throughput-decay",
            f"Speed fell from {early:.0f} to {late:.0f} steps a second.",
            "Look for a buffer, list or log that grows with every step.",
            series.steps[place],
            0.6,
            "note",
        )


def _critic_first(run: Run, actions: int | None) -> Iterator[Finding]:
    """The critic should know something before the policy becomes sure."""
    entropy, known = run.series.get("entropy"), run.series.get("explained_variance")
    if entropy is None or known is None or min(len(entropy.values), len(known.values)) < POINTS:
        return
    most = largest_entropy(entropy, actions)
    sure = next((k for k, value in enumerate(entropy.values) if most > 0.05 and value < 0.3 * most), None)
    if sure is None or sure >= len(known.values) or learns(run) is not False:
        return
    if max(finite(known.values[: sure + 1]) or [0.0]) < 0.1:
        yield said(
            run,
            "value-explained-variance-negative",
            "The policy became sure before the critic explained anything.",
            "Let the critic learn first: more epochs or a higher rate for it, a lower one for the policy.",
            entropy.steps[sure],
            0.5,
            "note",
        )


JUDGES = (
    _numbers,
    policy.entropy,
    policy.kl,
    policy.clip,
    _explained,
    _advantages,
    _values,
    _targets,
    _best_apart,
    _normaliser,
    _scale,
    policy.exploration,
    _reward,
    _lengths,
    _stale,
    _speed,
    _critic_first,
)
