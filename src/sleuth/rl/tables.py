"""The probe worlds as plain tables: who goes where, for what reward, and what is there to be learnt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

End = Literal["", "terminated", "truncated"]
Asks = Literal["value", "policy", "both"]

# Also where they have no effect: some agents refuse one action, and heads of width one look alike.
ACTIONS = 2
GOOD = 1  # never 0: an untrained argmax would be right by chance


@dataclass(frozen=True)
class Move:
    """What one action in one state brings. `to` holds the equally likely next (or final) states.

    An end without `to` shows an observation that belongs to no state. `restart` fixes where the next episode
    begins: a world may have a memory that its episodes must not care about.
    """

    reward: float
    to: tuple[int, ...] = ()
    end: End = ""
    restart: int | None = None


@dataclass(frozen=True)
class Table:
    """One probe world. `moves[state][action]`; `codes[state]` is the observation as a vector."""

    name: str
    asks: Asks
    moves: tuple[tuple[Move, ...], ...]
    starts: tuple[int, ...]
    codes: tuple[tuple[float, ...], ...]
    purpose: str
    tolerance: float = 0.2
    best: Mapping[int, int] | None = None
    gamma: float | None = None
    labels: tuple[str, ...] = ()
    by_deed: bool = False  # what an agent remembers cannot be asked for, only seen in what it does
    implied_by: tuple[str, ...] = ()  # whoever passes all of these passes here
    targets: tuple[float, ...] = ()  # the right continuous action in each state: no table of moves then
    bounds: tuple[float, float] = (-1.0, 1.0)

    @property
    def states(self) -> int:
        return len(self.moves)

    @property
    def endless(self) -> bool:
        return not any(move.end for moves in self.moves for move in moves)

    def label(self, state: int) -> str:
        return self.labels[state] if self.labels else f"s{state}"


def one_hot(count: int) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(i == k) for k in range(count)) for i in range(count))


def _both(move: Move) -> tuple[Move, ...]:
    """Every action does the same."""
    return (move,) * ACTIONS


def _chain(rewards: tuple[float, ...]) -> tuple[tuple[Move, ...], ...]:
    """s0 → s1 → … → end, one reward a step."""
    inner = [_both(Move(reward, (place + 1,))) for place, reward in enumerate(rewards[:-1])]
    return (*inner, _both(Move(rewards[-1], end="terminated")))


def _last(reward: float) -> Move:
    return Move(reward, end="terminated")


def constant() -> Table:
    """The final observation looks like the state itself: a target that goes on past the end feeds itself."""
    return Table(
        "constant",
        "value",
        (_both(Move(1.0, (0,), "terminated")),),
        (0,),
        one_hot(1),
        "one state, one step, reward 1: can the value learn a constant?",
        implied_by=("boundary", "alignment"),
    )


def observation() -> Table:
    return Table(
        "observation",
        "value",
        (_both(_last(1.0)), _both(_last(-1.0))),
        (0, 1),
        ((1.0,), (-1.0,)),
        "one step, reward = observation (±1): does the observation reach the value?",
        labels=("+1", "-1"),
        implied_by=("action-observation", "boundary"),
    )


def discount() -> Table:
    return Table(
        "discount",
        "value",
        _chain((0.0, 1.0)),
        (0,),
        one_hot(2),
        "two steps, reward at the second: is it carried back in time?",
        implied_by=("alignment",),
    )


def action() -> Table:
    return Table(
        "action",
        "both",
        ((_last(-1.0), _last(1.0)),),
        (0,),
        one_hot(1),
        "one state, one action pays +1 and the other -1: does the policy prefer it?",
        best={0: GOOD},
        implied_by=("action-observation",),
    )


def action_observation() -> Table:
    return Table(
        "action-observation",
        "both",
        ((_last(-1.0), _last(1.0)), (_last(1.0), _last(-1.0))),
        (0, 1),
        ((1.0,), (-1.0,)),
        "the action must match the observation (±1): can the policy look?",
        best={0: 1, 1: 0},
        labels=("+1", "-1"),
    )


def boundary() -> Table:
    """A is cut off on its way to B (a time limit), D truly ends there; B itself is worth 1, C -3."""
    moves = (
        Move(0.0, (1,), "truncated"),
        _last(1.0),
        _last(-3.0),
        Move(0.0, (1,), "terminated"),
    )
    return Table(
        "boundary",
        "value",
        tuple(map(_both, moves)),
        (0, 1, 2, 3),
        one_hot(4),
        "a time limit into a state worth 1, and a true end into the same state",
        tolerance=0.3,  # its values span 4; a correct A2C wandered up to 0.22 from the truth
        labels=("A", "B", "C", "D"),
    )


def alignment() -> Table:
    return Table(
        "alignment",
        "value",
        _chain((2.0, -1.0, 1.0, -2.0)),
        (0,),
        one_hot(4),
        "four steps with rewards 2, -1, 1, -2: is each reward stored beside its own state?",
    )


def long_chain() -> Table:
    return Table(
        "long-chain",
        "value",
        _chain((0.0,) * 9 + (1.0,)),
        (0,),
        one_hot(10),
        "ten steps, reward at the last: the size of the discount",
    )


def continuing() -> Table:
    """No end ever: the value at the end of a rollout must be estimated. Asked with a discount of 0.8."""
    return Table(
        "continuing",
        "value",
        (_both(Move(0.2, (0,))),),
        (0,),
        one_hot(1),
        "no episode ever ends, 0.2 a step: is the rest estimated where a rollout stops?",
        gamma=0.8,
    )


def delayed() -> Table:
    """The first action decides, the reward comes a step later, whatever is done then."""
    moves = (
        (Move(0.0, (1,)), Move(0.0, (2,))),
        _both(_last(-1.0)),
        _both(_last(1.0)),
    )
    return Table(
        "delayed",
        "policy",
        moves,
        (0,),
        one_hot(3),
        "the first action decides, the reward comes one step later",
        best={0: GOOD},
        labels=("first", "bad", "good"),
    )


def multi_step() -> Table:
    """Four steps, a coin each time, +1 for the matching action. Policy only: a critic stays noisy."""
    moves: list[tuple[Move, ...]] = []
    for step in range(4):
        after = (2 * step + 2, 2 * step + 3) if step < 3 else ()
        end: End = "" if step < 3 else "terminated"
        right, wrong = Move(1.0, after, end), Move(0.0, after, end)
        moves += [(wrong, right), (right, wrong)]
    return Table(
        "multi-step",
        "policy",
        tuple(moves),
        (0, 1),
        one_hot(8),
        "four steps in a row, each with its own right action",
        best={state: 1 - state % 2 for state in range(8)},
    )


def episode_leak() -> Table:
    """The good action here makes the *next* episode pay -1, the bad one +1: an episode must not care."""
    moves = (
        (Move(-0.4, end="terminated", restart=1), Move(0.4, end="terminated", restart=2)),
        _both(Move(1.0, end="terminated", restart=0)),
        _both(Move(-1.0, end="terminated", restart=0)),
    )
    return Table(
        "episode-leak",
        "policy",
        moves,
        (0,),
        ((1.0, 0.0), (0.0, 1.0), (0.0, 1.0)),
        "the next episode pays against the good action: does its reward leak into this one?",
        best={0: GOOD},
        labels=("now", "next", "next"),
    )


def memory() -> Table:
    """A cue, two blank steps, then the action must match the cue. Only agents with a memory can pass."""
    moves = (
        _both(Move(0.0, (2,))),
        _both(Move(0.0, (3,))),
        _both(Move(0.0, (4,))),
        _both(Move(0.0, (5,))),
        (_last(-1.0), _last(1.0)),
        (_last(1.0), _last(-1.0)),
    )
    return Table(
        "memory",
        "policy",
        moves,
        (0, 1),
        ((1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0)),
        "a cue, a pause, then an action that must match the cue of this episode",
        best={4: 1, 5: 0},
        labels=("cue +", "cue -", "blank", "blank", "act +", "act -"),
        by_deed=True,
    )


# In the order in which they are climbed: what breaks low explains what breaks above.
LADDER = (
    constant,
    observation,
    discount,
    action,
    action_observation,
    boundary,
    alignment,
    long_chain,
    continuing,
    delayed,
    multi_step,
    episode_leak,
)
EXTRA = (memory,)
NEAR = 0.5  # distance to a target action; a random action is 1 to 1.5 away


def target_action() -> Table:
    """Bounds that are not ±1, so that an action that was never scaled to them shows."""
    purpose = "a continuous action must hit 0 or 2, by observation, in [-1, 3]"
    return _continuous("target-action", purpose, (0.0, 2.0), (-1.0, 3.0))


def edge_action() -> Table:
    return _continuous("edge-action", "the best action is the upper edge of [-2, 2]", (2.0, 2.0), (-2.0, 2.0))


def _continuous(name: str, purpose: str, targets: tuple[float, ...], bounds: tuple[float, float]) -> Table:
    """One step from either of two states; the reward falls with the distance to the state's target."""
    return Table(
        name,
        "policy",
        (_both(_last(0.0)),) * 2,
        (0, 1),
        ((-1.0,), (1.0,)),
        purpose,
        tolerance=NEAR,
        labels=("-1", "+1"),
        targets=targets,
        bounds=bounds,
    )


CONTINUOUS = (target_action, edge_action)


def ladder() -> dict[str, Table]:
    return {table.name: table for table in (make() for make in LADDER)}


def extra() -> dict[str, Table]:
    return {table.name: table for table in (make() for make in EXTRA)}


def continuous() -> dict[str, Table]:
    return {table.name: table for table in (make() for make in CONTINUOUS)}


SPACE_PROBES = ("image", "dict", "multi-discrete")  # the fifth probe, with other observations


def space_probes() -> dict[str, Table]:
    return {word: replace(action_observation(), name=word) for word in SPACE_PROBES}


def probe_named(name: str) -> Table:
    return (ladder() | extra() | continuous() | space_probes())[name]
