"""The environment or some per-episode state survives the end of the episode.

## What happens
The step after an end belongs to nobody. If the environment is not reset, many simulators keep
answering (a constant state, reward 0), and the buffer fills with phantom rows. If the environment
*is* reset but something beside it is not, the new episode begins with the old one's memory:
recurrent state, frame stack, running return, action noise, the potential of a shaped reward.

Vector environments made it worse quietly. Gymnasium before 1.0 reset within the same step; since
1.0 the default is to reset on the *next* step: the action given there is ignored and the row
(last state, ignored action, reward 0) is no experience at all. Code written for the old way
trains on it. In a world with very short episodes, an unchanged PPO script gave values near 0.1
for a state worth 1; switching to the same-step mode repaired it. Long episodes dilute the effect
to a small, permanent error.

## How to tell
- **lint**: a loop over `env.step` with no `reset` on the done branch; hidden state created
  outside the episode loop and never zeroed; a vector environment whose `autoreset_mode` is not
  set and whose rollout has no mask.
- **probe**: a world with one- and two-step episodes (start in A, B, C or D; B ends with +1, C
  with -3): phantom rows pull the values of end states towards the mean. For memory: an
  environment that pays for acting on the first observation of *this* episode.
- **refuted by**: the first observation of each episode is a start state, and the recurrent state
  there equals a fresh one.

## How to fix
```python
if terminated or truncated:
    obs, _ = env.reset()
    hidden = policy.initial_state()
    frames.clear()
envs = gym.vector.SyncVectorEnv(fns, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP)
```
Or keep the next-step mode and drop the row that follows an end (mask it out of loss *and*
advantages). A deliberate continuing task without resets is fine if no flag is ever raised.

## Often mistaken for
- `state-not-carried`: the opposite, memory lost within an episode.
- `bootstrap-through-terminal`: rows are right and the target reaches across the border.
- `truncation-as-termination`: the border is handled, with the wrong kind.

## Sources
- gymnasium-autoreset: the list of modes, the default, and the warning that an algorithm written
  for one cannot sample with another.
- huang-2022: the detail on the vectorised architecture: how `next_done` and resets fit together
  in a rollout.
"""
