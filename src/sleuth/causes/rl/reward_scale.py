"""Returns are far outside about -10 to 10, and the critic's loss drowns everything else.

## What happens
The critic regresses on returns with squared error: rewards 100 times larger make its loss 10,000
times larger and its gradient 100 times. In a shared network the policy's gradient disappears
beside it; with a clipped global norm it is scaled to nothing; a value head that starts near 0 has
a long climb to 5000. PPO's optional value clipping (0.2, in the units of the return) stops the
gradient once a value has moved that far, so the climb takes thousands of updates.

The quiet direction hurts as well: with rewards of 0.001 and advantages that are not normalised,
the entropy bonus is the whole objective and the policy stays random.

Think in *returns*, not rewards: +1 a step is 100 at gamma 0.99 and 1000 at 0.999. Money,
distances in millimetres, "-1000 for a crash" are the usual culprits; a single rare -1000 in a
world of +0.1 is the nastiest, since it makes the spread, too.

## How to tell
- **probe**: roll out a random policy for a few thousand steps and look at discounted returns:
  magnitudes above about 10 or below 0.01, or a largest value 100 times the median.
- **watch**: value loss orders of magnitude above policy loss; global gradient norm set by the
  value head; predicted values still climbing towards the returns after most of the run.
- **refuted by**: dividing all rewards by the standard deviation of returns changes the learning
  curve only within seed noise.

## How to fix
One constant, chosen by hand, is best: it does not move under the learner's feet.
```python
reward = reward * 0.01                                   # same constant in every run
env = gym.wrappers.NormalizeReward(env, gamma=0.99)      # adaptive, scale only
value_loss = F.smooth_l1_loss(values, returns)
```
Scale, do not shift. Keep the unscaled return for the log. Clipping each reward to [-1, 1] changes
the task (a coin and a jackpot look the same): only where order does not matter.

## Often mistaken for
- `bootstrap-through-terminal`: values beyond anything the rewards could sum to.
- `lr-too-high`: a tenth of the rate helps both; here scaling the reward helps at the same rate.
- `loss-terms-imbalanced`: the general form; with a shared trunk this is the usual reason.

## Sources
- henderson-2018: the experiments on reward scale, with large effects that differ between
  environments.
- jones-2021: the advice to tune the scale of rewards by hand.
- van-hasselt-2016: abstract and introduction, why clipping changes behaviour, and normalising
  targets in its place.
"""
