"""What was seen of an environment that was played: its plays, what its replays showed, and its scales."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sleuth.rl.rollouts import Episode, Play, Step

FAR = 10.0  # deviations: where normalisers clip
FEW = 32  # features and actions that a page can hold


@dataclass(frozen=True)
class Played:
    """Everything that was seen. `actions_matter`: None where the replays cannot say."""

    gamma: float
    space: Any
    random: Play
    others: dict[str, Play]
    fresh_alike: bool
    used_alike: bool
    first_reward_only: bool
    seeds_matter: bool
    unseeded_alike: bool
    actions_matter: bool | None
    agents: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)

    @property
    def plays(self) -> list[Play]:
        return [self.random, *self.others.values()]

    @property
    def episodes(self) -> list[Episode]:
        return [episode for play in self.plays for episode in play.episodes]

    @property
    def ended(self) -> list[Episode]:
        return [episode for episode in self.episodes if episode.ended]

    @property
    def last_steps(self) -> list[Step]:
        return [episode.steps[-1] for episode in self.ended]

    def places(self, holds: Callable[[Step], bool]) -> list[int]:
        """The steps of their episodes, counted from one, at which it holds."""
        return [
            place for episode in self.episodes for place, step in enumerate(episode.steps, 1) if holds(step)
        ]

    @property
    def rewards(self) -> list[float]:
        return [float(step.reward) for episode in self.episodes for step in episode.steps]

    @cached_property
    def observations(self) -> Any:
        """All of the random play, one a row."""
        import numpy as np

        shown = [
            row
            for episode in self.random.episodes
            for row in (episode.first, *(step.observation for step in episode.steps))
        ]
        width = len(shown[0])
        return np.stack([row for row in shown if len(row) == width])

    @cached_property
    def finite_observations(self) -> Any:
        import numpy as np

        return self.observations[np.isfinite(self.observations).all(1)]


def is_finite(value: Any) -> bool:
    import numpy as np

    try:
        return bool(np.isfinite(np.asarray(value, np.float64)).all())
    except (TypeError, ValueError):
        return False


def scales(played: Played) -> dict[str, Any]:
    """For the page and for programs."""
    import numpy as np

    seen, paid = played.observations, np.array(played.rewards)
    return {
        "steps": len(paid),
        "episodes": len(played.random.episodes),
        "features": int(seen.shape[1]),
        "observation_min": _rounded(np.nanmin(seen)),
        "observation_max": _rounded(np.nanmax(seen)),
        "observation_mean": [_rounded(x) for x in np.nanmean(seen, 0)[:FEW]],
        "observation_sd": [_rounded(x) for x in np.nanstd(seen, 0)[:FEW]],
        "reward_min": _rounded(np.nanmin(paid)),
        "reward_mean": _rounded(np.nanmean(paid)),
        "reward_max": _rounded(np.nanmax(paid)),
        "reward_sd": _rounded(np.nanstd(paid)),
        "observation_histogram": _histogram(played.finite_observations.reshape(-1)),
        "observation_outliers": outliers(played.finite_observations),
        "reward_histogram": _histogram(paid[np.isfinite(paid)]),
        "horizon": _rounded(1.0 / (1.0 - played.gamma)) if played.gamma < 1 else None,
        "action_shares": _action_shares(played.random),
    }


def _action_shares(play: Play) -> dict[str, float]:
    import numpy as np

    steps = [step for episode in play.episodes for step in episode.steps]
    actions = Counter(str(np.asarray(step.action).tolist()) for step in steps)
    total = sum(actions.values()) or 1
    shares = {action: round(count / total, 3) for action, count in actions.most_common(8)}
    return shares if len(actions) <= FEW else {}


def _histogram(values: Any) -> dict[str, Any]:
    import numpy as np

    counts, edges = np.histogram(values, 10)
    return {"counts": counts.tolist(), "edges": [_rounded(edge) for edge in edges]}


def outliers(seen: Any) -> float:
    """The share of observations with a feature more than ten deviations from its mean."""
    if not len(seen):
        return 0.0
    spread = seen.std(0)
    far = abs(seen - seen.mean(0)) > FAR * spread
    return round(float((far & (spread > 0)).any(1).mean()), 6)


def _rounded(value: float) -> float | None:
    return round(float(value), 6) if math.isfinite(value) else None
