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
