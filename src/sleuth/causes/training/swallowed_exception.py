"""A try/except around training code hides failures, and the loop goes on without them.

## What happens
Batches fail and nobody knows. A handler written against one corrupt image or an occasional
out-of-memory also catches the shape error in your new head, the index out of range in the labels,
the "element 0 of tensors does not require grad". If every batch fails, the epoch takes a second
and the loss prints as 0 or as its last value. If some fail, it is worse: the survivors are not a
random sample. Long sequences run out of memory, rare classes have the broken files, so the model
is trained on what is short and common.

State is the other victim. An exception between `backward()` and `zero_grad()` leaves a gradient
that the next step applies; one between two optimizers updates half a GAN.

Datasets do it too: a `__getitem__` that catches everything and returns a neighbour, zeros, or None
for a `collate_fn` to filter. In scikit-learn a search with its default `error_score` turns a
failed fit into NaN and a warning.

```python
for x, y in loader:
    try:
        train_step(model, optimizer, x, y)
    except Exception:
        continue                      # which exception? how many times?
```

## How to tell
- **lint**: a bare `except`, `except Exception`, `except RuntimeError` or `contextlib.suppress`
  around a forward pass, `backward()`, `step()` or a dataset's item, whose body neither re-raises
  nor counts. Narrow handlers (`StopIteration`, `KeyboardInterrupt`, `OverflowError` around `exp`
  for a perplexity) are fine.
- **refuted by**: deleting the handler, or adding `raise` to it, and a run that completes.

## How to fix
Catch what you expect, around as little as possible, count it, and stop when it is not rare.

```python
try:
    loss = train_step(model, optimizer, x, y)
except torch.OutOfMemoryError:
    skipped += 1
    optimizer.zero_grad()
if skipped > 0.01 * len(loader):
    raise RuntimeError(f"{skipped} batches skipped")
```
Filter broken files once, beforehand, and keep the list. In searches use `error_score="raise"`
while developing. A broad handler at the outermost level that saves a checkpoint and re-raises is
good.

## Often mistaken for
- `update-skipped`: the optimizer declined to act; here it was never reached.
- `too-little-data`: the data exist, and the handler throws them away.
- `missing-step`: no parameter moves in either; remove the handler and see what it hid.

## Sources
- python-errors: "Handling Exceptions"; name the types you mean, let the unexpected ones through.
- sklearn-gridsearch: parameter `error_score`; a fit that raises is scored as NaN by default.
"""
