"""Playing an environment and writing everything down: the facts behind `sleuth rl check`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sleuth.errors import SleuthError

Make = Callable[[], Any]
Act = Callable[[Any, int], Any]

STEPS = 3000  # random steps: rare rewards and late faults show, a slow simulator stays bearable
LONGEST = 2500  # steps of one episode before it is called endless


@dataclass(frozen=True)
class Step:
    """One step. `observation` is a flat copy; `inside`: it lies in its space."""

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    action: Any
    inside: bool


@dataclass(frozen=True)
class Episode:
    first: Any
    steps: tuple[Step, ...]
    ended: bool

    @property
    def total(self) -> float:
        return float(sum(float(step.reward) for step in self.steps))

    @property
    def length(self) -> int:
        return len(self.steps)


@dataclass(frozen=True)
class Play:
    """Episodes of one way of acting, and what was strange about the arrays themselves."""

    episodes: tuple[Episode, ...]
    aliased: bool
    dtype: str
    strange: str = ""


def flat(observation: Any) -> Any:
    """Any observation as one row of numbers."""
    import numpy as np

    if isinstance(observation, Mapping):
        return np.concatenate([flat(observation[key]) for key in sorted(observation)])
    if isinstance(observation, tuple):
        return np.concatenate([flat(part) for part in observation])
    if isinstance(observation, str):
        return np.zeros(1)
    return np.asarray(observation, np.float64).reshape(-1).copy()


def play(
    env: Any, act: Act, steps: int = STEPS, seed: int = 0, longest: int = LONGEST, most: int | None = None
) -> Play:
    """Up to `most` episodes until `steps` are used up. The first reset is seeded, the others go on."""
    episodes: list[Episode] = []
    aliased, dtype, used = False, "", 0
    while used < steps and (most is None or len(episodes) < most):
        try:
            observation = began(env, None if episodes else seed)
            dtype = str(getattr(observation, "dtype", ""))
            first, ended = flat(observation), False
            rows: list[Step] = []
            while not ended and len(rows) < min(longest, steps - used):
                kept, copy = observation, flat(observation)
                action = act(observation, len(rows))
                observation, reward, terminated, truncated = stepped(env, action)
                aliased = aliased or (not _equal(flat(kept), copy))
                inside = _inside(env.observation_space, observation)
                rows.append(Step(flat(observation), reward, terminated, truncated, action, inside))
                ended = bool(terminated) or bool(truncated)
        except Exception as error:
            return Play(tuple(episodes), aliased, dtype, told(error))
        used += max(1, len(rows))
        episodes.append(Episode(first, tuple(rows), ended))
        if not ended and len(rows) >= longest:
            break
    return Play(tuple(episodes), aliased, dtype)


def told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def began(env: Any, seed: int | None) -> Any:
    """The first observation, or an error that says what `reset` should return."""
    given = env.reset() if seed is None else env.reset(seed=seed)
    if not (isinstance(given, tuple) and len(given) == 2):
        raise TypeError(f"reset returned {_shape(given)}; Gymnasium wants (observation, info)")
    return given[0]


def stepped(env: Any, action: Any) -> tuple[Any, Any, Any, Any]:
    """Observation, reward and both flags, or an error that says what `step` should return."""
    given = env.step(action)
    if not (isinstance(given, tuple) and len(given) == 5):
        wanted = "(observation, reward, terminated, truncated, info)"
        raise TypeError(f"step returned {_shape(given)}; Gymnasium wants {wanted}")
    observation, reward, terminated, truncated, _ = given
    try:
        float(reward)
    except (TypeError, ValueError):
        raise TypeError(f"step returned {_shape(reward)} as its reward; one number is wanted") from None
    return observation, reward, terminated, truncated


def _shape(given: Any) -> str:
    if isinstance(given, (tuple, list)):
        return f"{len(given)} values"
    return "None" if given is None else type(given).__name__


def _equal(one: Any, other: Any) -> bool:
    import numpy as np

    return bool(np.array_equal(one, other, equal_nan=True))


def _inside(space: Any, observation: Any) -> bool:
    """Within the bounds, whatever the type: a wrong type is a different fault."""
    import numpy as np

    if type(space).__name__ == "Box":
        array = np.asarray(observation)
        if array.shape != space.shape:
            return False
        slack = 1e-5 * (1.0 + np.abs(array))
        return bool(np.all(np.isnan(array) | ((array >= space.low - slack) & (array <= space.high + slack))))
    try:
        return bool(space.contains(observation))
    except Exception:
        return False


def trace(make: Make, seed: int | None, actions: Iterable[Any], used: Any = None) -> list[tuple[Any, ...]]:
    """What a fixed list of actions brings from one reset, in a fresh environment or in a used one."""
    env = make() if used is None else used
    observation = began(env, seed)
    rows: list[tuple[Any, ...]] = [(flat(observation), 0.0, False)]
    for action in actions:
        observation, reward, terminated, truncated = stepped(env, action)
        rows.append((flat(observation), float(reward), bool(terminated or truncated)))
        if terminated or truncated:
            break
    return rows


def same_trace(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    import numpy as np

    return len(one) == len(other) and all(
        np.allclose(a[0], b[0], equal_nan=True) and (a[1] == b[1] or a[1] != a[1]) and a[2] == b[2]
        for a, b in zip(one, other, strict=True)
    )


def maker(name: str) -> Make:
    """An environment's id, or `module:make_env`."""
    from sleuth.needs import need

    need("gymnasium", "rl", "`sleuth rl`")
    import gymnasium

    if ":" in name and "/" not in name.rpartition(":")[2] and not _is_id(name):
        from sleuth.rl.targets import function

        return function(name)
    try:
        gymnasium.spec(name)
    except Exception as error:
        raise SleuthError(
            f"Gymnasium knows no environment {name!r} ({' '.join(str(error).split())}); give an id, or "
            "module:make_env."
        ) from None
    return lambda: gymnasium.make(name, disable_env_checker=True)


def _is_id(name: str) -> bool:
    """`package:Id-v0` imports a package for its ids."""
    import re

    return re.search(r"-v\d+$", name) is not None


def made(name: str) -> Make:
    """As `maker`, tried once: an environment that cannot be made is the user's mistake."""
    make = maker(name)
    try:
        env = make()
    except SleuthError:
        raise
    except Exception as error:
        raise SleuthError(f"{name} could not be made: {type(error).__name__}: {error}.") from error
    if not (hasattr(env, "step") and hasattr(env, "reset") and hasattr(env, "action_space")):
        raise SleuthError(
            f"{name} gives a {type(env).__name__}, which is no environment (no reset, step or action_space)."
        )
    return make
