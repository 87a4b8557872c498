"""Returns leak across a true episode end, so the value of the last state is far too high.

## What happens
After a real end there is no future. If the target still adds gamma times the value of the next
observation (after an automatic reset: the *first state of the next episode*), values feed on
themselves. One step with reward 1 should be worth 1; with the leak the fixed point is
1/(1-gamma): 100 at gamma 0.99. Dying becomes attractive or harmless, depending on the sign of
rewards.

The value passes through the right answer on its way up, so a test that stops at "reached 1.0"
says all is well. Three places can leak separately: the TD error, the recursion of GAE (advantages
of the next episode flow back), and a `done` that is off by one. In measured runs a leak in the
recursion alone was hardly visible in any probe with lambda = 1; only a unit check of the GAE
function saw it.
```python
target = reward + gamma * q_target(next_obs).max(1).values      # no (1 - terminated)
```

## How to tell
- **lint**: a reward plus the discounted value of the next observation without a factor `1 - done`,
  a branch or a selection at ends (values along a rollout: only if it runs over ends); the mask on
  delta and not on the running advantage; flags collected with a rollout, or handed to the function
  that sums it up, and never read.
- **probe**: environment 1 (one step, reward 1): the value keeps rising past 1 towards
  1/(1-gamma). Feed the GAE function hand-made cases (end in the middle, at the last row, two in a
  row) and compare with a plain double loop.
- **watch**: values, or the targets they are taught, reach a hundred times the largest return so far.
- **refuted by**: environment 1 holds 1.0 at the end of the budget, and GAE equals the reference
  on an end in mid-rollout.

## How to fix
```python
for t in reversed(range(T)):          # flags of the step that produced reward t
    delta = rew[t] + gamma * next_value[t] * (1 - terminated[t]) - value[t]
    last = delta + gamma * lam * (1 - ended[t]) * last    # ended = terminated or truncated
    adv[t] = last
```
Do bootstrap at a *time limit*: there the future exists. That is why the two flags differ above.

## Often mistaken for
- `truncation-as-termination`: the mirror error; values too low near the time limit.
- `reward-scale`: values are large because rewards are; the ratio to the true return is 1 there.
- `buffer-misaligned`: a `done` stored one row off leaks at the edges only; name that one if
  shifting it repairs the values.

## Sources
- sutton-2018: section 3.4, the absorbing state that makes returns after an end zero.
- mnih-2015: Methods, the training algorithm, where the target of a terminal step is the reward
  alone.
- schulman-gae-2016: section 3, the estimator whose sum must end with the episode.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.source.flow import literal, number, possible, root
from sleuth.source.interpreter.values import Call, Carried, Unknown, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.environments import never_terminates
from sleuth.source.topics.episodes import (
    ENDS,
    Bootstrap,
    Episodes,
    follows_time,
    is_discount,
    names_end,
    network_calls,
    read_episodes,
    tests,
    words,
)
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.rl.checked_sums import CheckedSums
    from sleuth.rl.climbed import Climb, Sign
    from sleuth.rl.course import LoggedAgent

# Tasks that never terminate: every end is a time limit, and bootstrapping through it is right.
ENDLESS = Pattern(r"Pendulum|HalfCheetah|Reacher|Pusher|Swimmer|FetchReach")
# Branches on these may separate ends from the rest.
_SEPARATES = Pattern(r"trunc|last|end|final|alive|mask|next", re.IGNORECASE)
_FILLS = frozenset({"append", "fill", "fill_", "zero_", "clear", "copy_", "extend", "add"})
_PATHS = Pattern(r"path|start|__dict__|vars|getattr")
_LAMBDA = Pattern(r"lam|tau|gamma|discount", re.IGNORECASE)
_SELECTS = ("torch.where", ".where", "numpy.where", ".masked_fill", ".masked_fill_", "[]=", "*", "*=")

NEEDS = "rew gamma discount Reward"


def lint(program: Program) -> Iterator[Evidence]:
    if not re.search("gamma|discount|reward", program.source.text, re.IGNORECASE):
        return
    episodes = read_episodes(program)
    told: set[ast.AST] = set()  # the value target and the sum over it are one omission
    for target in episodes.bootstraps:
        recursive = next((factor for factor in target.factors if isinstance(factor, Carried)), None)
        function = target.call.context.function
        if recursive is None:
            found = list(_unmasked_target(program, episodes, target))
        elif function is None or function not in told:
            found = list(_leaking_recursion(episodes, target, recursive))
        else:
            continue
        told |= {function} if found and function is not None else set()
        yield from found


def _unmasked_target(program: Program, episodes: Episodes, target: Bootstrap) -> Iterator[Evidence]:
    reward = episodes.is_reward(target.immediate)
    networks = [call for factor in target.factors for call in network_calls(factor)]
    if not reward or not networks or not all(map(_is_value_or_number, target.factors)):
        return
    if any(map(episodes.ends_come_into, target.factors)) or _is_chosen(program, episodes, target, networks):
        return
    if any(map(follows_time, target.factors)) and not episodes.spans_ends:
        return  # one episode at a time: its last value is set by hand
    if never_terminates(program):
        return  # only a time limit ends these episodes: the value goes on beyond it
    seen = _ends_seen(episodes)
    if seen or (not episodes.steps and _names_an_end(target.call)):
        yield clue(
            "proven" if seen and reward == "reward" else "likely",
            target.call,
            "This target adds the discounted value of the next observation at every step, also at the "
            "last one of an episode: no factor holds it back where the episode terminated, so values feed "
            "on themselves.",
            fix="Multiply the value of the next observation by `1 - terminated`.",
        )


def _is_value_or_number(factor: Value) -> bool:
    """Anything else among the factors may be a mask under another name."""
    return number(factor) is not None or is_discount(factor) or any(True for _ in network_calls(factor))


def _is_chosen(program: Program, episodes: Episodes, target: Bootstrap, networks: list[Call]) -> bool:
    """Whether a branch or a selection keeps the target from being used at an end."""
    for call in (target.call, *networks):
        if any(episodes.kinds(arm.test) & ENDS for arm in call.context.arms):
            return True
        for test in tests(call.context):
            none = any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(test))
            if none or any(names_end(word) or _SEPARATES.search(word) for word in words(test)):
                return True
    if _left_before(target.call):
        return True
    for call in program.calls(*_SELECTS):
        parts = [part for part in (call.receiver, *call.args) if part is not None]
        if any(option is target.call for part in parts for option in possible(part)):
            if call.op not in ("*", "*=") or any(episodes.kinds(part) & ENDS for part in parts):
                return True
    return False


def _left_before(call: Call) -> bool:
    """`if done: return reward` (or break, continue) above the target: at an end it is not reached."""
    inner = call.context.loops[-1].node if call.context.loops else None
    function = call.context.function
    around = inner if inner is not None and (function is None or inner in ast.walk(function)) else function
    for node in ast.walk(around) if around is not None else ():
        if isinstance(node, ast.If) and node.lineno < getattr(call.node, "lineno", 0):
            jumps = isinstance(node.body[-1], ast.Return | ast.Break | ast.Continue | ast.Raise)
            if jumps and any(names_end(word) or _SEPARATES.search(word) for word in words(node.test)):
                return True
    return False


def _ends_seen(episodes: Episodes) -> bool:
    """A step whose flag the program looks at, of a task that can terminate."""
    for step in episodes.steps:
        made = root(step.environment)
        name = literal(made.args[0]) if isinstance(made, Call) and made.args else None
        if isinstance(name, str) and ENDLESS.search(name):
            return False
    return any(
        literal(flag) is not False
        for step in episodes.steps
        for flag in (*step.fields.get("terminated", ()), *step.fields.get("done", ()))
    )


def _names_an_end(call: Call) -> bool:
    """Whether the function around knows of ends: a parameter or variable of that name."""
    function = call.context.function
    return function is not None and any(
        names_end(part.arg if isinstance(part, ast.arg) else part.id)
        for part in ast.walk(function)
        if isinstance(part, ast.arg) or (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    )


def _leaking_recursion(episodes: Episodes, target: Bootstrap, running: Carried) -> Iterator[Evidence]:
    """`gae = delta + gamma * lam * gae` where delta knows of ends and the running sum does not."""
    others = [factor for factor in target.factors if factor is not running]
    if not all(number(factor) is not None or _is_called(factor, _LAMBDA) for factor in others):
        return
    if not _becomes(running, target.call):
        return
    if not episodes.kinds(target.immediate) & ENDS:
        yield from _ends_ignored(episodes, target, running)
        return
    if any(names_end(word) for test in tests(target.call.context) for word in words(test)):
        return
    yield clue(
        "likely",
        target.call,
        f"The step before masks ends of episodes, but the running `{running.name}` is carried on unmasked: "
        "advantages of the next episode flow into this one.",
        fix=f"Multiply the carried `{running.name}` by `1 - done` of the same step, too.",
    )


def _ends_ignored(episodes: Episodes, target: Bootstrap, running: Carried) -> Iterator[Evidence]:
    """A running sum over a rollout whose flags are collected, or handed in, and never looked at."""
    if any(True for _ in tests(target.call.context)) or not target.call.context.loops:
        return
    flag = _unread_flag(target.call)
    if flag is None or _left_before(target.call):
        return
    yield clue(
        "likely",
        target.call,
        f"`{running.name}` runs over the whole rollout, and `{flag}`, the ends of episodes in it, "
        "is never read: what comes after an end flows into the episode before.",
        fix=f"Multiply the carried `{running.name}`, and the value of the next step, by `1 - {flag}`.",
    )


def _unread_flag(call: Call) -> str | None:
    """A parameter of the function, or an array that the object fills, named as an end and used nowhere."""
    function, source = call.context.function, call.source
    if not isinstance(function, ast.FunctionDef) or source is None:
        return None
    given = [part.arg for part in (*function.args.args, *function.args.kwonlyargs) if names_end(part.arg)]
    read = words(ast.Module(function.body, []))
    unread = [name for name in given if name not in read]
    if given:
        return unread[0] if len(unread) == len(given) else None
    owner = next(
        (node for node in source.of(ast.ClassDef) if function in node.body),
        None,
    )
    if owner is None or any(_PATHS.search(word) for word in words(owner)):
        return None  # one path at a time
    filled = {name for node in ast.walk(owner) for name in _filled(node) if names_end(name)}
    left = [name for name in sorted(filled) if not _is_read(source.tree, name)]
    return left[0] if left and len(left) == len(filled) else None


def _filled(node: ast.AST) -> Iterator[str]:
    """`self.done[i] = ...`, `self.done.append(...)`: the attribute that gets an item."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        holder: ast.expr = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
        holder = node.func.value
    else:
        return
    if isinstance(holder, ast.Attribute):
        yield holder.attr


