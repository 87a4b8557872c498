"""A table as a Gymnasium environment: spaces, coding of states, a witness of what the agent does."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.rl.tables import ACTIONS, Table

if TYPE_CHECKING:
    import gymnasium

SPACES = ("vector", "discrete", "image", "dict", "multi-discrete")
PIXELS = 36  # the smallest picture that the usual convolutional stack (8/4, 4/2, 3/1) accepts
RECENT = 400  # moves of the agent that count as its present behaviour


class EnoughSteps(BaseException):
    """Ends a training that goes far beyond the steps asked for; no Exception, so that agents let it pass."""


@dataclass
class Witness:
    """What all copies of one probe world saw: steps, misuse, actions and returns. The one mutable part."""

    limit: int = 0
    steps: int = 0
    copies: int = 0
    resets: int = 0
    after_end: int = 0
    after_limit: int = 0
    before_reset: int = 0
    outside: int = 0
    strange: str = ""
    moves: deque[tuple[int, float]] = field(default_factory=lambda: deque(maxlen=RECENT))
    returns: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))
    on_step: Callable[[int], None] | None = None

    def count(self) -> None:
        self.steps += 1
        if self.on_step is not None:
            self.on_step(self.steps)
        if self.limit and self.steps > self.limit:
            raise EnoughSteps


@dataclass(frozen=True)
class Coding:
    """How states are shown and actions are read: the spaces, one observation a state, and the final blank."""

    observation_space: Any
    action_space: Any
    observations: tuple[Any, ...]
    blank: Any
    weight: Callable[[Any], float]  # how much of the second action was meant, 0 to 1


def coding(table: Table, spaces: str = "vector", continuous: bool = False, like: Any = None) -> Coding:
    """`like`: an environment whose spaces are kept; states become fixed samples of its observation space."""
    if table.targets:
        return _coding_of_targets(table)
    if like is not None:
        return _coding_like(table, like)
    if spaces not in SPACES:
        raise SleuthError(f"There are no observation spaces {spaces!r}.{did_you_mean(spaces, SPACES)}")
    from gymnasium import spaces as gym_spaces

    space, observations, blank = _observations(table, spaces)
    if continuous:
        import numpy as np

        actions: Any = gym_spaces.Box(-1.0, 1.0, (1,), np.float32)
        return Coding(space, actions, observations, blank, _share_of_interval)
    return Coding(space, gym_spaces.Discrete(ACTIONS), observations, blank, _second_or_not)


def _coding_of_targets(table: Table) -> Coding:
    import numpy as np
    from gymnasium import spaces as gym_spaces

    space, observations, blank = _observations(table, "vector")
    actions = gym_spaces.Box(*table.bounds, (1,), np.float32)
    return Coding(space, actions, observations, blank, _one_number)


def _second_or_not(action: Any) -> float:
    return float(int(action) == 1)


def _share_of_interval(action: Any) -> float:
    return min(1.0, max(0.0, (_one_number(action) + 1.0) / 2.0))


def _one_number(action: Any) -> float:
    import numpy as np

    numbers = np.asarray(action, np.float64).reshape(-1)
    if numbers.size != 1:
        raise ValueError(f"{numbers.size} numbers for an action of one")
    return float(numbers[0])


def _observations(table: Table, spaces: str) -> tuple[Any, tuple[Any, ...], Any]:
    import numpy as np
    from gymnasium import spaces as gym_spaces

    codes = [np.array(code, np.float32) for code in table.codes]
    kinds = {code: place for place, code in enumerate(dict.fromkeys(table.codes))}
    indices = [kinds[code] for code in table.codes]
    nothing = len(kinds)
    box = gym_spaces.Box(-1.0, 1.0, codes[0].shape, np.float32)
    if spaces == "discrete":
        return gym_spaces.Discrete(nothing + 1), tuple(map(np.int64, indices)), np.int64(nothing)
    if spaces == "multi-discrete":
        cells = [np.array([index, 0], np.int64) for index in indices]
        return gym_spaces.MultiDiscrete([nothing + 1, 2]), tuple(cells), np.array([nothing, 1], np.int64)
    if spaces == "image":
        image = gym_spaces.Box(0, 255, (1, PIXELS, PIXELS), np.uint8)
        return image, tuple(_stripes(index, nothing) for index in indices), np.zeros(image.shape, np.uint8)
    if spaces == "dict":
        space = gym_spaces.Dict({"code": box, "nothing": gym_spaces.Box(-1.0, 1.0, (1,), np.float32)})
        empty = np.zeros(1, np.float32)
        shown = tuple({"code": code, "nothing": empty} for code in codes)
        return space, shown, {"code": np.zeros_like(codes[0]), "nothing": empty}
    return box, tuple(codes), np.zeros_like(codes[0])


def _stripes(index: int, kinds: int) -> Any:
    """A picture in which one band is bright."""
    import numpy as np

    picture = np.zeros((1, PIXELS, PIXELS), np.uint8)
    height = PIXELS // kinds
    picture[:, index * height : (index + 1) * height, :] = 255
    return picture


def _coding_like(table: Table, like: Any) -> Coding:
    space, actions = like.observation_space, like.action_space
    kinds = list(dict.fromkeys(table.codes))
    drawn = _distinct(space, len(kinds) + 1)
    shown = tuple(drawn[kinds.index(code)] for code in table.codes)
    return Coding(space, actions, shown, drawn[-1], _weight_for(actions))


def _distinct(space: Any, count: int) -> list[Any]:
    """Fixed samples of a space that differ from each other; few enough states fit even a small space."""
    space.seed(0)
    found: list[Any] = []
    for _ in range(200 * count):
        sample = space.sample()
        if not any(_same(sample, other) for other in found):
            found.append(sample)
        if len(found) == count:
            return found
    raise SleuthError(f"The observation space {space} holds fewer than the {count} states a probe needs.")


def _same(one: Any, other: Any) -> bool:
    import numpy as np

    if isinstance(one, dict):
        return all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return all(_same(a, b) for a, b in zip(one, other, strict=True))
    return bool(np.array_equal(one, other))


def _weight_for(actions: Any) -> Callable[[Any], float]:
    """The upper half of any action space is the second action."""
    import numpy as np

    kind = type(actions).__name__
    if kind == "Discrete":
        first, half = int(actions.start), actions.n / 2
        return lambda action: float(int(action) - first >= half)
    if kind == "MultiDiscrete":
        half = float(np.asarray(actions.nvec).reshape(-1)[0]) / 2
        return lambda action: float(np.asarray(action).reshape(-1)[0] >= half)
    if kind == "MultiBinary":
        return lambda action: float(np.asarray(action).reshape(-1)[0] > 0)
    if kind == "Box":
        low, high = float(actions.low.reshape(-1)[0]), float(actions.high.reshape(-1)[0])
        if not (np.isfinite(low) and np.isfinite(high)):
            low, high = -1.0, 1.0
        return lambda action: float(
            np.clip((np.asarray(action).reshape(-1)[0] - low) / (high - low), 0.0, 1.0)
        )
    raise SleuthError(f"Probes cannot keep the action space {actions}; a plain one is needed.")


def make_world(table: Table, code: Coding, witness: Witness) -> "gymnasium.Env[Any, Any]":
    """A fresh copy of a probe world; all copies report to one witness."""
    from sleuth.rl.envs import ProbeEnv

    return ProbeEnv(table, code, witness)
