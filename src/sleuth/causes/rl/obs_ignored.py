"""Observations do not reach the value function: it answers the same in every state.

## What happens
A critic that never sees its input learns the average return, and the average is often good enough
for a slowly rising curve. In the second probe world (observation +1 or -1 at random, one step,
reward equal to the observation) the right values are +1 and -1; a blind critic says 0 for both,
with a value loss of 1.0 that will not fall.

It is seldom a missing argument. More often the observation is wrong by the time of the update:
the environment returns the *same* array each step and the buffer stored references, so all rows
show the last state; rollouts of shape (time, env) are flattened in one order for observations and
in another for returns; the observation of the next step is stored; a normaliser divides by a
variance that includes a huge outlier; (N,) against (N, 1) pulls each prediction to the batch
mean.
```python
obs_buffer.append(obs)            # env reuses this array: store obs.copy()
```

## How to tell
- **probe**: environment 2: values must separate to +1 and -1. In measured runs zeroed, shifted
  and axis-mixed observations all failed here while environment 1 passed, and all states ended
  with the same value. As a unit check, compare the gradient of the value to the observation with
  zero.
- **refuted by**: the value differs by about 2 between the two observations of environment 2.

## How to fix
Copy on store, flatten everything with one helper, and assert the pairing.
```python
obs_buf[t] = torch.as_tensor(obs)                 # writes a copy into storage

def flat(x):                                      # (T, N, ...) -> (T * N, ...)
    return x.flatten(0, 1)
b_obs, b_actions, b_returns = flat(obs_buf), flat(act_buf), flat(ret_buf)
```

## Often mistaken for
- `value-not-learning`: fails already in environment 1, where there is nothing to observe.
- `policy-obs-coupling-broken`: the value separates the states and the policy does not.
- `loss-broadcast`: the root if prediction and target shapes differ; look at them first, it takes
  a second.

## Sources
- jones-2021: the part on probe environments, the second of the list: random observation, reward
  that depends on it.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.climbed import Climb
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break, numbers, seen
from sleuth.rl.played import Played
from sleuth.rl.rollouts import Episode

SUSPECTED_BY = "observation"
ABOUT_VALUES = True  # not said of an agent that has none
FINGERPRINTS = {
    "blind": "Check that observations are copied when stored, flattened in the order of the returns, and "
    "that value and target have the same shape."
}
FEWEST, LONG = 3, 3  # episodes, and steps of each, before "never changes" means anything


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    if climb.all_alike:
        yield Evidence(
            f"{seen(climb.failed)} In every world all states have the same value, the average of all: the "
            "observation does not reach the value.",
            "proven",
            numbers=numbers(climb.failed),
            fix=FINGERPRINTS["blind"],
        )
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)


def check_env(played: Played) -> Iterator[Evidence]:
    if any(play.aliased for play in played.plays):
        yield Evidence(
            "The environment changes an observation after it was returned: the same array is used for every "
            "step, so a buffer that keeps references ends up with one state in all rows.",
            "proven",
            fix="Return a copy: `return self.state.copy(), ...`.",
        )
    long = [episode for episode in played.episodes if episode.length >= LONG]
    if len(long) >= FEWEST and all(map(_stands_still, long)):
        yield Evidence(
            f"The observation never changes within an episode, in {len(long)} episodes of three steps and "
            "more: the agent cannot see what its actions do.",
            "proven",
            fix="Build the observation anew from the state in every step.",
        )


def _stands_still(episode: Episode) -> bool:
    import numpy as np

    shown = np.stack([step.observation for step in episode.steps])
    return bool((shown == shown[0]).all())