def _is_read(tree: ast.AST, name: str) -> bool:
    """Whether an attribute is used for more than being filled or emptied."""
    reads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
    ]
    fills = {id(holder) for node in ast.walk(tree) for holder in _filling(node)}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return name in texts or any(id(node) not in fills for node in reads)


def _filling(node: ast.AST) -> Iterator[ast.AST]:
    """What is filled where a piece of syntax fills or empties something."""
    if not isinstance(node, ast.Subscript | ast.Attribute):
        return
    if isinstance(node.ctx, ast.Store) if isinstance(node, ast.Subscript) else node.attr in _FILLS:
        yield node.value


def _is_called(value: Value, pattern: Pattern) -> bool:
    settled = root(value)
    name = settled.name if isinstance(settled, Unknown) else settled.op if isinstance(settled, Call) else ""
    return bool(pattern.search(name))


def _becomes(running: Carried, call: Call) -> bool:
    """Whether the sum is all that the running value can be on the next turn (nothing sets it back)."""
    return [option is call for option in possible(running.final)] == [True]


SUSPECTED_BY = "episode-leak"
FLAWED_SUMS = ("leak", "bootstrap", "leak and bootstrap", "truncation leak")
FINGERPRINTS = {
    "through-end through-end-reset": "Multiply the value of the next observation by 1 - terminated of the "
    "same step.",
    "leak": "Cut the running sum (returns, GAE, n-step, traces) where an episode ends, not only the next "
    "value.",
}
SIGNS: "Mapping[Sign, str]" = {
    "climbs": "the value climbs past everything there is to earn",
    "swings": "nothing here is random, and still the value swings about the truth: other episodes come "
    "into it",
}
RUNAWAY = 100.0  # times the largest return


