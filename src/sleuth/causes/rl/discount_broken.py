"""Reward is not carried back through time, so early states look worthless.

## What happens
Two steps, observation 0 then 1, reward +1 at the end. The right values are gamma for the first
state and 1 for the second. If the first one stays at 0, the chain from later to earlier is cut:
the agent is a greedy one-step learner, whatever gamma says in the config.

Causes: gamma of 0 (an integer flag parsed as 0, `gamma=1-0.99` written backwards gives 0.01);
next values multiplied by `done` when `1 - done` was meant; a target network that is never
updated, so Q learns the immediate reward plus a frozen random number; the next observation stored
equal to the current one; returns computed forwards rather than backwards; n-step sums without the
bootstrap.

Small errors in gamma hide: 0.9 for 0.99 shifts the first value of a two-step world by only 0.09.
Over a ten-step chain the same slip gives 0.39 where 0.91 is right.

## How to tell
- **probe**: environment 3: V(first) = gamma and V(second) = 1. A value of 0 for the first is this
  cause. Add a chain of ten steps and one with mixed rewards (2, -1, 1, -2; truth 0.05, -1.97,
  -0.98, -2.00 at 0.99): gamma 0 leaves exactly the rewards, gamma 0.9 leaves (0.45, -1.72, -0.80,
  -2).
- **refuted by**: in the ten-step chain the first state has gamma to the ninth power, within 0.1.

## How to fix
Compute returns backwards, with the flag that belongs to the same step.
```python
running = last_value
for t in reversed(range(T)):
    running = rewards[t] + gamma * (1.0 - done[t]) * running
    returns[t] = running
```
For Q-learning copy the target network every so many updates and log that it happened. With
defaults that copy every 10,000 steps a correct DQN needed 11,000 steps for this probe: wait for
at least one copy before you judge.

## Often mistaken for
- `horizon-too-short`: the code is right and gamma is too small for the delay.
- `buffer-misaligned`: the values are wrong but not zero; they equal another arrangement of the
  rewards.
- `bootstrap-through-terminal`: values too *large*, since the sum does not stop.

## Sources
- jones-2021: the part on probe environments, the third of the list, which isolates discounting.
- sutton-2018: section 3.3 on discounted returns and their backward recursion.
"""

from collections.abc import Iterator, Mapping

from sleuth.finding import Evidence
from sleuth.rl.checked_sums import CheckedSums, by_known_flaw
from sleuth.rl.climbed import Climb, Sign
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break

SUSPECTED_BY = "discount long-chain continuing delayed"
FLAWED_SUMS = ("gamma missing", "gamma zero", "last value", "late discount")
FINGERPRINTS = {
    "gamma-zero gamma-0.5 gamma-0.8 gamma-0.9 gamma-0.95": "Follow gamma from the configuration to the "
    "target; compute returns backwards.",
    "next-is-same": "Store the observation that `step` returned as the next one.",
    "mask-inverted": "Multiply by 1 - terminated, not by terminated.",
}
SIGNS: Mapping[Sign, str] = {
    "acts well": "the best action is found, but not its worth over several steps, as if the next state were "
    "valued by another action than its best",
    "adds up": "the value grows as if rewards were added up without a discount",
}


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, SIGNS, SUSPECTED_BY)


def check_sums(sums: CheckedSums) -> Iterator[Evidence]:
    yield from by_known_flaw(sums, FLAWED_SUMS)
