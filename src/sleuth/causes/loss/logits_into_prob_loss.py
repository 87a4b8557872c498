"""Raw logits reach a loss that expects probabilities or log-probabilities.

## What happens
`NLLLoss` does not compute a logarithm. It picks the entry of the true class and flips its sign.
Give it raw logits and the loss becomes "minus the true logit": it starts near 0 instead of ln K,
turns negative, and falls for ever because the model only has to make numbers larger. No class
competes with another; accuracy may rise for a while, as each class learns its own average input,
and then stalls. Softmax *without* the log is the timid version: the loss lives between -1 and 0,
starts at -1/K, and still trains a little.

`KLDivLoss` wants log-probabilities as its first argument. Handing it plain probabilities makes two
identical distributions of [0.5, 0.5] cost -1.19 instead of 0. `BCELoss` is the polite one: it
raises an error as soon as an input leaves [0, 1]. It stays silent when the model ends in something
that happens to fit, such as a clamp, and then a confident mistake costs exactly 100, because the
log is clipped there. A hand-written `-torch.log(out)` gives NaN for every negative logit.

```python
out = model(x)                                 # logits
loss = F.nll_loss(out, y)                      # wants log-probabilities
loss = F.kl_div(out.softmax(1), teacher)       # wants log-probabilities too
```

## How to tell
- **lint**: the first argument of `nll_loss` comes from a layer with no `log_softmax` after it, or
  that of `kl_div` from `softmax`, or `torch.log` is applied to a model's raw output.
- **probe**: rows given to `NLLLoss` whose exponentials do not sum to 1; a negative loss where only
  positive ones are possible; inputs of `BCELoss` that were clamped rather than squashed.
- **watch**: the loss crosses zero and keeps sinking in a nearly straight line, or NaN in the first
  steps of a loss with a bare log.
- **refuted by**: `logsumexp` over the class axis of the loss input is 0 for every row (to
  rounding).

## How to fix
Use the loss that accepts logits; it is also the one that stays finite.

```python
loss = F.cross_entropy(out, y)                              # instead of nll_loss
loss = F.binary_cross_entropy_with_logits(out, y)           # instead of binary_cross_entropy
loss = F.kl_div(out.log_softmax(1), teacher.softmax(1), reduction="batchmean")
```

`log_softmax` followed by `NLLLoss` is a correct pair and needs no change. A negative loss is no
error by itself either: Gaussian likelihoods, policy gradients and Wasserstein critics go below
zero.

## Often mistaken for
- `double-softmax`: there the squashing happens twice, and the loss is stuck high instead of
  sinking.
- `loss-sign-flipped`: also goes to minus infinity, but accuracy falls below chance with it.
- `unsafe-log-div`: the argument of the log is meant to be a probability and merely touches zero.

## Sources
- pytorch-nll: description of `input`; log-probabilities are expected, to be had from a LogSoftmax
  layer.
- pytorch-kldiv: note on the input; the first argument is expected in log space.
- pytorch-bce: the note below the formula; log outputs are clamped at -100.
"""
