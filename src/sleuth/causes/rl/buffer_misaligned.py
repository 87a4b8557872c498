"""Rewards, actions or dones are stored beside the wrong observation.

## What happens
A row of experience says: in this state, this action, brought this. Shift one column by a step and
each row still looks plausible (right shapes, ranges, statistics), but the lesson belongs to the
neighbour. Learning curves get worse rather than flat, because neighbouring states resemble each
other. Widely used libraries have carried such shifts for over a year.

Births: the reward appended before the step that earns it; `obs` overwritten by `next_obs` before
it is stored; `done` recorded at the *start* of a step in one place and read as its end in
another; a ring buffer whose columns wrap at different indices; n-step windows crossing an episode
end; a vector environment whose automatic reset inserts an extra row.
```python
obs, reward, terminated, truncated, _ = env.step(action)
buffer.add(obs, action, reward, terminated)       # obs is already the next one
```

## How to tell
- **probe**: a four-step chain with rewards (2, -1, 1, -2), whose true values at gamma 0.99 are
  (0.05, -1.97, -0.98, -2.00). A reward shifted by a row converges to (-0.03, 1.99, -0.01, 1.00):
  the *wrong numbers name the bug*. Shifted actions show in the action probes (for Q agents in the
  gap, not in the greedy action); a `done` off by one in multi-step chains and hardly in one-step
  worlds.
- **refuted by**: the chain's four values are right to 0.1, and a replayed row reproduces: reset
  to the state, act, get the stored reward.

## How to fix
One function, one row, all from the same step; then test it with numbers you can read.
```python
next_obs, reward, terminated, truncated, _ = env.step(action)
buffer.add(obs, action, reward, next_obs, terminated, truncated)
obs = next_obs
```
Write a counter environment (observation = t, reward = 10 * t, ends at 5), fill the buffer and
print ten rows. It takes two minutes and replaces a week.

## Often mistaken for
- `discount-broken`: early values are zero, not another arrangement.
- `policy-obs-coupling-broken`: pairing lost in flattening or shuffling, after a correct buffer.
- `episode-not-reset`: rows are wrong only right after an episode's end.

## Sources
- jones-2021: the part on probe environments, for locating such faults by known answers.
- gymnasium-autoreset: the description of the modes, which decide what row follows an episode's
  end.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.checked_sums import CheckedSums, by_known_flaw
from sleuth.rl.climbed import Climb
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break
from sleuth.rl.played import Played

SUSPECTED_BY = "alignment"
FLAWED_SUMS = ("done late", "done early", "reward late", "reward early")
FINGERPRINTS = {
    "reward-later reward-lost reward-earlier action-later action-earlier observation-late observation-early "
    "observation-next done-late done-early": "Store observation, action, reward, next observation and flags "
    "of one step together, in one place."
}


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)


def check_sums(sums: CheckedSums) -> Iterator[Evidence]:
    yield from by_known_flaw(sums, FLAWED_SUMS)


def check_env(played: Played) -> Iterator[Evidence]:
    if played.fresh_alike and not played.used_alike and played.first_reward_only:
        yield Evidence(
            "The first reward of an episode belongs to the episode before: rewards are returned one step "
            "late, and the rest is as in a fresh environment.",
            "proven",
            fix="Return the reward of the step that was just made; clear it in `reset`.",
        )
