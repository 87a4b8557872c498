"""The reported average is computed with wrong weights, a wrong divisor or a stale counter.

## What happens
The model may be fine; the number is wrong. Averaging batch means gives every batch the same
weight, and the last batch is short. With 1025 examples and batch size 256 the fifth batch holds
one example and counts for 20% of the mean. If the full batches are 90% right and that one example
is wrong, you report 72% instead of 89.9%. The error jumps between runs as the lone example
changes.

Other ways to the same place: a *mean* loss summed and divided by `len(dataset)`, too small by the
batch size; correct predictions divided by `len(loader)`; a running total that is not set to zero
at the epoch's start, so the curve is an average over the whole past and lags behind; a counter
that also counts padding; per-batch F1, AUC, BLEU or R2 averaged as if they were means, which they
are not. Under distributed training each rank reports its own shard.

```python
total = 0.0
for x, y in val_loader:
    total += criterion(model(x), y).item()      # a mean over this batch
val_loss = total / len(val_loader.dataset)      # divided by the number of examples
```

## How to tell
- **lint**: `.item()` of a mean-reduced loss is summed without a factor of the batch size and
  divided by a dataset length; a count of hits divided by a number of batches; an accumulator
  created outside the epoch loop and never reset; a ratio metric averaged over batches.
- **watch**: the reported value differs from the average weighted by batch size in the record;
  reported and batch values differ by a factor of about the batch size; the first epoch of a curve
  agrees and later ones lag.
- **refuted by**: the metric computed once over all predictions and labels concatenated equals the
  reported one.

## How to fix
```python
total, n = 0.0, 0
for x, y in val_loader:
    total += criterion(model(x), y).item() * len(y)
    n += len(y)
val_loss = total / n
```
For anything that is not a plain mean, collect predictions and compute it once at the end. If all
batches have one size (`drop_last=True`), the mean of means is exact: leave it. An exponential
average on a progress bar is a display, not a result.

## Often mistaken for
- `loss-metric-mismatch`: there the metric of a single batch is wrong; here right batch values are
  combined wrongly.
- `train-mode-eval`: also a validation number that is off, but it changes when evaluated twice.
- `wrong-reduction`: affects the gradient; this one affects the report only.

## Sources
- sklearn-cross-val-predict: description; a pooled score and an average of group scores agree only
  for groups of equal size and a metric that is a mean over samples.
"""
