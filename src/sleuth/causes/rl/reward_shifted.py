"""The mean of the reward was moved, which changes how long the agent wants to live.

## What happens
Adding a constant c to each reward adds c times the (discounted) number of steps to the return. If
the agent can influence how long an episode lasts, you have changed the goal. Take +1 per step for
staying upright: subtract the mean, 1, and every reward is 0, there is nothing left to learn. Take
-1 per step until a goal: add 1, and hurrying no longer pays. A shift into the positive makes
agents that circle in front of the goal; into the negative, agents that jump off the cliff to have
it over.

It is usually born as hygiene: rewards standardised like inputs.
```python
rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-8)   # shifts the goal
```
Worse with a running mean, since the goal then changes during training. Standardising *advantages*
is fine (an offset there does not alter the goal), and so is standardising returns as regression
targets for the critic if predictions are mapped back. If all episodes have the same fixed length,
or none ever ends, a shift changes no preference; it only burdens the critic.

## How to tell
- **lint**: a mean subtracted from rewards (`r - r.mean()`, a scaler's `fit_transform` on rewards)
  that are discounted and summed afterwards; a running mean taken off in a reward wrapper.
- **watch**: episode length moves in the opposite direction of what the task wants, while the
  *shaped* return rises; original and shaped return disagree in sign.
- **probe**: the values of an agent are those of rewards without their mean; a reward normaliser that is
  given known rewards moves them.
- **refuted by**: episodes have one fixed length that the agent cannot change, or raw and used
  rewards differ only by a factor.

## How to fix
Divide, never subtract.
```python
scale = running_return_std(gamma)          # spread of discounted returns
reward = reward / (scale + 1e-8)
```
To make rewards denser use potential-based shaping, gamma * phi(next) - phi(current), with phi = 0
at true ends: it provably leaves the best policy alone. A step cost *meant* to make the agent
hurry is design, not a defect; write it down as such.

## Often mistaken for
- `reward-scale`: a factor, which keeps the order of policies.
- `episode-length-degenerate`: the visible result; if lengths collapse or hit the limit after a
  change to the reward, this is the root.
- `advantage-biased`: offset in the advantages with the reward untouched.

## Sources
- schulman-2016: slide "Whitening / Standardizing Data": scale rewards without moving their mean,
  with the reason.
- ng-1999: the theorem that potential-based shaping keeps optimal policies, and the examples of
  shaping that goes wrong.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.source.flow import ancestry, makers, number, possible, root
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Class,
    Collection,
    Either,
    Function,
    Instance,
    Value,
)
from sleuth.source.program import Program, clue
from sleuth.source.topics.cadence import alike
from sleuth.source.topics.episodes import FIELDS, Episodes, inside_class, read_episodes, words
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.rl.climbed import Climb
    from sleuth.rl.normalizer import NormalizerSeen

_MEAN = Pattern(r"(^|_)(mean|avg|average|mu)s?(_|$)", re.IGNORECASE)
_WRAPPERS = (
    "gymnasium.RewardWrapper",
    "gym.RewardWrapper",
    "gymnasium.core.RewardWrapper",
    "gym.core.RewardWrapper",
)
_SCALERS = Pattern(r"StandardScaler|MinMaxScaler|RobustScaler")

NEEDS = "rew Reward"


def lint(program: Program) -> Iterator[Evidence]:
    if "rew" not in program.source.text.lower():
        return
    episodes = read_episodes(program)
    for call in (*program.calls("-", "-="), *program.calls(".fit_transform")):
        if _is_centred(episodes, call) and _is_summed_later(episodes, call):
            yield _shifted(call)
    for cls in program.classes:
        if cls.derives_from(*_WRAPPERS):
            yield from map(_shifted, _centred_by_wrapper(cls))
    yield from map(_shifted, _centred_by_step(program, episodes))


def _shifted(at: Value) -> Evidence:
    return clue(
        "likely",
        at,
        "The mean of the rewards is subtracted before they are summed into returns: every step then pays or "
        "costs a constant more, and the length of an episode, not the task, decides what is best.",
        fix="Divide rewards by a running spread of the returns and leave their mean alone; centre "
        "advantages instead.",
    )


def _is_centred(episodes: Episodes, call: Call) -> bool:
    """`rewards - rewards.mean()`, or a scaler fitted on rewards."""
    if call.op == ".fit_transform":
        made = root(call.receiver)
        scales = isinstance(made, Call) and _SCALERS.search(made.op)
        return bool(scales) and bool(call.args) and bool(episodes.is_reward(call.args[0]))
    if len(call.args) != 2 or number(call.args[1]) is not None:
        return False
    whole, middle = call.args
    if not episodes.is_reward(whole):
        return False
    return any(_is_mean_of(option, whole) for option in possible(middle)) or (
        episodes.is_reward(whole) == "reward" and _is_running_mean(episodes, call, middle)
    )


def _is_running_mean(episodes: Episodes, call: Call, middle: Value) -> bool:
    """`reward - rms.mean`, `reward - self.mean`: called a mean and, as far as seen, fed by rewards."""
    node = call.node
    right = (
        node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
    )
    if right is None or not any(_MEAN.search(word) for word in words(right)):
        return False
    settled = root(middle)
    if isinstance(settled, Call) and settled.op in ("+", "+=", "-", "*", "/", ".mean", "numpy.mean"):
        return any(episodes.kinds(part) & {"reward"} for part in ancestry(settled, 60))
    return True


def _is_mean_of(middle: Value, whole: Value) -> bool:
    if isinstance(middle, Call) and middle.op == ".mean":
        return _are_one(middle.receiver, whole)
    if isinstance(middle, Call) and middle.op in ("torch.mean", "numpy.mean", "statistics.mean"):
        return bool(middle.args) and _are_one(middle.args[0], whole)
    return False


def _are_one(left: Value | None, right: Value) -> bool:
    if alike(left, right):
        return True
    return any(one is other for one in makers(left) for other in makers(right))


def _is_summed_later(episodes: Episodes, call: Call) -> bool:
    """Whether the shifted rewards are discounted and added up, not used as advantages at once."""
    return any(episodes.feeds(call, target.immediate) for target in episodes.bootstraps)


def _centred_by_step(program: Program, episodes: Episodes) -> Iterator[Call]:
    """A wrapper whose own `step` hands on the inner reward less its mean."""
    handed_on = [
        row.items[1]
        for call in program.calls("def")
        if isinstance(call.receiver, Function)
        and getattr(call.receiver.definition, "name", "") == "step"
        and isinstance(call.receiver.bound, Instance)
        for row in possible(call.result)
        if isinstance(row, Collection) and len(row.items) in FIELDS
    ]
    for call in program.calls("-", "-=") if handed_on else ():
        if (
            len(call.args) == 2
            and episodes.is_reward(call.args[0]) == "reward"
            and inside_class(call, "step")
        ):
            if _is_centred(episodes, call) and any(
                call is part for reward in handed_on for part in _numerators(reward)
            ):
                yield call


def _numerators(reward: Value) -> Iterator[Value]:
    """A reward and what it was made from; a spread that it is divided by is no part of that."""
    queue, seen = [reward], set[int]()
    while queue and len(seen) < 60:
        here = queue.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        if isinstance(here, Either | Carried):
            queue += possible(here)
        elif isinstance(here, Call) and here.result is not None:
            queue.append(here.result)
        elif isinstance(here, Call) and here.op in ("*", "+"):
            queue += here.args
        elif isinstance(here, Call) and (inner := here.receiver or next(iter(here.args), None)) is not None:
            queue.append(inner)


def _centred_by_wrapper(cls: Class) -> Iterator[Value]:
    """The `reward` method of a reward wrapper hands on its argument less a running mean."""
    method = cls.members.get("reward")
    definition = method.definition if isinstance(method, Function) else None
    if not isinstance(definition, ast.FunctionDef):
        return
    given = {part.arg for part in definition.args.args[1:]}
    for node in ast.walk(definition):
        for part in ast.walk(node) if isinstance(node, ast.Return) else ():
            if (
                isinstance(part, ast.BinOp)
                and isinstance(part.op, ast.Sub)
                and isinstance(part.left, ast.Name)
            ):
                if part.left.id in given and any(_MEAN.search(word) for word in words(part.right)):
                    yield Value(part, cls.source)


FINGERPRINTS = {"centred": "Scale rewards, never shift them."}


def probe_agent(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import by_fingerprint

    yield from by_fingerprint(climb, FINGERPRINTS)


def check_normalizer(seen: "NormalizerSeen") -> Iterator[Evidence]:
    if seen.shift:
        yield Evidence(
            f"Rewards are moved by {seen.shift:.2f}, not only scaled: that changes how long the agent wants "
            "to live.",
            "proven",
            numbers={"shift": round(seen.shift, 4)},
            fix="Divide by the spread of the discounted return; do not subtract a mean.",
        )
