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
- **lint**: `done = terminated or truncated` (or `|`) that feeds a target; the fourth value of
  `step` (`truncated`) ignored; targets masked by `done`.
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
