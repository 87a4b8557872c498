"""scheduler.step() runs before the first optimizer.step(), so the schedule skips its start.

## What happens
The first value of the schedule is never used; everything after comes one call early. Measured with
`MultiStepLR(milestones=[3])`: the rate drops after two epochs instead of three. Torch prints a
`UserWarning` once and goes on.

How much it matters depends on what that value was worth. One epoch of a ninety-epoch plan you will
not find in the result. The whole first stage of `StepLR(step_size=1)`, or the epoch at full rate
that a short fine-tuning run relied on, you will. For `OneCycleLR` and step-wise warm-up it is one
batch in thousands. So treat this as a small fault in itself and as a clue to bigger ones: the same
warning appears when the optimizer never steps at all, when the scheduler is tied to another
optimizer, and when a `GradScaler` skipped the first update because of an overflow, which is
harmless.

```python
for epoch in range(epochs):
    scheduler.step()              # the habit from before torch 1.1
    train_one_epoch(model, optimizer)
```

## How to tell
- **lint**: in the order of execution a `scheduler.step()` precedes the first `optimizer.step()`,
  typically as the first statement of the epoch loop.
- **watch**: the scheduler is stepped (beyond the call its constructor makes) while the optimizer's
  step count is zero; torch's warning is raised; the first rate in use is not the base rate.
- **refuted by**: an optimizer step is recorded before the first scheduler step that is not the
  constructor's own.

## How to fix
```python
for epoch in range(epochs):
    train_one_epoch(model, optimizer)
    scheduler.step()
```
With mixed precision, step the scheduler only if the optimizer really stepped:

```python
before = scaler.get_scale()
scaler.step(optimizer)
scaler.update()
if scaler.get_scale() >= before:      # the scale falls only after a skipped update
    scheduler.step()
```
Do not silence the warning before you know which of the cases you have.

## Often mistaken for
- `scheduler-cadence`: there the number of calls is wrong, here only their place.
- `missing-step`: the same warning, and no optimizer step ever follows.
- `update-skipped`: the first AMP steps overflowed; the order in your code is right.

## Sources
- pytorch-optim: "How to adjust learning rate"; the order since 1.1.0 and the skipped first value.
"""
