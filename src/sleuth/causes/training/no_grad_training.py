"""The training forward pass, or part of it, runs with gradient recording switched off.

## What happens
Put the whole step under `torch.no_grad()` and `backward()` raises: "element 0 of tensors does not
require grad". That is the lucky case. The silent ones are these:

A backbone wrapped in `no_grad` inside `forward`: the head trains, the backbone does not, whatever
its `requires_grad` flags and the optimizer say. A `@torch.no_grad()` left on a helper from its
days as inference code. `torch.set_grad_enabled(False)` in an evaluation function, never switched
back, together with `if loss.requires_grad: loss.backward()`. And the false cure from the forums,
`loss.requires_grad_(True)` (or `Variable(loss, requires_grad=True)`): the error disappears,
`backward()` runs, and every parameter's `.grad` is still None.

`inference_mode` is stricter. A later layer that needs such a tensor for its gradient raises
"Inference tensors cannot be saved for backward", but one harmless operation in between hides it.

```python
def forward(self, x):
    with torch.no_grad():
        z = self.backbone(x)      # meant for the first epochs only
    return self.head(z)
```

## How to tell
- **lint**: a `no_grad`, `inference_mode` or `set_grad_enabled(False)` scope or decorator around a
  model call whose result reaches `backward()`; `requires_grad_(True)` on a loss.
- **watch**: gradient recording is off while a module runs in train mode within a training
  iteration; its trainable parameters have no gradient and do not move.
- **refuted by**: `torch.is_grad_enabled()` is True at every module call of a training step.

## How to fix
Remove the scope from training. If you want a frozen backbone, freeze it visibly:

```python
self.backbone.requires_grad_(False).eval()      # eval() again after each model.train()

@torch.no_grad()
def evaluate(model, loader): ...      # the scope ends with the function
```
Recording belongs off for the parts that produce *targets*: TD targets, teacher outputs, EMA
updates, pseudo-labels, rollouts whose log-probabilities are computed again later.

## Often mistaken for
- `detached-graph`: a single operation cuts the path there; here a context covers a region.
- `frozen-params`: the flags are False; here they are True and have no effect.
- `missing-backward`: here `backward()` is called, and either raises or was made to pass.

## Sources
- pytorch-autograd: "No-grad Mode" and "Inference Mode"; neither records anything, whatever the
  requires_grad flags say.
"""
