"""The optimizer holds the tensors of a model that is no longer the one being trained.

## What happens
An optimizer keeps references to parameter objects. Replace an object afterwards and it goes on
caring for the old one, which no forward pass uses any more. Its `.grad` stays None, `step()` skips
it, and the new parameter receives gradients that nobody applies.

Things that make new parameter objects: `model = Net()` a second time; `model.fc = nn.Linear(...)`
after the optimizer was built; `copy.deepcopy(model)`; re-initialising by assigning a fresh
`nn.Parameter`; `load_state_dict(..., assign=True)`; `weight_norm` and other parametrizations, LoRA
or sharding wrappers applied late.

Things that do not, against an old rumour: `model.to(device)`, `.cuda()`, `.double()` and an
ordinary `load_state_dict` change the tensors in place by default, and the optimizer follows.
Still, build it last; some backends and `torch.__future__` switches behave differently.

```python
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.fc = nn.Linear(512, 10)       # a new weight, unknown to the optimizer
```

## How to tell
- **lint**: between the construction of the optimizer and the loop, the model name is bound again,
  one of its attributes gets a new layer or parameter, or a late wrapper is applied.
- **watch**: the optimizer owns tensors that never receive a gradient, and the module called in the
  loop owns trainable tensors that receive one and never change. The two sets are often equal in
  shapes and disjoint in identity.
- **refuted by**: `optimizer.param_groups[0]["params"][0] is next(model.parameters())`, and the
  same for the rest.

## How to fix
Finish the model first (architecture, surgery, loading, wrapping, device), then build the
optimizer, then the scheduler.

```python
model.fc = nn.Linear(512, 10)
model.load_state_dict(state, assign=True)
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
```
When you must restart weights in mid-run, write into the existing tensors
(`layer.reset_parameters()`, or `p.copy_(new)` under `no_grad`) and clear the optimizer state.

## Often mistaken for
- `params-not-in-optimizer`: there the list is too short but its members are alive.
- `model-reset-in-loop`: there the replacement happens again and again; the loss jumps back each
  time, whereas a stale optimizer gives a flat line.

## Sources
- pytorch-module: `load_state_dict`, the warning that with assign=True the optimizer has to be
  built afterwards.
- pytorch-optim: "Constructing it"; an optimizer is built over given parameter objects.
"""
