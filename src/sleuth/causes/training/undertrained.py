"""Training stops while the loss is still going down.

## What happens
Nothing is broken; there is simply too little of it. The epoch count came from a tutorial with a
hundred times your data, so your run has a hundredth of its steps. Count steps, not epochs: ten
epochs of 600 examples at batch size 64 are a hundred updates.

Early stopping makes the same mistake in a smarter way: patience of a few evaluations on a noisy
metric ends the run in the first dip. The same goes for a schedule that decays to zero over too
short a plan (the flat end is then the schedule's, not the model's), a wall-clock limit on a
cluster, and `max_iter` in scikit-learn (100 for LogisticRegression, 200 for MLPClassifier), which
ends with a `ConvergenceWarning` that many scripts filter out.

Some tasks sit on a plateau for a long time and then learn suddenly. A flat start is therefore no
proof of a bug, and a flat stretch no proof of the end.

## How to tell
- **watch**: fit a line to the smoothed loss over the last fifth of the run: the slope is clearly
  negative against the noise, and the drop over that fifth is a visible share of the whole. The
  validation loss falls too, the gap to it is small, gradients and updates have ordinary size, the
  rate is not near zero.
- **refuted by**: the smoothed training loss did not fall over the last fifth of the run.

## How to fix
Run two to four times longer before you change anything else, and stretch the schedule with it:

```python
steps = epochs * len(loader)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
```
If the loss falls in a straight line from start to end, try ten times the rate first: it may be too
small. For early stopping, let patience span several times the period of the noise, smooth the
metric, and never stop within the warm-up. When validation gets worse while training gets better,
more steps are the wrong medicine.

## Often mistaken for
- `lr-too-low`: ten times the rate reaches the same loss in a tenth of the steps.
- `lr-collapsed`: the loss is flat at the end because the rate is; here both are alive.
- `underpowered-model`: the loss is flat at a high value however long you train.

## Sources
- karpathy-2019: "Squeeze out the juice"; networks go on improving for longer than intuition says.
- goodfellow-2016-ch7: section 7.8; early stopping treats training time as a hyperparameter.
"""
