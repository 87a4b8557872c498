"""Gradients are erased between backward and step, so the optimizer has nothing to apply.

## What happens
All the calls are there, in the wrong order. `backward()` fills `.grad`, `zero_grad()` empties it,
`step()` finds nothing. Since torch 2.0 `zero_grad()` sets `.grad` to None, and every built-in
optimizer skips a parameter without a gradient: no update, no momentum, no weight decay. The
weights stay equal bit for bit, and nobody complains.

With `zero_grad(set_to_none=False)` the optimizer sees zeros instead and does take a step. The
gradient part is nil, but weight decay still works: a hundred steps of SGD with lr 0.1 and decay
0.1 shrink every weight to 0.37 of its size. The model then moves, towards zero, which looks like
learning if you only check that "weights change".

```python
loss = criterion(model(x), y)
loss.backward()
optimizer.zero_grad()     # the gradient is gone
optimizer.step()          # nothing to apply
```

## How to tell
- **lint**: in the order in which the loop runs, a `zero_grad()` lies after `backward()` and before
  the `step()` that should use it. A `zero_grad()` after the step, at the end of the body, is fine.
- **watch**: gradients are non-zero right after `backward()` and None or zero when `step()` is
  entered; the parameters do not change, or all shrink by one common factor. The loss only shows
  batch noise around its first value.
- **refuted by**: a non-zero `.grad` on any parameter at the moment `step()` is called.

## How to fix
Move the call; nothing else needs to change.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
With two networks, clear the one whose turn it is. Clearing the generator's gradient after the
discriminator's `backward()` is correct in a GAN: that gradient was a by-product and must not be
used.

## Often mistaken for
- `missing-backward`: there `.grad` was never filled; here it is full for a moment and then empty.
- `lr-too-low`: a tiny rate moves the weights a little; here they do not move at all.
- `missing-step`: the gradient survives until the end of the iteration and no step is called.

## Sources
- pytorch-zero-grad: item 3 of the `set_to_none` notes; a None gradient skips the parameter, a zero
  gradient still takes a step.
- pytorch-optim: "Taking an optimization step", the order clear, forward, backward, step.
"""
