"""Prediction and target shapes differ, broadcast silently, and every pair is compared.

## What happens
The model learns to predict the mean and stays there. A prediction of shape (N, 1) minus a target of
shape (N,) is an (N, N) matrix: each prediction is compared with *every* target of the batch. The
mean of that matrix is var(prediction) + var(target) + (difference of means) squared, and its
minimum is a constant prediction. So the loss falls at first, then stops at the variance of the
target, however good the features are. A linear model on noiseless linear data ended at 6.52, the
variance of its target, with a prediction spread of 3e-08.

```python
pred = model(x)                      # (64, 1)
loss = ((pred - y) ** 2).mean()      # y is (64,): a 64 x 64 matrix, no warning
```

`F.mse_loss`, `l1_loss`, `smooth_l1_loss` and `huber_loss` emit a `UserWarning` and go on; logs
swallow it. `binary_cross_entropy` and its logits version raise an error, so the bug lives mostly in
regression, in hand-written losses, value functions and metrics. `poisson_nll_loss` and `kl_div`
accept the pair without a word. The same subtraction in NumPy (an R2 or an accuracy by hand) spoils
the metric only.

## How to tell
- **lint**: arithmetic between a model's output whose last layer has one unit and a target that was
  never given that axis; `squeeze()` without an argument, which also eats a batch of one.
- **probe**: the shapes differ at the loss, and the gradient pushes all predictions of the batch
  towards one common value.
- **watch**: the loss levels off at the target's variance, predictions have almost no spread, and
  the recorded warning says that the target size differs from the input size.
- **refuted by**: prediction and target have identical shapes where they meet.

## How to fix
Make the shapes equal on purpose, and say so in an assertion that will hold for the next person.

```python
pred = model(x).squeeze(-1)          # (N,)
assert pred.shape == y.shape, (pred.shape, y.shape)
loss = F.mse_loss(pred, y)
```

Turn the warning into an error while you develop:
`warnings.filterwarnings("error", message="Using a target size")`. Broadcasting a
weight, a mask or one scalar target against the batch is intended and fine.

## Often mistaken for
- `input-destroyed`: predictions also collapse to the mean, but shapes agree and noise inputs do as
  well.
- `lr-too-low`: a flat loss too, yet it moves when the rate rises; this one stays at the variance.
- `underpowered-model`: cannot fit one batch either; compare shapes before adding layers.

## Sources
- pytorch-broadcasting: General semantics; how (N, 1) and (N,) become (N, N).
- fsdl-2021: the list of most common bugs; accidental broadcasting as the shape error that stays
  silent.
"""
