"""The policy cannot condition its action on what it observes.

## What happens
It prefers a rewarded action when there is only one right answer, and fails as soon as the right
answer depends on the state. In the fifth probe world (observation +1 or -1, reward +1 if the
action matches, else -1) such a policy ends at a mean reward of 0: always the same action, or a
coin.

Value and policy may share everything and still differ here. The pairing of *observation, action
and advantage* must survive storage, flattening and shuffling. One permutation for observations
and another for actions, and the policy learns from other states' actions. With several parallel
environments, a (time, env) buffer flattened as (env, time) in one of the three does it: with one
environment the bug is invisible.
```python
b_obs = obs.reshape(-1, obs_dim)                  # (T, N) order
b_act = act.transpose(0, 1).reshape(-1)           # (N, T) order
```
Other births: a policy head fed by a detached or constant feature, an actor that receives
normalised observations while the update sees raw ones, frame stacking on one side only.

## How to tell
- **probe**: environment 5: probability of the matching action above 0.8 for *both* observations.
  Run it with at least four parallel environments. Compare with environments 2 and 4, which must
  pass, so that only the joint is left.
- **refuted by**: environment 5 is solved with the same number of parallel environments as the
  real run.

## How to fix
Build each minibatch from one index array, and let one function do all reshaping.
```python
batch = {k: v.flatten(0, 1) for k, v in rollout.items()}     # each (T, N, ...)
for idx in torch.randperm(T * N).split(minibatch):
    mb = {k: v[idx] for k, v in batch.items()}
```
A cheap invariant: recompute log-probabilities of the stored pairs with unchanged weights; they
must equal the stored ones.

## Often mistaken for
- `obs-ignored`: the value is blind as well, and environment 2 fails.
- `policy-update-broken`: environment 4 already fails.
- `entropy-flat`: a policy near uniform in the real task for lack of signal, with environment 5
  solved.

## Sources
- jones-2021: the part on probe environments, the fifth of the list, where value and policy have
  to work together.
- huang-2022: the details on the vectorised architecture and on minibatch updates, for the shape
  of a rollout.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.climbed import Climb
from sleuth.rl.evidence_of_agents import by_fingerprint, by_first_break, by_world_beside

SUSPECTED_BY = "action-observation multi-step image dict multi-discrete"
FINGERPRINTS = {
    "policy-blind": "Build each minibatch of observations, actions and advantages from one index array."
}


def probe_agent(climb: Climb) -> Iterator[Evidence]:
    yield from by_fingerprint(climb, FINGERPRINTS)
    yield from by_first_break(climb, {}, SUSPECTED_BY)
    yield from by_world_beside(climb, SUSPECTED_BY)
