"""The test set is consulted again and again, so its score no longer measures new data.

## What happens
Choosing the best of many is itself a fit. Take models that toss coins and a balanced test set: the
best of 10 scores 57.7% on 100 examples, the best of 100 62.5%, the best of 1000 66%. With 1000
test examples the best of 100 still shows 54%, with 10,000 it shows 51.3%. Nobody looked at the
labels; the score did it for them. Small sets and many looks make the worst mixture.

In code the looks hide in innocent places: early stopping on the test loss, "save if test accuracy
is best", a learning-rate plateau scheduler fed with it, a grid search over it, a classification
threshold tuned on it, reporting the maximum over epochs.

```python
for epoch in range(100):
    train_one_epoch(model)
    acc = evaluate(model, test_loader)
    best = max(best, acc)                   # the best of 100 looks
print("test accuracy", best)
```

It does not stop a model from learning. It makes you believe that it did, and it makes two methods
look different that are not.

## How to tell
- **lint**: a value computed from something named test reaches a comparison, a checkpoint, a
  scheduler, an early stop or a search; or the script has two splits and selects with the second.
- **refuted by**: the test loader is used once, after the last decision.

## How to fix
Three parts. Decide everything with the middle one.

```python
for epoch in range(100):
    train_one_epoch(model)
    acc = evaluate(model, valid_loader)
    if acc > best:
        best, state = acc, copy.deepcopy(model.state_dict())
model.load_state_dict(state)
print("test accuracy", evaluate(model, test_loader))      # once
```

Too little data for three parts: nested cross-validation. Plotting a test curve is harmless as long
as nothing, including you, reacts to it. A public benchmark is a reused test set by nature: ask
whether the gain exceeds the noise of its size, and confirm on fresh data.

## Often mistaken for
- `split-overlap`: rows shared between the parts; a single look is already too good.
- `overfitting`: concerns training against held-out loss; this one fools the held-out score itself.
- `checkpoint-aliased`: "best" weights that are really the last ones, whichever set chose them.

## Sources
- dwork-2015: why adaptive choices invalidate a holdout set, and a mechanism to reuse it safely.
- sklearn-cv: the introduction, tuning against the test set leaks it into the model; hence a
  validation set.
"""
