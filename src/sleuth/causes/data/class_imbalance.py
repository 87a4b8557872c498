"""One class outnumbers another by 10:1 or more under a loss that treats all examples alike.

## What happens
Always answering "negative" is right 99 times out of 100. With 99:1 labels this answer costs a
cross-entropy of 0.056, and the first epochs of training consist of finding it: the loss plunges,
accuracy shows 99%, the rare class is never predicted. On a toy task with overlapping classes and
99:1 labels, a small network reported 98.9% accuracy on new data while it found 1 in 20 positives.

The gradient tells why. In a batch of 32 drawn at 99:1 there is no rare example at all in 72% of
cases. And where classes overlap, the answer is not even wrong: an unweighted loss asks for
calibrated probabilities, and with such a prior few of them exceed one half. So "the model ignores
the rare class" is often a threshold problem, not a learning problem.

## How to tell
- **probe**: label counts differ by 10:1 or more and the loss has no `weight`, `pos_weight` or
  sampler; loss at the start is above the entropy of the class frequencies (0.305 at 10:1).
- **watch**: the loss settles at that entropy; predictions are one class in nearly every batch;
  accuracy equals the majority share to two digits.
- **refuted by**: recall of the rarest class well above its share, or counts within 10:1.

## How to fix
First look at recall, precision and the precision-recall curve, and move the threshold. If ranking
itself is poor, reweight or resample, one of the two:

```python
pos_weight = (y_train == 0).sum() / (y_train == 1).sum()
criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
# or: WeightedRandomSampler(weights=1.0 / class_count[y_train], num_samples=len(y_train))
```

Starting the last bias at log(positives / negatives) saves the first epochs. Resample the training
split only. Leave the loss unweighted when you need true probabilities, or when the loss is already
made for it (focal, Dice). Imbalance alone is no defect: easily separable rare classes are learned.

## Often mistaken for
- `labels-constant`: the rare class does not occur at all.
- `unstratified-split`: counts are fine overall, but one of the splits got too few.
- `loss-metric-mismatch`: accuracy is the wrong number to read; here the loss is at fault as well.

## Sources
- he-2009: section 3 on sampling and cost-sensitive methods, section 4 on metrics to use instead of
  accuracy.
- karpathy-2019: section 2, "init well", on setting the final bias for imbalanced data.
- pytorch-bce-logits: `pos_weight`, trading recall against precision.
"""
