"""The loss falls and the reported metric does not follow, or the metric itself is wrong.

## What happens
Two stories look the same from outside. In the first the metric is honest and the loss measures
something else: cross-entropy improves by making right answers surer while not one decision changes;
an average over a million easy background pixels hides the ten that matter; teacher forcing makes
every next token easy and free generation fails.

In the second, which is commoner than one likes, the *metric code* is broken. Shapes broadcast, a
threshold meets logits, `argmax` runs over the wrong axis, the last batch weighs as much as a full
one, padding counts as correct, macro and micro averages are mixed up, or predictions and labels
come from two loaders in different order. The model may be fine.

```python
pred = model(x).argmax(1)                       # (N,)
acc = (pred == y.unsqueeze(1)).float().mean()   # (N, N): near chance for ever
```

A short lag is normal: the loss is smooth, accuracy moves in steps. On imbalanced data a good
ranking with a bad threshold also gives a falling loss and a flat F1.

## How to tell
- **watch**: over many steps the loss falls by a clear amount while the metric stays flat or gets
  worse, on the *same* examples. Sleuth recomputes plain accuracy from recorded outputs and targets
  and compares it with what the script reports; a disagreement convicts the metric, agreement
  acquits it.
- **refuted by**: a metric computed independently on the same outputs agrees with the reported one,
  and moves together with the loss.

## How to fix
Feed the metric a case with a known answer: the labels as predictions must give 1.0, shuffled labels
must give chance. If it passes, change the loss or the decision rule instead: class weights, a
threshold tuned on validation data, a loss nearer to the metric.

```python
pred = model(x).argmax(dim=1)
assert pred.shape == y.shape
assert accuracy(y, y) == 1.0
correct += (pred == y).sum().item()
seen += y.numel()                               # acc = correct / seen
```

## Often mistaken for
- `overfitting`: the training metric follows its loss and only the validation metric does not.
- `structural-ceiling`: the metric is right and the parameters have no way to move it.
- `logit-threshold`: one particular broken metric, with its own simple remedy.

## Sources
- goodfellow-2016-ch8: section 8.1.2, Surrogate Loss Functions; the loss optimised stands in for
  another.
- sklearn-metrics: the part on binary, multiclass and multilabel averaging; how the average changes
  the score.
- ivanov-2017: the part on the loss function, item on monitoring other metrics.
"""
