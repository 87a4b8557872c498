"""A probability threshold meets raw logits: the sigmoid was forgotten at prediction time.

## What happens
Training is fine; the number you report is not. `BCEWithLogitsLoss` wants logits, so the model
returns logits, and then the evaluation code compares them with 0.5. A logit of 0.5 is a probability
of 0.62, so every example between 50% and 62% is called negative. Recall drops, precision looks
better than it is, and since nothing is obviously broken people retrain. On a rare class, where
logits seldom get above zero, it can remove most of the positives.

Other faces of the same slip: `torch.round(out)`, which is "logit above 0.5" in disguise and gives
class numbers such as -3 or 7; `out` averaged over an ensemble or written to a file as if it were a
probability; a log loss or calibration curve computed from logits; masks in segmentation cut at 0.5.

```python
loss = F.binary_cross_entropy_with_logits(out, y)
pred = (out > 0.5).float()           # means: probability above 0.62
```

`argmax` over class logits needs no softmax, and ranking metrics such as ROC AUC take logits as they
are: a monotone map changes neither. `out > 0` *is* the right threshold for logits.

## How to tell
- **lint**: one name goes into `binary_cross_entropy_with_logits` and, without a sigmoid, into
  `> 0.5`, `.round()`, or a metric that wants probabilities.
- **watch**: the compared values leave [0, 1], the share of predicted positives is lower than the
  mean predicted probability suggests, and accuracy recomputed at threshold 0 is better.
- **refuted by**: all values that meet the threshold lie between 0 and 1, or the threshold is 0.

## How to fix
Convert once, at the boundary between model and decision, and use the converted value everywhere.

```python
prob = out.sigmoid()
pred = prob > 0.5                    # the same as out > 0
```

Do not add the sigmoid to the model's `forward` while the loss stays as it is: that trades this bug
for a double sigmoid.

## Often mistaken for
- `class-imbalance`: few predicted positives as well, but at threshold 0 they do not come back.
- `loss-metric-mismatch`: the general case; name this one when logits meet a probability threshold.
- `double-softmax`: there the loss gets probabilities; here the decision gets logits.

## Sources
- pytorch-bce-logits: opening paragraph; the sigmoid is inside the loss, so the model's output has
  none.
"""