def probe_agent(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break

    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, SIGNS, SUSPECTED_BY)


def check_sums(sums: "CheckedSums") -> Iterator[Evidence]:
    from sleuth.rl.checked_sums import by_known_flaw, by_no_known_flaw

    yield from by_known_flaw(sums, FLAWED_SUMS)
    yield from by_no_known_flaw(sums, ends=True)


def watch_agent(agent: "LoggedAgent") -> Iterator[Evidence]:
    yield from _values_run_away(agent)
    yield from _targets_run_away(agent)


def _values_run_away(agent: "LoggedAgent") -> Iterator[Evidence]:
    """From what can be earned."""
    from sleuth.rl.course import POINTS, first_place

    level, best = agent.series("value_level", POINTS), agent.largest_return
    if level is None or agent.series("return") is None:
        return
    late = curves.finite(level.part(0.8, 1))
    if late and abs(curves.median(late)) > RUNAWAY * max(best, 1.0):
        yield agent.told(
            f"Values are at {curves.median(late):.3g} where the largest return so far is {best:.3g}: they "
            "feed on themselves.",
            "Mask the next value by 1 - terminated; run `sleuth rl probe`.",
            level.steps[first_place(level.values, 10 * max(best, 1.0))],
            value=curves.median(late),
            largest_return=best,
        )


def _targets_run_away(agent: "LoggedAgent") -> Iterator[Evidence]:
    """What the critic is asked to learn, against what was ever paid; only a callback sees it."""
    from sleuth.rl.course import POINTS, first_place

    low, high, best = agent.series("target_min"), agent.series("target_max", POINTS), agent.largest_return
    if low is None or high is None or agent.series("return") is None:
        return
    widest = [max(abs(a), abs(b)) for a, b in zip(low.values, high.values, strict=False)]
    late = curves.finite(widest[4 * len(widest) // 5 :]) or [0.0]
    if curves.median(late) > RUNAWAY * max(best, 1.0):
        yield agent.told(
            f"Value targets reach {widest[-1]:.3g} where the largest return so far is {best:.3g}: the critic "
            "is taught its own guesses.",
            "Mask the next value by 1 - terminated; run `sleuth rl probe`.",
            high.steps[first_place(widest, 10 * max(best, 1.0))],
            target=widest[-1],
            largest_return=best,
        )
