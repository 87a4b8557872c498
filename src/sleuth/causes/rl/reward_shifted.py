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

from sleuth.facts.flow import makers, number, possible, root
from sleuth.facts.interpreter.values import Call, Class, Function, Value
from sleuth.facts.program import Program, clue
from sleuth.facts.topics.cadence import alike
from sleuth.facts.topics.episodes import Episodes, read_episodes, words
from sleuth.finding import Finding

_MEAN = re.compile(r"(^|_)(mean|avg|average|mu)s?(_|$)", re.IGNORECASE)
_WRAPPERS = (
    "gymnasium.RewardWrapper",
    "gym.RewardWrapper",
    "gymnasium.core.RewardWrapper",
    "gym.core.RewardWrapper",
)
_SCALERS = re.compile(r"StandardScaler|MinMaxScaler|RobustScaler")


def lint(program: Program) -> Iterator[Finding]:
    if "rew" not in program.source.text.lower():
        return
    episodes = read_episodes(program)
    for call in (*program.calls("-", "-="), *program.calls(".fit_transform")):
        if _is_centred(episodes, call) and _is_summed_later(episodes, call):
            yield _shifted(call)
    for cls in program.classes:
        if cls.derives_from(*_WRAPPERS):
            yield from map(_shifted, _centred_by_wrapper(cls))


def _shifted(at: Value) -> Finding:
    return clue(
        "warning",
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
    return bool(episodes.is_reward(whole)) and any(_is_mean_of(option, whole) for option in possible(middle))


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
