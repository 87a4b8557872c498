"""The discount forgets the reward before it arrives: 1/(1-gamma) is far below the delay.

## What happens
Gamma is a half-life. At 0.99 a reward loses half its worth every 69 steps; 500 steps away 0.7% of
it is left, and the critic's error is larger than that. The agent is not stupid: under this
objective the far reward *is* worthless. At 0.999 the same reward keeps 61%.

It is born of changes that nobody connects with gamma: a simulator step made four times finer,
frame skip switched off (four times as many decisions), longer levels, a sparse reward at the end
where there was a dense one, gamma 0.9 copied from a grid world. Eligibility matters as well: with
GAE the credit for actions is cut at about 1/(1 - gamma * lambda) steps, 17 at 0.99 and 0.95;
beyond that the critic has to carry it.

Longer is not better. Variance grows with the horizon, and returns become larger by 1/(1-gamma),
so the critic must change scale. With dense, well-shaped rewards a short horizon learns faster.

## How to tell
- **lint**: `gamma` beside the time limit: 1/(1-gamma) under a fifth of `max_episode_steps` or of
  the episode length, together with a reward paid only at the end.
- **probe**: roll out a random or scripted policy, measure the steps between decision and reward,
  and compute gamma to that power: below 0.05 the signal is gone.
- **refuted by**: the typical delay of rewards is under 1/(1-gamma).

## How to fix
Think in seconds: choose the horizon, divide by the step, set gamma.
```python
horizon = seconds_that_matter / seconds_per_step
gamma = 1 - 1 / horizon
```
Or shorten the delay: frame skip, potential-based shaping, intermediate goals. If you change the
step length by k, take gamma to the power 1/k. Rescale rewards afterwards, since returns have
grown. For short delayed episodes gamma = 1 is legitimate.

## Often mistaken for
- `discount-broken`: reward does not travel at all, not even one step, at any gamma.
- `truncation-as-termination`: a time limit cuts off the future in the target.
- `reward-constant`: the reward was never seen, so no discount could carry it.

## Sources
- schulman-2016: slide "Generally Important Parameters": the effective horizon and its meaning for
  delayed rewards.
- andrychowicz-2021: the section on timestep handling: the discount factor as one of the choices
  that matter most, to be tuned per environment.
"""
