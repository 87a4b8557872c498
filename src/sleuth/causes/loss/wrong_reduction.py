"""A sum where a mean was meant, or the reverse: the step size follows the batch size.

## What happens
With `reduction="sum"` the gradient is batch size times larger than with the mean. A learning rate
that was tuned for means is then 64 times too high at batch 64, and the last, smaller batch of an
epoch takes a smaller step than the others. SGD at rate 0.05, fine with the mean, went to NaN with
the sum at batch 16 already. Adam divides the factor out again (the same run gave the same result to
five digits), so the bug waits until somebody adds gradient clipping, weight decay in the loss, a
second loss term, or switches to SGD.

The reverse hides in "mean" itself. For `mse_loss`, `l1_loss` and BCE it divides by *all elements*,
not by examples: beside a KL term that is summed per example, the reconstruction of a VAE on 28x28
images is 784 times too weak, and the latent code collapses. `kl_div` with `"mean"` divides by the
classes too: with 1000 classes its value is 1000 times too small.

```python
recon = F.mse_loss(out, x)                                          # mean over all pixels
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()     # summed per example
loss = recon + kl
```

A sum is deliberate and right when all terms are summed alike (the usual VAE code), in an evaluation
loop that divides by the size of the set, or when dividing by a token count afterwards.

## How to tell
- **lint**: `reduction="sum"` or `.sum()` on a training loss with no division nearby; `kl_div`
  without `reduction="batchmean"`; `sum` and `mean` in one total.
- **probe**: duplicate the batch: a mean keeps its value and gradient, a sum doubles both. Then
  repeat the output along its features: a mean over elements keeps its value, a sum per example
  doubles.
- **refuted by**: the gradient norm is unchanged when the batch is repeated twice, and all terms of
  the loss are reduced over the same axes.

## How to fix
Reduce per example first, then average over examples, the same way for every term.

```python
recon = F.mse_loss(out, x, reduction="none").flatten(1).sum(1).mean()
kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
loss = recon + kl
soft = F.kl_div(logp, q, reduction="batchmean")
```

## Often mistaken for
- `lr-too-high`: a tenth of the rate helps too; if the factor is the batch size, the reduction is
  the root.
- `accumulation-unscaled`: the same factor, from micro-batches that are added and never divided.
- `loss-terms-imbalanced`: the symptom when only one of several terms has the wrong reduction.

## Sources
- pytorch-kldiv: the warning on `reduction="mean"`; it does not return the divergence, `batchmean`
  does.
- pytorch-mse: the `reduction` argument; `mean` is the mean over the whole output.
"""
