"""A time limit is treated as a real end, so states near it look worthless.

## What happens
When the clock stops an episode, the world would have gone on. Setting the next value to zero
there teaches that good states are worth nothing. With reward 1 a step and gamma 0.99 a balanced
pole is worth 100; with a limit of 200 steps taken as death the same posture is worth 87 at the
start, 9.6 ten steps before the end and 1 at the last step. Unless the clock is in the
observation, the critic has to predict all of these from one input.

It does not stop learning, it lowers the ceiling and adds noise, so it can live for years. Old Gym
code with a single `done` has no choice. Newer code gets `terminated` and `truncated` and often
joins them on the spot:
```python
next_obs, reward, terminated, truncated, info = env.step(action)
done = terminated or truncated
buffer.add(obs, action, reward, next_obs, done)        # the distinction is lost
```
The second trap: the observation after a truncation may already be the reset one. Bootstrapping
from *that* is wrong in another way.

If the task truly ends at that time (a match of 90 minutes) it is termination, and the remaining
time belongs in the observation.

## How to tell
- **lint**: `terminated or truncated` (or `|`), followed through buffers and arrays to the factor or
  the branch that removes the next value from a target; no line values the final observation.
- **probe**: a boundary world: A goes to B by *truncation*, D goes to B by *termination*, B ends
  with +1. Right: V(A) = gamma, V(D) = 0. This bug gives V(A) = 0. In measured runs no other probe
  environment saw it.
- **refuted by**: V(A) is near gamma, or no episode of the run was ever truncated.

## How to fix
Mask the bootstrap by `terminated` only, and use the final observation of the episode.
```python
buffer.add(obs, action, reward, next_obs, terminated)      # off-policy: enough
if truncated:                       # on-policy; afterwards mask the row like any end
    reward = reward + gamma * critic(final_obs).item()
```

## Often mistaken for
- `bootstrap-through-terminal`: values too high at true ends.
- `horizon-too-short`: gamma forgets the reward; here the limit does.
- `episode-length-degenerate`: a constant length equal to the limit is a reason to look for this
  cause, not a proof.

## Sources
- pardo-2018: section 3, bootstrapping at time limits that are not part of the task; section 2,
  time in the observation for those that are.
- gymnasium-terminations: the whole tutorial, the two flags and the target that uses only one of
  them.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.source.flow import ancestry
from sleuth.source.interpreter.values import Arm, Call, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.episodes import (
    Bootstrap,
    Episodes,
    is_network_call,
    network_calls,
    read_episodes,
    tests,
    words,
)

if TYPE_CHECKING:
    from sleuth.rl.checked_sums import CheckedSums
    from sleuth.rl.climbed import Climb
    from sleuth.rl.played import Played

_BOTH = frozenset({"terminated", "truncated"})

# Without one of these words nothing is taken for an environment.
NEEDS = "gym reset env Env ENV game Game simulator Simulator world World"


def lint(program: Program) -> Iterator[Evidence]:
    if "trunc" not in program.source.text and ".step(" not in program.source.text:
        return
    episodes = read_episodes(program)
    if not any(step.width == 5 for step in episodes.steps):
        return
    if _is_handled(program, episodes):
        return
    for target in episodes.bootstraps:
        place = _masked_by_both(program, episodes, target) or _chosen_by_both(episodes, target)
        if place is not None:
            yield clue(
                "likely",
                place,
                "The flag here is true at a time limit as well as at a real end, and it removes the value of "
                f"the next observation from the target (line {getattr(target.call.node, 'lineno', 0)}): "
                "states near the limit look worthless though the world goes on.",
                fix="Let only `terminated` mask the bootstrap; use `terminated or truncated` to reset.",
            )


def _masked_by_both(program: Program, episodes: Episodes, target: Bootstrap) -> Value | None:
    if _masked_before(episodes, target):
        return None
    for factor in target.factors:
        if episodes.kinds(factor) >= _BOTH and "observation" not in episodes.kinds(factor):
            return _where_stored(program, episodes) or factor
    return None


def _masked_before(episodes: Episodes, target: Bootstrap) -> bool:
    """`delta` holds the next value, cut at real ends; at any end the sum over later ones is cut as well."""
    inside = {id(value) for value in ancestry(target.call, 200)}
    return any(
        id(other.call) in inside and any(episodes.kinds(factor) == {"terminated"} for factor in other.factors)
        for other in episodes.bootstraps
        if other is not target
    )


def _where_stored(program: Program, episodes: Episodes) -> Value | None:
    """The line that puts the joined flag into a buffer: there the difference is lost."""
    stores = [call for call, row in episodes.rows if any(episodes.kinds(item) == _BOTH for item in row)]
    stores += [
        call
        for call in program.calls("[]=", ".append")
        if call.args and episodes.kinds(call.args[-1]) == _BOTH
    ]
    return _given(episodes, stores[0]) if stores else None


def _given(episodes: Episodes, store: Call) -> Call:
    """A buffer's own `push(obs, action, ...)` stores what it got: the caller's line is the place."""
    for site in store.context.sites:
        if any(episodes.kinds(part) == _BOTH for part in (*site.args, *site.keywords.values())):
            return site
    return store


def _chosen_by_both(episodes: Episodes, target: Bootstrap) -> Value | None:
    """`r if done else r + gamma * v`: the branch asks the joined flag."""
    values = [call for factor in target.factors for call in network_calls(factor)]
    values += episodes.reads_of_its_table(target)
    for call in (target.call, *values) if values else ():
        for arm in call.context.arms:
            if episodes.kinds(arm.test) >= _BOTH and isinstance(arm.node, ast.If | ast.IfExp):
                if _runs_while_going_on(arm, arm.node.test):
                    return Value(arm.node.test, call.source)
    return None


def _runs_while_going_on(arm: Arm, test: ast.expr) -> bool:
    """The branch that an end skips. One that runs *at* an end takes nothing away: it may sort them."""
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return (arm.name == "else") is not negated


def _only_at_the_limit(episodes: Episodes, arm: Arm) -> bool:
    """`if truncated:`, `if truncated and not terminated:`"""
    if episodes.kinds(arm.test) == {"truncated"}:
        return True
    test = getattr(arm.node, "test", None)
    if arm.name != "if" or not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        return False
    words_of = {isinstance(part, ast.UnaryOp): ast.unparse(part) for part in test.values}
    return "trunc" in words_of.get(False, "") and "not term" in words_of.get(True, "")


def _is_handled(program: Program, episodes: Episodes) -> bool:
    """Whether a network values the last observation where the time limit struck."""
    for call in program.calls("()"):
        if is_network_call(call):
            if any(_only_at_the_limit(episodes, arm) for arm in call.context.arms):
                return True
            if any("final" in word for test in tests(call.context) for word in words(test)):
                return True
    used_alone = program.calls("*", "-", "&", "torch.where", "numpy.where", "torch.logical_and")
    return any(episodes.kinds(part) == {"truncated"} for call in used_alone for part in call.args)


SUSPECTED_BY = "boundary"
FLAWED_SUMS = ("truncation",)
FINGERPRINTS = {
    "truncation-ends": "Mask the next value by `terminated` only, and value the final observation at a time "
    "limit.",
    "truncation-resets": "Value the final observation of the episode that was cut off, not the one after the "
    "reset.",
}
ENOUGH = 8  # episodes, before "all of them" means anything
LONG = 10  # steps; shorter episodes end together by chance
OFTEN = 0.1  # share of the episodes that end at the longest length


def probe_agent(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break

    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)


def check_sums(sums: "CheckedSums") -> Iterator[Evidence]:
    from sleuth.rl.checked_sums import by_known_flaw

    yield from by_known_flaw(sums, FLAWED_SUMS)


def check_env(played: "Played") -> Iterator[Evidence]:
    if (clock := _clock(played)) is not None:
        length, count = clock
        yield Evidence(
            f"{count} episodes ended at exactly {length} steps, none later, and the flag was `terminated`: a "
            "time limit that is sent as a true end teaches that good states are worthless.",
            "likely",
            numbers={"length": length},
            fix="Return `truncated=True, terminated=False` when the clock ends the episode.",
        )
    ends = played.last_steps
    both = sum(bool(step.terminated) and bool(step.truncated) for step in ends)
    if len(ends) >= 3 and both > 0.5 * len(ends):
        yield Evidence(
            f"{both} of {len(ends)} ends set both `terminated` and `truncated`: an agent that asks either "
            "flag alone learns something false.",
            "proven",
            numbers={"both": both},
            fix="Set exactly one of the two.",
        )


def _clock(played: "Played") -> tuple[int, int] | None:
    """A length beyond which no episode goes and at which many end by themselves, and how many."""
    by_flag = [e.length for e in played.ended if e.steps[-1].terminated and not e.steps[-1].truncated]
    if not by_flag or any(step.truncated for step in played.last_steps):
        return None
    longest = max(by_flag)
    count = by_flag.count(longest)
    if len(set(by_flag)) == 1 and len(by_flag) >= ENOUGH and longest > 1:
        return longest, count
    often = longest >= LONG and count >= 3 and count >= OFTEN * len(by_flag)
    return (longest, count) if often else None
