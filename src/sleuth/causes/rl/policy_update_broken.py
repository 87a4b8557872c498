"""The policy does not come to prefer the action that is rewarded.

## What happens
Two actions, no observation, one step: +1 for one and -1 for the other. Any working learner takes
the good one nearly always after a few hundred steps. If yours does not, the chain advantage,
log-probability, loss, step is broken. With the sign flipped the policy becomes *certain of the
wrong action*, which reads like collapsed exploration; with the gradient cut it stays at 50:50.

The classics: `loss = log_prob * adv` without the minus; an action resampled in the update, so the
log-probability is of another action; the action stored one step off; the ratio computed from two
new log-probabilities (always 1, clipping never acts); log-probabilities of shape (N,) times
advantages (N, 1), which averages the signal away; advantages that carry a graph into the critic;
advantages normalised over a minibatch of one (standard deviation NaN).
```python
action = dist.sample()                            # in the update: a new action!
loss = -(dist.log_prob(action) * adv).mean()
```

## How to tell
- **probe**: environment 4: probability of the rewarded action above 0.8 at the end. Near 0: sign.
  Near 0.5: no signal. For Q agents check the *gap* Q(good) - Q(bad), which must be 2: with
  actions shifted by one step the greedy action was right and the gap only 0.3.
- **refuted by**: in environment 4 the policy holds the good action above 0.9.

## How to fix
```python
dist = policy(obs)
logp = dist.log_prob(stored_action)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
ratio = torch.exp(logp - stored_logp)             # stored_logp: no gradient
loss = -torch.min(ratio * adv, ratio.clamp(1 - eps, 1 + eps) * adv).mean()
```
At the first minibatch of each update the ratio must be 1 to rounding: assert it. It catches half
of this list.

## Often mistaken for
- `entropy-collapsed`: certain of a wrong action in the real task, while environment 4 is solved.
- `policy-obs-coupling-broken`: environment 4 passes and 5 fails.
- `loss-broadcast`: the root when log-probability and advantage shapes differ.

## Sources
- jones-2021: the part on probe environments, the fourth of the list: two actions and a reward
  that depends on them.
- schulman-ppo-2017: section 3, the clipped objective and the ratio to the old policy.
- sutton-2018: section 13.4, the update of REINFORCE with baseline, for the sign.
"""
