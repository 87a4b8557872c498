"""The batch size was changed and the learning rate was left as it was.

## What happens
A larger batch means fewer steps per epoch. If each step keeps its length, the weights travel less
far: with a batch of 1024 instead of 128 and the same 90 epochs, SGD takes an eighth of the steps.
The curve against *epochs* gets worse and people conclude that large batches generalise badly. In
the other direction, a recipe for 4096 images run at 64 keeps a rate that is far too high and turns
noisy or diverges.

It is born quietly: a bigger GPU, more GPUs under `DistributedDataParallel` (the effective batch is
the per-process batch times the number of processes), gradient accumulation, or a shared config in
which only one number was edited.

```python
loader = DataLoader(train, batch_size=1024)             # was 128
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)    # still for 128
```

## How to tell
- **lint**: `batch_size`, the number of processes or the accumulation steps differ from the
  documented recipe while `lr` does not; a rate that is a literal in code where the batch size is an
  argument. The source alone cannot prove harm, so this is a note unless both values of the recipe
  are known.
- **refuted by**: the rate was tuned at the batch size in use.

## How to fix
For SGD with momentum scale the rate in proportion to the batch and warm up for a few epochs. For
Adam the square root is the usual starting point. Both are rules of thumb and fail above the
critical batch size, where no rate makes up for the missing steps.

```python
base_lr, base_batch = 0.1, 256
batch = per_process * world_size * accumulate
lr = base_lr * batch / base_batch                 # Adam: base_lr * (batch / base_batch) ** 0.5
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
```

Schedules counted in steps need the same care: warmup, decay and evaluation intervals shrink with
the number of steps per epoch. If only the time per step matters and the epochs are extended so that
the number of steps stays the same, you may leave the rate alone.

## Often mistaken for
- `lr-too-low`: the measured symptom after the batch has grown; ten times the rate helps.
- `lr-too-high`: the measured symptom after the batch has shrunk.
- `wrong-reduction`: the step grows with the batch by accident, because the loss is summed.

## Sources
- goyal-2017: section 2.1, Learning Rates for Large Minibatches; the linear rule, its argument and
  its limit.
- mccandlish-2018: section 2; how the best rate depends on batch size and noise scale, and where it
  levels off.
"""
