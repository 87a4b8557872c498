"""The policy became deterministic early and stopped exploring.

## What happens
A policy that gives 0.97 to one of four actions keeps 12% of the largest possible entropy. From
then on it collects data about one behaviour only, advantages of the other actions are never
measured again, and policy gradients multiply small probabilities: the way back is slow or closed.
The return sits on a plateau that looks like convergence.

The fall is usually a push and not a drift: rate too high, too many epochs on one batch,
unnormalised advantages of large size, an initial policy head that is not small, a sign error in
the bonus (minimising `+ entropy` where `- entropy` was meant), or a reward with an easy early
win.
```python
loss = policy_loss + 0.5 * value_loss + 0.01 * entropy     # + pushes entropy down
```
Compare with the maximum, ln(number of actions): 0.69 for 2, 1.39 for 4, 2.89 for 18. For Gaussian
actions the differential entropy may be negative (it is 0 at a deviation of 0.24) and has no
maximum: watch the deviation. Beware of logs: some libraries record an "entropy loss" that is
*minus* the entropy.

A low entropy at the end of a solved task is what you want.

## How to tell
- **watch**: entropy over its maximum drops below 0.1 within the first tenth of the run while the
  return is far from good; often with a KL or clip-fraction spike at the same update. Continuous:
  the deviation shrinks to under a tenth of its start.
- **refuted by**: relative entropy is still above 0.3 when the return stops improving.

## How to fix
Remove the push first, then add a bonus.
```python
loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
nn.init.orthogonal_(policy_head.weight, gain=0.01)     # start near uniform
```
Fewer epochs, a lower rate and a KL stop all slow the fall. A collapsed run seldom recovers;
restart it, or go back to a checkpoint before the drop.

## Often mistaken for
- `policy-update-broken`: certain of the *wrong* action; the two-action probe tells.
- `kl-spike`: the single update that did it, if there was one; name that first.
- `reward-constant`: noise blown up by normalisation drives entropy down with no return to show
  for it.

## Sources
- schulman-2016: slide "Entropy as Diagnostic": a premature drop, and the remedies; slide "Policy
  Initialization".
- jones-2021: the list of statistics, relative entropy first: where it should start and how it
  should fall.
- andrychowicz-2021: the section on network architecture, about the small last layer of the
  policy.
"""
