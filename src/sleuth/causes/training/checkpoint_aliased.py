"""The "best" weights are a live reference to the model, or are never loaded back.

## What happens
`model.state_dict()` copies nothing. It is a dictionary of references to the very tensors that the
optimizer goes on changing. Keep it as `best` at epoch 12, train until epoch 40, load it back: you
load epoch 40 into itself. The reported best validation score and the shipped weights come from
different models, and no curve shows it.

Half-copies do not help. `state.copy()`, `dict(state)` and `{k: v.detach() for ...}` all share the
storage. `{k: v.cpu() for ...}` is treacherous: a copy on a GPU, an alias on a CPU, so code proven
on the one breaks silently on the other. `best_model = model` is the same bug in one word, in
scikit-learn as well when an estimator is trained further with `partial_fit`.
`optimizer.state_dict()` refers to live tensors too.

The twin of it: the best state is saved correctly and the final test runs on the last weights.

```python
if val_loss < best_loss:
    best_loss, best = val_loss, model.state_dict()      # an alias
...
model.load_state_dict(best)                             # changes nothing
```

## How to tell
- **lint**: a `state_dict()` result, the model itself or a shallow copy is bound to a name or
  attribute inside the training loop and read after it; or a best checkpoint is written and no load
  stands between the loop and the final evaluation.
- **refuted by**: `best["layer.weight"].data_ptr()` differs from that of the model's parameter.

## How to fix
```python
if val_loss < best_loss:
    best_loss = val_loss
    best = copy.deepcopy(model.state_dict())            # or torch.save(...) to disk
...
model.load_state_dict(best)
test(model)
```
`{k: v.detach().clone() for k, v in model.state_dict().items()}` is equally good. `torch.save`
writes the values at once and needs no copy, and passing `state_dict()` straight into it or into
another model's `load_state_dict` is fine.

## Often mistaken for
- `overfitting`: there the reloaded best epoch reproduces its own validation score; here it gives
  that of the last epoch.
- `weights-not-loaded`: there a good file is read and not applied; here what you load back is not
  what you meant to keep.
- `test-set-reuse`: the best score is inflated by selection, but the weights are the ones you kept.

## Sources
- pytorch-saving: note in "Saving & Loading Model for Inference"; keep a deep copy or write to
  disk, since the dictionary follows later training.
- pytorch-module: `state_dict`; the returned object is shallow and refers to the module's tensors.
"""
