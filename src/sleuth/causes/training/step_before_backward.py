"""The optimizer steps before backward, so it uses an old gradient or none at all.

## What happens
What you get depends on where the clearing stands. With `zero_grad()` first, then `step()`, then
`backward()`, the step always finds empty gradients: the model is frozen and no error appears. With
`step()`, `zero_grad()`, `backward()` after the forward pass, each step applies the gradient of the
previous batch, one iteration late.

The late variant usually does not stay silent. The step rewrites weights in place that the pending
`backward()` still needs, and a network of two or more layers raises "one of the variables needed
for gradient computation has been modified by an inplace operation" in the second iteration. A
single linear layer does not need its weight for its own gradient and trains on, one step stale.
There the largest stable rate is halved: on a quadratic with curvature h, lr times h must stay
below 1 instead of 2.

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
optimizer.step()          # every .grad is None here
loss.backward()
```

## How to tell
- **lint**: between the forward pass and `backward()` of the same iteration there is a `step()`. A
  loop that *starts* with `step(); zero_grad()` and then does forward and backward is only shifted:
  it loses the last gradient and is otherwise correct.
- **watch**: the order of events in each iteration reads forward, step, backward; either gradients
  are None at every step, or the gradient at a step equals that of the previous backward pass. The
  first step never changes anything.
- **refuted by**: a record in which a `backward()` lies between each forward pass and the next
  step.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
If the in-place error made you add `.clone()` or `.data` somewhere, take that out again: it was the
order that was wrong. Delayed gradients are a design choice in asynchronous or pipelined training;
a single-process script has no use for them.

## Often mistaken for
- `inplace-corruption`: the same error text, but there the write is in your forward code; here the
  tensor named by the message is a weight and the writer is the optimizer.
- `zero-grad-after-backward`: backward precedes the step there; both leave `.grad` empty.
- `scheduler-before-optimizer`: concerns the learning rate only; gradients are applied normally.

## Sources
- pytorch-optim: "Taking an optimization step", the order of the reference loop.
- pytorch-autograd: "In-place correctness checks"; why a changed weight is noticed at backward.
"""
