"""A checkpoint or pretrained weights were meant to be used, and the model starts at random.

## What happens
`load_state_dict(state, strict=False)` is content if *nothing* matches. Keys saved from a
`DataParallel` or DDP wrapper begin with `module.`, from a compiled model with `_orig_mod.`; load
them into the bare model and every key is "unexpected", every weight "missing", and the only trace
is the return value that nobody reads. (Different *shapes* still raise, strict or not.)

Other roads: `state.get("model", {})` with the wrong key; `model.apply(init_weights)` after
loading; `resnet50()` or `timm.create_model(name)` without asking for weights, which gives a random
network; a second `model = Net()` after the load; a load in one process of several; resuming the
weights but not the optimizer and the scheduler.

Training from scratch works, more or less. You see a fine-tuning run that needs far too many epochs
and ends a few points short, and you tune the learning rate.

```python
state = torch.load("pretrained.pt", weights_only=True)
model.load_state_dict(state, strict=False)      # "module.conv1.weight" fits nothing
model.apply(init_weights)                       # and this would undo it anyway
```

## How to tell
- **lint**: `strict=False` with the result discarded; an initialisation, a reassignment of the
  model or a new layer after the load; a loaded object that is never used; a well-known constructor
  called without weights in a script that speaks of pretraining or fine-tuning.
- **watch**: parameters before and after the load are equal; missing or unexpected keys are more
  than the replaced head; the first loss is at chance level although a trained model was resumed.
- **refuted by**: the first layer's weight equals the one in the file when the first batch arrives.

## How to fix
```python
state = {k.removeprefix("module."): v for k, v in state.items()}
missing, unexpected = model.load_state_dict(state, strict=False)
assert not unexpected, unexpected
assert all(k.startswith("fc.") for k in missing), missing
```
Better still, keep `strict=True` and delete the keys of the head you replace. Save
`model.module.state_dict()`, not the wrapper's. Then evaluate once before training: a resumed model
must reproduce its old score. Missing keys are right for a new head, adapters or added buffers.

## Often mistaken for
- `checkpoint-aliased`: the state in memory was never a copy; here a good file is not applied.
- `preprocessing-mismatch`: weights are loaded, and the inputs are prepared in another way than in
  pretraining.
- `stale-optimizer-params`: weights load well, and the optimizer then works on older tensors.

## Sources
- pytorch-saving: "Warmstarting model using parameters from a different model"; what strict
  ignores.
- pytorch-module: `load_state_dict`; it returns the missing and the unexpected keys.
"""
