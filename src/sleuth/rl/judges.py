"""The judgements of `sleuth rl check`: each looks at the facts of an environment for one kind of fault."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sleuth.finding import Finding
from sleuth.rl import judges_of_ends as ends
from sleuth.rl.saying import said
from sleuth.rl.soundness import Facts

RATIO = 100.0  # between the spreads of two features: see the page of obs-unnormalized
LARGE = 1000.0  # an observation beyond this rules a fresh network
BIG_REWARD = 150.0  # cliffs and crashes of the classic tasks cost 100
TINY_REWARD = 1e-4
FAR = 10.0  # deviations: where normalisers clip


def judge(facts: Facts) -> Iterator[Finding]:
    for one in (
        _broken,
        _finite,
        _scale_of_observations,
        _outside,
        _types,
        _aliased,
        _frozen,
        _rewards,
        ends.actions,
        ends.lengths,
        ends.flags,
        ends.seeding,
        ends.leak,
        ends.copies,
        ends.horizon,
    ):
        yield from one(facts)


def rows(facts: Facts) -> Any:
    """All observations of the random play, one a row."""
    import numpy as np

    shown = [
        row
        for episode in facts.random.episodes
        for row in (episode.first, *(step.observation for step in episode.steps))
    ]
    width = len(shown[0])
    return np.stack([row for row in shown if len(row) == width])


def rewards(facts: Facts) -> list[float]:
    return [
        float(step.reward) for entry in facts.plays for episode in entry.episodes for step in episode.steps
    ]


def numbers(facts: Facts) -> dict[str, Any]:
    """Scales, for the page and for programs."""
    import numpy as np

    seen, paid = rows(facts), np.array(rewards(facts))
    within = seen[np.isfinite(seen).all(1)]
    actions = Counter(
        str(np.asarray(step.action).tolist()) for episode in facts.random.episodes for step in episode.steps
    )
    total = sum(actions.values()) or 1
    shares = {action: round(count / total, 3) for action, count in actions.most_common(8)}
    return {
        "steps": len(paid),
        "episodes": len(facts.random.episodes),
        "features": int(seen.shape[1]),
        "observation_min": _number(np.nanmin(seen)),
        "observation_max": _number(np.nanmax(seen)),
        "observation_mean": [_number(x) for x in np.nanmean(seen, 0)[:32]],
        "observation_sd": [_number(x) for x in np.nanstd(seen, 0)[:32]],
        "reward_min": _number(np.nanmin(paid)),
        "reward_mean": _number(np.nanmean(paid)),
        "reward_max": _number(np.nanmax(paid)),
        "reward_sd": _number(np.nanstd(paid)),
        "observation_histogram": _histogram(within.reshape(-1)),
        "observation_outliers": _outliers(within),
        "reward_histogram": _histogram(paid[np.isfinite(paid)]),
        "horizon": _number(1.0 / (1.0 - facts.gamma)) if facts.gamma < 1 else None,
        "action_shares": shares if len(actions) <= 32 else {},
    }


def _histogram(values: Any) -> dict[str, Any]:
    import numpy as np

    counts, edges = np.histogram(values, 10)
    return {"counts": counts.tolist(), "edges": [_number(edge) for edge in edges]}


def _outliers(seen: Any) -> float:
    """The share of observations with a feature more than ten deviations from its mean."""
    if not len(seen):
        return 0.0
    spread = seen.std(0)
    far = abs(seen - seen.mean(0)) > FAR * spread
    return round(float((far & (spread > 0)).any(1).mean()), 6)


def _number(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None


def _broken(facts: Facts) -> Iterator[Finding]:
    for entry in facts.plays:
        if entry.strange:
            yield said(
                "episode-not-reset",
                f"The environment raised in the middle of a play: {entry.strange}",
                "Play ten episodes with random actions in a loop of your own.",
                0.6,
            )
            return


def _finite(facts: Facts) -> Iterator[Finding]:
    """NaN and infinity, also late: the first step of an episode at which they show."""
    for what, slug in (("observation", "obs-unnormalized"), ("reward", "reward-scale")):
        late = [
            place + 1
            for entry in facts.plays
            for episode in entry.episodes
            for place, step in enumerate(episode.steps)
            if not _is_finite(step.observation if what == "observation" else step.reward)
        ]
        if late:
            yield said(
                slug,
                f"The {what} is NaN or infinite, first at step {min(late)} of an episode ({len(late)} "
                "steps in all): "
                "one such number destroys every weight it touches.",
                f"Find the division, root or logarithm behind the {what}; assert that it is finite in "
                "`step`.",
                0.97,
                first_step=min(late),
                count=len(late),
            )


def _is_finite(value: Any) -> bool:
    import numpy as np

    try:
        return bool(np.isfinite(np.asarray(value, np.float64)).all())
    except (TypeError, ValueError):
        return False


def _scale_of_observations(facts: Facts) -> Iterator[Finding]:
    import numpy as np

    if (
        type(facts.space).__name__ in ("Discrete", "MultiDiscrete", "MultiBinary")
        or "uint8" in facts.random.dtype
    ):
        return
    seen = rows(facts)
    seen = seen[np.isfinite(seen).all(1)]
    if not len(seen):
        return
    spread, largest = seen.std(0), np.abs(seen).max(0)
    moving = spread > 1e-8
    if not moving.any():
        return
    ratio = float(spread[moving].max() / spread[moving].min())
    if largest.max() > LARGE or (ratio > RATIO and largest.max() > 20.0):
        worst = int(largest.argmax())
        yield said(
            "obs-unnormalized",
            f"Feature {worst} of the observation reaches {largest[worst]:.3g}, and the spreads of the "
            "features "
            f"differ by a factor of {ratio:.3g}: the largest rules the first layer.",
            "Divide by known ranges, or normalise with running statistics over all data, clipped at ±10.",
            0.9,
            "warning",
            feature=worst,
            largest=float(largest[worst]),
            ratio=ratio,
        )


def _outside(facts: Facts) -> Iterator[Finding]:
    late = [
        place + 1
        for entry in facts.plays
        for episode in entry.episodes
        for place, step in enumerate(episode.steps)
        if not step.inside
    ]
    if late and "float64" not in facts.random.dtype:
        yield said(
            "obs-unnormalized",
            f"The observation lies outside its declared space {facts.space}, first at step {min(late)} of "
            "an episode "
            f"({len(late)} steps in all): scaling and clipping that trust the bounds are wrong there.",
            "Widen the bounds of the space, or clip in `step`.",
            0.9,
            first_step=min(late),
            count=len(late),
        )


def _types(facts: Facts) -> Iterator[Finding]:
    declared = str(getattr(facts.space, "dtype", "") or "")
    seen = facts.random.dtype
    if type(facts.space).__name__ == "Box" and seen and declared and seen != declared:
        yield said(
            "obs-unnormalized",
            f"Observations are {seen} where the space says {declared}: buffers made from the space "
            "convert or break.",
            f"Return `obs.astype(np.{declared})`.",
            0.85,
            "warning",
        )


def _aliased(facts: Facts) -> Iterator[Finding]:
    if any(entry.aliased for entry in facts.plays):
        yield said(
            "obs-ignored",
            "The environment changes an observation after it was returned: the same array is used for "
            "every step, so "
            "a buffer that keeps references ends up with one state in all rows.",
            "Return a copy: `return self.state.copy(), ...`.",
            0.95,
        )


def _frozen(facts: Facts) -> Iterator[Finding]:
    import numpy as np

    long = [episode for entry in facts.plays for episode in entry.episodes if episode.length >= 3]
    if len(long) < 3:
        return
    still = 0
    for episode in long:
        shown = np.stack([step.observation for step in episode.steps])
        still += bool((shown == shown[0]).all())
    if still == len(long):
        yield said(
            "obs-ignored",
            f"The observation never changes within an episode, in {still} episodes of three steps and "
            "more: the agent "
            "cannot see what its actions do.",
            "Build the observation anew from the state in every step.",
            0.85,
        )


def _rewards(facts: Facts) -> Iterator[Finding]:
    paid = [value for value in rewards(facts) if math.isfinite(value)]
    if not paid:
        return
    largest = max(map(abs, paid))
    high = sorted(map(abs, paid))[int(0.95 * (len(paid) - 1))]
    if largest == 0.0:
        yield said(
            "reward-constant",
            f"All {len(paid)} rewards are 0, whatever was done: nothing can look better than anything else.",
            "If the reward is sparse, make it reachable for chance; else look for the wrapper that "
            "removes it.",
            0.85,
            "warning",
            steps=len(paid),
        )
    elif max(paid) == min(paid) and not _can_end_otherwise(facts):
        yield said(
            "reward-constant",
            f"Every reward is {paid[0]:g} and every episode has one length: the return cannot differ.",
            "Let reward or length depend on what is done.",
            0.8,
            "warning",
        )
    if high > BIG_REWARD or largest > 10 * BIG_REWARD or 0 < largest < TINY_REWARD:
        yield said(
            "reward-scale",
            f"Rewards reach {largest:.3g} (95% lie within {high:.3g}); returns far outside -10 to 10 "
            "drown the policy "
            "in the critic's loss, returns near 0 leave it to the entropy bonus.",
            "Multiply rewards by one constant, the same in every run.",
            0.85,
            "warning",
            largest=largest,
        )


def _can_end_otherwise(facts: Facts) -> bool:
    """A time limit in force: an earlier end is possible in principle (a mountain that nobody climbed yet)."""
    ends = [episode.steps[-1] for entry in facts.plays for episode in entry.episodes if episode.ended]
    lengths = {episode.length for entry in facts.plays for episode in entry.episodes if episode.ended}
    return len(lengths) > 1 or not ends or any(bool(step.truncated) and not step.terminated for step in ends)
