"""Layers kept in a plain list or dict are invisible to the optimizer and never trained.

## What happens
`nn.Module` registers a child only when it is assigned as an attribute, or held by `ModuleList`,
`ModuleDict` or `Sequential`. Layers in a Python list take part in the forward pass, receive
gradients, and yet `model.parameters()` does not contain them. Whatever *is* registered trains on
top of random features, so the loss falls and the model seems merely mediocre.

A small net with both hidden layers in a list and a registered head reached 83 to 89% on a task
that its repaired twin solves to 100%, five seeds out of five. Its parameter count was 34 instead
of 354.
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [nn.Linear(16, 16) for _ in range(4)]   # a plain list
        self.head = nn.Linear(16, 2)
```
The same omission has more faces: weights missing from `state_dict()` (a reloaded model is random
again), `.to("cuda")` leaves them behind (that at least crashes), `.eval()` does not reach dropout
inside the list, and a `torch.randn(..., requires_grad=True)` attribute is not an `nn.Parameter`.

## How to tell
- **lint**: a list, dict, tuple or comprehension of layers assigned to `self.x` in `__init__`,
  without a later `add_module`, `register_module`, `nn.ModuleList(self.x)` or
  `nn.Sequential(*self.x)`.
- **probe**: after backward, leaf tensors in the graph hold gradients that belong to no entry of
  `model.parameters()`; or modules found in attributes are missing from `model.modules()`.
- **refuted by**: the count of trainable numbers in `model.parameters()` equals the one you
  compute by hand.

## How to fix
```python
self.blocks = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
self.heads = nn.ModuleDict({name: nn.Linear(16, k) for name, k in tasks.items()})
self.scale = nn.Parameter(torch.ones(16))
self.register_buffer("table", torch.arange(16))     # state that is not trained
```
Build the optimizer afterwards. A list is right on purpose when it only *references* layers that
are registered elsewhere, or holds a frozen teacher that must stay out of the checkpoint.

## Often mistaken for
- `params-not-in-optimizer`: there `model.parameters()` is complete and the optimizer got less of
  it.
- `frozen-params`: registered, but with `requires_grad=False`.
- `unused-parameters`: the mirror image, registered but not part of the forward pass.

## Sources
- pytorch-modulelist: first paragraph, on what the container does that a Python list does not.
- pytorch-module: the class description, on submodules assigned as attributes being registered.
"""
