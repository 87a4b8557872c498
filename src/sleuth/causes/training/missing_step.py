"""Gradients are computed and never applied: the optimizer is not stepped.

## What happens
The backward pass, the expensive half of training, runs every time and its result is thrown away.
The loss wanders with the batches around its first value, near `ln(C)` for C balanced classes, and
the weights at the end equal the weights at the start.

Typical births: `optimizer.step` without parentheses (a legal expression that does nothing);
`scheduler.step()` mistaken for the update; an accumulation test such as `if i % accum == accum`
that can never be true; two optimizers of which only one is stepped; a `GradScaler` that scales the
loss while `scaler.step` sits in a branch not taken.

Do not trust "the checkpoint changed": batch-norm running statistics move in train mode even
without a step, so the evaluation loss can drift by a few hundredths and pass for slow learning.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step            # no call
```

## How to tell
- **lint**: the loop clears gradients and calls `backward()`, and no path reaches a `step()` of
  that optimizer, nor a hand-written update of `p.data` or under `no_grad`. A bare `optimizer.step`
  expression is certain. A function that only does the backward half may be stepped by its caller.
- **watch**: backward passes are counted, optimizer steps are not; gradient norms look healthy; no
  trainable parameter changes. A scheduler in the loop makes torch warn that it was stepped before
  the optimizer.
- **refuted by**: any trainable parameter that differs between two iterations.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
With accumulation, test `(i + 1) % accum == 0`. With mixed precision, call `scaler.step(optimizer)`
followed by `scaler.update()`. With several optimizers, list which one owns which part and check
that each is stepped. A missing step is deliberate when you only collect gradients (saliency maps,
Fisher estimates, gradient checks).

## Often mistaken for
- `update-skipped`: there `step()` is called and decides not to act; here nobody calls it.
- `lr-too-low`: the weights would change in their last digits; compare them exactly.
- `lr-collapsed`: the early part of the run shows changes, only the later part does not.

## Sources
- pytorch-optim: "Taking an optimization step"; parameters are updated by step alone.
"""
