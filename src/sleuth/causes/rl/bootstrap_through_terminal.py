"""Returns leak across a true episode end, so the value of the last state is far too high.

## What happens
After a real end there is no future. If the target still adds gamma times the value of the next
observation (after an automatic reset: the *first state of the next episode*), values feed on
themselves. One step with reward 1 should be worth 1; with the leak the fixed point is
1/(1-gamma): 100 at gamma 0.99. Dying becomes attractive or harmless, depending on the sign of
rewards.

The value passes through the right answer on its way up, so a test that stops at "reached 1.0"
says all is well. Three places can leak separately: the TD error, the recursion of GAE (advantages
of the next episode flow back), and a `done` that is off by one. In measured runs a leak in the
recursion alone was hardly visible in any probe with lambda = 1; only a unit check of the GAE
function saw it.
```python
target = reward + gamma * q_target(next_obs).max(1).values      # no (1 - terminated)
```

## How to tell
- **lint**: a TD target or GAE loop without a factor `1 - done` / `~terminated`; `done` of step
  t+1 used with the reward of step t; the mask on delta and not on the running advantage.
- **probe**: environment 1 (one step, reward 1): the value keeps rising past 1 towards
  1/(1-gamma). Feed the GAE function hand-made cases (end in the middle, at the last row, two in a
  row) and compare with a plain double loop.
- **refuted by**: environment 1 holds 1.0 at the end of the budget, and GAE equals the reference
  on an end in mid-rollout.

## How to fix
```python
for t in reversed(range(T)):          # flags of the step that produced reward t
    delta = rew[t] + gamma * next_value[t] * (1 - terminated[t]) - value[t]
    last = delta + gamma * lam * (1 - ended[t]) * last    # ended = terminated or truncated
    adv[t] = last
```
Do bootstrap at a *time limit*: there the future exists. That is why the two flags differ above.

## Often mistaken for
- `truncation-as-termination`: the mirror error; values too low near the time limit.
- `reward-scale`: values are large because rewards are; the ratio to the true return is 1 there.
- `buffer-misaligned`: a `done` stored one row off leaks at the edges only; name that one if
  shifting it repairs the values.

## Sources
- sutton-2018: section 3.4, the absorbing state that makes returns after an end zero.
- mnih-2015: Methods, the training algorithm, where the target of a terminal step is the reward
  alone.
- schulman-gae-2016: section 3, the estimator whose sum must end with the episode.
"""
