"""Model, optimizer or scheduler is created anew inside the loop and forgets what it learned.

## What happens
A line that belongs above the loop stands in it. The damage depends on what is recreated.

*The model*: each epoch starts from scratch. The loss curve is a sawtooth: down within the epoch,
back to chance at the next. Per-epoch averages hide it, all teeth look alike.

*The optimizer*: weights survive, momentum and second moments do not. Recreate Adam every epoch and
its first step is a full stride of lr in every coordinate, whatever the gradient's size; recreate
it every batch and you run sign descent. That can even look better on a toy problem; with noisy
gradients the loss no longer settles.

*The scheduler*: torch keeps `initial_lr` in the optimizer, so the effect differs by class. A
recreated `OneCycleLR` stays at its start value (max/25) for ever, a `LambdaLR` at its base rate, a
`CosineAnnealingLR` hardly falls (0.088 instead of 0.05 after five of ten epochs, from 0.1), while
a `StepLR` of step 1 happens to be right.

```python
for epoch in range(epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)   # state lost
    for x, y in loader:
        train_step(model, optimizer, x, y)
```

## How to tell
- **lint**: a constructor of the model, a `torch.optim` class or a scheduler inside the epoch or
  batch loop (or in a function called there), while the training it serves spans the whole loop.
- **watch**: the parameter objects or the optimizer's identity change between iterations; the loss
  returns to its first value at epoch borders; Adam's step counter falls back to 1.
- **refuted by**: one model, one optimizer and one scheduler object seen from first to last step.

## How to fix
```python
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in range(epochs):
    ...
```
Creating them in an *outer* loop is correct for cross-validation folds, seeds, sweep settings and
restarts, as long as all of them are new together. An optimizer rebuilt on purpose, once, when a
stage begins (unfreezing, a new task) is fine too. In scikit-learn, `fit` always starts over unless
`warm_start=True` or `partial_fit` is used.

## Often mistaken for
- `stale-optimizer-params`: replaced once, and the loss goes flat; here it keeps jumping back.
- `scheduler-cadence`: one scheduler, stepped at the wrong rhythm.
- `undertrained`: the loss falls, but no further than one epoch can take it.

## Sources
- kingma-2015: Algorithm 1; with fresh moments the first bias-corrected ratio is the sign of the
  gradient.
- pytorch-optim: "How to use an optimizer"; the object holds state that lives across steps.
"""
