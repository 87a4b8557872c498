"""Gradient flows into a value that should be constant: a target, teacher or advantage.

## What happens
Many losses compare a prediction with a value the same networks produced. If that value keeps its
graph, the optimizer takes the easy way: it moves the target towards the prediction.

*TD target*: the next state's value is pulled back to the current one. Take a state that leads to B
or C with equal chance, B paying 1 and C paying 0. The right values are 1 and 0; with the gradient
through the target they converge to 0.75 and 0.25, and the loss is at its minimum. *Advantage*: in
`-log_prob * (ret - value)` the gradient reaches the critic and, since the log-probability of a
discrete action is never positive, raises its values whatever the rewards were.
*Self-distillation*: two branches that must agree agree on a constant; the loss is perfect, the
features are dead. *GAN*: the discriminator's loss also writes gradients into the generator, wasted
work if they are cleared before the generator's turn and sabotage if they are not.

```python
target = r + gamma * (1 - done) * q(next_obs).max(1).values     # still attached
loss = F.mse_loss(q(obs).gather(1, a).squeeze(1), target)
```

## How to tell
- **lint**: a model output enters a loss on the side of the target (second argument of `mse_loss`,
  a factor of `log_prob`, a teacher's logits, generated samples fed to a discriminator) with
  neither `detach()` nor a `no_grad` scope on its path.
- **probe**: the target has a `grad_fn`; after one backward pass of this loss the teacher, target
  network, generator or critic holds gradients it should not have.
- **refuted by**: `target.requires_grad` is False for every loss in question.

## How to fix
```python
with torch.no_grad():
    target = r + gamma * (1 - done) * q_target(next_obs).max(1).values
loss = F.mse_loss(q(obs).gather(1, a).squeeze(1), target)
```
Likewise `advantage.detach()`, `discriminator(fake.detach())`, teacher under `no_grad`. Do not
detach where the gradient is the point: the *generator's* turn, an actor that climbs a critic
(DDPG, SAC), dynamics learned through a rollout, true residual-gradient methods.

## Often mistaken for
- `detached-graph`: the opposite error; learning parts get no gradient.
- `value-not-learning`: there not even a constant is learned; here values are wrong but stable.
- `loss-terms-conflict`: two wanted terms disagree; here one gradient should not exist.

## Sources
- sutton-2018: section 9.3 on semi-gradients, and section 11.5, example 11.2, whose values 3/4 and
  1/4 the experiment above repeats.
- chen-he-2021: section 4.1; without stop-gradient the two branches collapse to a constant.
"""
