"""The sign of the loss or of one term is wrong, so minimising makes the model worse.

## What happens
The optimizer does its job perfectly, in the wrong direction. Loss curves look wonderful: they sink
without a floor. Accuracy goes *below* chance, and that is the giveaway, since a broken model
guesses at chance while a model trained backwards knows the answer and avoids it.

Usual births: a likelihood or a similarity returned without its minus; a minus added to something
that already has one (`-F.cross_entropy(...)`); `loss = F.cosine_similarity(a, b)` where closeness
was wanted; a Dice or IoU score used as the loss; a KL or entropy term with the opposite sign;
`advantage` computed as value minus return. If only a minor term is flipped, the main loss may still
fall while the whole drifts off.

```python
log_likelihood = dist.log_prob(y).mean()
log_likelihood.backward()            # descends: makes the data less likely
```

Many minuses are right: `-log_prob * advantage` in policy gradients, `-critic(fake).mean()` in
Wasserstein GANs, `-entropy` as a bonus, `maximize=True` in the optimizer. A rule may only speak
about losses whose direction is known.

## How to tell
- **lint**: a minus in front of a named loss (`cross_entropy`, `mse_loss`, `nll_loss`...), or
  `backward()` on a bare `log_prob`, score or similarity.
- **watch**: the loss falls past any plausible minimum, below zero for a loss that cannot be
  negative; accuracy drops under chance; weights and gradients grow all the time.
- **experiment**: undoing it, by negating the loss from outside, makes the metric rise. On
  `same-batch` the script as written drives accuracy on that batch towards 0.
- **refuted by**: accuracy on one memorised batch that rises above chance.

## How to fix
Write down what each term should do (go up or down) and let the name say it: `nll`, not
`likelihood`.

```python
nll = -dist.log_prob(y).mean()
loss = nll + (1 - F.cosine_similarity(a, b).mean()) - beta * entropy
loss.backward()
```

Test the direction once: on a prediction equal to the target the loss must be lower than on noise.

## Often mistaken for
- `lr-too-high`: the true loss also rises, but a tenth of the rate cures it; a flipped sign only
  gets worse more slowly.
- `logits-into-prob-loss`: the loss sinks below zero as well, while accuracy stays near or above
  chance.
- `labels-misaligned`: accuracy sits at chance, not under it.

## Sources
- fsdl-2021: the part on overfitting a single batch; an error that goes up points to a flipped sign.
"""
