"""The optimizer steps although no gradient was computed: backward is never called.

## What happens
`optimizer.step()` does not ask where gradients come from. If every `.grad` is None it walks over
its parameters, skips each one and returns. No warning. The loop prints a loss per batch, takes its
time, saves a checkpoint, and the checkpoint holds the initial weights.

It is rarely forgotten outright. More often the call sits in a branch that is never taken, was
removed together with a debugging line, or works on something else: `torch.autograd.grad(loss,
params)` returns the gradients and leaves `.grad` empty. A second loss that is computed, logged and
never added to the first is the same bug for one head of the model. Under `GradScaler` you are
safe: its `step` refuses with an assertion.

```python
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    optimizer.step()
    running += loss.item()
```

## How to tell
- **lint**: a loop with a forward pass, a loss and `optimizer.step()`, and no `backward()`, no
  assignment to `.grad` and no closure on any path through it. Lightning and the Hugging Face
  `Trainer` call it for you, and `accelerator.backward` counts.
- **watch**: the optimizer is called, the count of backward passes stays at zero, every `.grad` is
  None, every parameter keeps its first value. Buffers may still move: batch-norm statistics follow
  the data in train mode, so a changed `state_dict` proves nothing.
- **refuted by**: one parameter whose `.grad` is not None when `step()` begins.

## How to fix
```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
If you use `torch.autograd.grad`, assign each result to its parameter's `.grad` before stepping.
For several losses, add them and call `backward()` once, or call it on each. A loop without
`backward()` is right for evaluation, and for training by evolution strategies or closed-form
updates; then it should not call an optimizer either.

## Often mistaken for
- `zero-grad-after-backward`: same None at `step()`, but `backward()` did run a line earlier.
- `no-grad-training`: there `backward()` is called and raises, or was silenced; here it is absent.
- `loss-disconnected`: `backward()` runs and some parameters stay without a gradient.

## Sources
- pytorch-optim: "Taking an optimization step"; step is to be called once gradients exist.
- pytorch-zero-grad: `set_to_none` notes, item 3; optimizers pass over parameters without gradient.
"""
