"""Probes for continuous actions: a target that depends on the observation, and one at the edge."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sleuth.rl import learner, sb3
from sleuth.rl.judge import Error
from sleuth.rl.ladder import Check, Pace, Rung, Trouble, Unsuited
from sleuth.rl.reading import Reading, member, plain
from sleuth.rl.tables import Move, Table
from sleuth.rl.worlds import EnoughSteps, Witness

NEAR = 0.5  # distance to the target; a random action is 1 to 1.5 away
IN_A_ROW = 3


@dataclass(frozen=True)
class Space:
    """Bounds that are not ±1, so that an action that was never scaled to them shows."""

    low: float
    high: float
    targets: tuple[float, float]
    purpose: str


SPACES = {
    "target-action": Space(
        -1.0, 3.0, (0.0, 2.0), "a continuous action must hit 0 or 2, by observation, in [-1, 3]"
    ),
    "edge-action": Space(-2.0, 2.0, (2.0, 2.0), "the best continuous action is the upper edge of [-2, 2]"),
}


def table_of(word: str) -> Table:
    """Only to carry name and purpose: the world itself is no table."""
    still = (Move(0.0, end="terminated"),) * 2
    return Table(
        word,
        "policy",
        (still, still),
        (0, 1),
        ((-1.0,), (1.0,)),
        SPACES[word].purpose,
        "policy-update-broken",
    )


def make_env(word: str, witness: Witness) -> Any:
    from sleuth.rl.envs import TargetEnv

    space = SPACES[word]
    return TargetEnv(space.low, space.high, space.targets, witness)


def probe_learn(learn: Callable[..., Any], word: str, request: Any, step: Callable[[Rung], None]) -> Rung:
    def actions(steps: int) -> tuple[float, float]:
        witness = Witness(limit=learner.OVERRUN * steps + learner.ROLLOUT)
        agent = learner.finished(learn, lambda: make_env(word, witness), steps, request.seed, request.gamma)
        return _actions(member(agent, "policy"), witness)

    last = request.steps or learner.LAST
    return _judged(word, request.gamma, Pace(min(2000, last), 2.0, last), actions, step)


def probe_sb3(
    make: Callable[[Any, int, float], Any],
    algorithm: str,
    word: str,
    request: Any,
    step: Callable[[Rung], None],
) -> Rung:
    witness = Witness()
    copies = sb3.COPIES if algorithm in sb3.ON_POLICY else 1
    session = sb3.Sb3Session(
        make,
        table_of(word),
        _no_coding(),
        request.seed,
        request.gamma,
        lambda w: make_env(word, w),
        copies,
        {},
        witness,
    )

    def actions(steps: int) -> tuple[float, float]:
        if session.model is None:
            session.model = make(session._envs(), request.seed, request.gamma)
        todo = steps - int(session.model.num_timesteps)
        if todo > 0:
            session.model.learn(todo, reset_num_timesteps=False)
        return _actions(lambda obs: session.model.predict(obs, deterministic=True)[0], witness)

    return _judged(word, request.gamma, Pace(500, sb3.LOOKS, request.steps or 12_000), actions, step)


def _no_coding() -> Any:
    return None


def _actions(policy: Callable[[Any], Any] | None, witness: Witness) -> tuple[float, float]:
    """What it would do on either side; what it did, if it does not say."""
    import numpy as np

    if policy is None:
        recent = list(witness.moves)[-100:]
        sides = [[value for side, value in recent if side == which] for which in (0, 1)]
        if not all(sides):
            raise Unsuited("the agent has no policy(obs), and too few actions were seen")
        return float(np.mean(sides[0])), float(np.mean(sides[1]))
    answers = [plain(policy(np.array([sign], np.float32))).reshape(-1) for sign in (-1.0, 1.0)]
    if any(answer.size != 1 for answer in answers):
        raise Unsuited(f"policy(obs) gives {answers[0].size} numbers for a space of one")
    return float(answers[0][0]), float(answers[1][0])


@dataclass
class _Course:
    checks: list[Check] = field(default_factory=list)
    row: int = 0


def _judged(
    word: str,
    gamma: float,
    pace: Pace,
    actions: Callable[[int], tuple[float, float]],
    step: Callable[[Rung], None],
) -> Rung:
    space, course = SPACES[word], _Course()
    steps, result, reason = pace.first, "failed", ""
    try:
        while True:
            done = actions(steps)
            off = max(abs(a - t) for a, t in zip(done, space.targets, strict=True))
            best = f"best are {space.targets[0]:g} and {space.targets[1]:g}"
            what = f"actions {done[0]:.2f} and {done[1]:.2f}, {best}"
            course.checks.append(Check(steps, Reading(acted=done), Error(off / NEAR, what)))
            course.row = course.row + 1 if off <= NEAR else 0
            if course.row >= IN_A_ROW:
                result = "passed"
                break
            if steps >= pace.last and not course.row:
                reason = what
                break
            steps = int(steps * (1.3 if course.row else pace.growth))
            steps = steps if course.row or course.checks[-1].steps >= pace.last else min(steps, pace.last)
    except Unsuited as trouble:
        result, reason = "skipped", str(trouble)
    except (Trouble, EnoughSteps) as trouble:
        result, reason = "crashed", str(trouble)
    except Exception as error:
        result, reason = "crashed", f"{type(error).__name__}: {' '.join(str(error).split())}"
    rung = Rung(table_of(word), gamma, result, tuple(course.checks), reason)  # type: ignore[arg-type]
    step(rung)
    return rung
