"""The value function cannot even learn a constant, so nothing built on it can be right.

## What happens
Take the simplest world there is: one fixed observation, one step, reward +1, and so a value of
1.0 to be found. A critic that cannot find it has a fault in its own small circle (loss, target,
optimizer), far away from exploration, credit assignment or hyper-parameters. In a real
environment the same fault looks like "hard task": the policy still drifts, and the return curve
is noise.

Typical faults: the critic's parameters are in no optimizer; `vf_coef` is 0; the value loss is
computed from values stored during the rollout, which carry no graph; the critic ends in ReLU or
tanh; the reward has the wrong sign (value -1); the target is the value itself.
```python
values = torch.stack(rollout_values)              # recorded under no_grad
value_loss = F.mse_loss(values, returns)          # no gradient reaches the critic
```
Two things this world cannot see: observations that are never read, and a loss that broadcasts
(N,) against (N, 1), because every target is the same number. Both fail in the second probe
environment.

## How to tell
- **probe**: environment 1 (constant observation, one step, reward 1, two actions without effect):
  the value must hold 1.0 within 0.2. Judge at the end of the budget, never at the first hit: a
  value on its way to 100 also passes through 1. Correct PPO with quick settings needed 200 steps,
  with library defaults about 2600.
- **watch**: the value loss becomes NaN or infinite, and stays so.
- **refuted by**: the critic stays at 1.0 in environment 1 over the last checks.

## How to fix
Recompute values inside the update and check that the critic's weights move.
```python
values = critic(obs).squeeze(-1)
value_loss = F.mse_loss(values, returns.detach())
(policy_loss + 0.5 * value_loss).backward()
assert all(p.grad is not None for p in critic.parameters())
```
Give the budget in updates, not steps: an agent that updates every 2048 steps has learnt nothing
after 1000.

## Often mistaken for
- `bootstrap-through-terminal`: also fails environment 1, but the value climbs towards
  1/(1-gamma), 100 at 0.99, and does not stay low.
- `reward-scale`: the constant is learnt with reward 1 and not with reward 1000.
- `params-not-in-optimizer`: the root when the critic's parameters are in no group; name that one
  then.

## Sources
- jones-2021: the part on probe environments, the first of the list, which isolates the value
  network.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.checked_sums import CheckedSums, by_no_known_flaw
from sleuth.rl.climbed import Climb
from sleuth.rl.course import LoggedAgent, no_number
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break

SUSPECTED_BY = "constant"
ABOUT_VALUES = True  # not said of an agent that has none
FINGERPRINTS = {
    "sign": "Look for a minus before the reward or the value target.",
    "value-still": "Recompute values inside the update, and check that the critic's weights are in the "
    "optimizer and move.",
}


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)


def check_sums(sums: CheckedSums) -> Iterator[Evidence]:
    yield from by_no_known_flaw(sums, ends=False)


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    if (seen := no_number(agent, of_values=True)) is not None:
        yield seen
