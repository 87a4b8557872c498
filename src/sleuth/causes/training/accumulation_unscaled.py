"""Accumulated gradients are summed, not averaged, or the last few are never applied.

## What happens
You raise `accum` from 1 to 8 to imitate a larger batch, and the update becomes eight times as
large. Measured: a gradient norm of 3.6 against 0.45 for the averaged version. SGD runs at eight
times the rate you set; a clip threshold bites far more often; the optimizer's weight decay weakens
against the data. Adam divides a constant factor away, so there only clipping and epsilon notice,
until somebody switches the optimizer.

The remainder is the other half. With 103 batches and `accum=4`, three are left over per epoch. If
the epoch begins with `zero_grad()`, they are lost. If not, they leak into the first update of the
next epoch, which then sums seven. And if the loader has fewer batches than `accum`, the optimizer
never steps at all.

```python
for i, (x, y) in enumerate(loader):
    loss = criterion(model(x), y)      # a mean over this micro-batch
    loss.backward()                    # not divided by accum
    if (i + 1) % accum == 0:
        optimizer.step()
        optimizer.zero_grad()
```

## How to tell
- **lint**: a step guarded by a modulo test, a loss with mean reduction, and no division by the
  same number before `backward()`; no step for the rest after the loop.
- **watch**: several backward passes to one step and a gradient norm that grows in proportion to
  them; at the epoch's end backward passes without a step, or one step fed by more batches than the
  others.
- **refuted by**: the accumulated gradient equals that of one large batch of the same examples (in
  eval mode, so that dropout and batch norm agree).

## How to fix
```python
for i, (x, y) in enumerate(loader):
    (criterion(model(x), y) / accum).backward()
    if (i + 1) % accum == 0 or i + 1 == len(loader):
        optimizer.step()
        optimizer.zero_grad()
```
The last group is then divided by a bit too much: harmless. For token losses with padding divide
the *summed* loss by the token count of the whole group, since a mean of means favours short
sequences. Fine as it is: `accelerator.accumulate` (divides for you), a rate chosen for the sum, a
summed loss whose gradient is rescaled before the step.

## Often mistaken for
- `lr-too-high`: a tenth of the rate helps here too; the tell is that `accum=1` helps as well.
- `missing-zero-grad`: the sum grows without end; here it is reset at each step.
- `wrong-reduction`: a factor of the batch size within one batch, not of the number of batches.

## Sources
- pytorch-amp: "Gradient accumulation"; the loss is divided by the number of accumulated
  iterations.
- goyal-2017: section 2.3; normalise by the total batch, not by the part one worker sees.
- kingma-2015: section 1; Adam's updates do not depend on the gradient's scale.
"""
