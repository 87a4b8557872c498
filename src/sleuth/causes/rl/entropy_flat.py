"""The policy stays nearly random from beginning to end.

## What happens
Entropy remains at its maximum, ln(number of actions): 0.693 for two, 1.386 for four. Nothing
pushes the policy, or something holds it. The return is that of a random agent, and the losses are
small and stable, which makes it look tame rather than broken.

No push: gradients do not reach the actor (not in the optimizer, detached), advantages are zero or
NaN-masked, log-probabilities and advantages are paired wrongly so that they average out, rewards
too small or never found, the KL stop triggers at the first minibatch. Held: the entropy bonus is
larger than the advantages (0.01 against returns of 0.001), a temperature that is too high,
actions replaced at random by an epsilon that never decays, a target entropy of the wrong sign in
SAC. For Gaussian policies: the deviation is a constant, or it *grows*.

## How to tell
- **watch**: entropy over its maximum above 0.95 after a tenth of the planned steps, and the
  policy's weights hardly moving or its gradient near zero; KL between updates about 0; clip
  fraction 0. Epsilon or deviation in the log do not fall.
- **refuted by**: relative entropy has fallen visibly, or the return beats a random agent's
  clearly.

## How to fix
Check the push before you turn the knobs: the two-action probe environment must be solved in a few
hundred steps. Then compare the two gradients.
```python
g_pg = torch.autograd.grad(policy_loss, actor.parameters(), retain_graph=True)
g_ent = torch.autograd.grad(-ent_coef * entropy, actor.parameters(), retain_graph=True)
print(sum(g.norm() for g in g_pg), sum(g.norm() for g in g_ent))
```
If the bonus wins, lower it or scale the reward up. If both are tiny the signal is missing.
Patience is right in sparse tasks: a policy *should* stay random until the first reward.

## Often mistaken for
- `policy-update-broken`: fails in the two-action world; this one may pass it and be held back in
  the task.
- `reward-constant`: no signal to follow in the first place.
- `lr-too-low`: KL and weight changes are small and in the right direction; ten times the rate
  moves it.

## Sources
- jones-2021: the list of statistics, relative entropy staying near one.
- schulman-2017: the part on policy-gradient diagnostics, entropy that does not come down.
"""
