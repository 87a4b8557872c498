"""The mean of the reward was moved, which changes how long the agent wants to live.

## What happens
Adding a constant c to each reward adds c times the (discounted) number of steps to the return. If
the agent can influence how long an episode lasts, you have changed the goal. Take +1 per step for
staying upright: subtract the mean, 1, and every reward is 0, there is nothing left to learn. Take
-1 per step until a goal: add 1, and hurrying no longer pays. A shift into the positive makes
agents that circle in front of the goal; into the negative, agents that jump off the cliff to have
it over.

It is usually born as hygiene: rewards standardised like inputs.
```python
rewards = (rewards - rewards.mean()) / (rewards.std() + 1e-8)   # shifts the goal
```
Worse with a running mean, since the goal then changes during training. Standardising *advantages*
is fine (an offset there does not alter the goal), and so is standardising returns as regression
targets for the critic if predictions are mapped back. If all episodes have the same fixed length,
or none ever ends, a shift changes no preference; it only burdens the critic.

## How to tell
- **lint**: a mean subtracted from rewards (`r - r.mean()`, a scaler's `fit_transform` on rewards,
  a running mean in a reward wrapper); a constant "alive" or "time" bonus added to an existing
  reward.
- **watch**: episode length moves in the opposite direction of what the task wants, while the
  *shaped* return rises; original and shaped return disagree in sign.
- **refuted by**: episodes have one fixed length that the agent cannot change, or raw and used
  rewards differ only by a factor.

## How to fix
Divide, never subtract.
```python
scale = running_return_std(gamma)          # spread of discounted returns
reward = reward / (scale + 1e-8)
```
To make rewards denser use potential-based shaping, gamma * phi(next) - phi(current), with phi = 0
at true ends: it provably leaves the best policy alone. A step cost *meant* to make the agent
hurry is design, not a defect; write it down as such.

## Often mistaken for
- `reward-scale`: a factor, which keeps the order of policies.
- `episode-length-degenerate`: the visible result; if lengths collapse or hit the limit after a
  change to the reward, this is the root.
- `advantage-biased`: offset in the advantages with the reward untouched.

## Sources
- schulman-2016: slide "Whitening / Standardizing Data": scale rewards without moving their mean,
  with the reason.
- ng-1999: the theorem that potential-based shaping keeps optimal policies, and the examples of
  shaping that goes wrong.
"""
