"""The loss does not fit the task, such as squared error on class indices.

## What happens
Cross-entropy with a single output unit is always zero: the softmax of one number is 1. Give it a
(N, 1) output with a float target of the same shape and PyTorch takes the target for class
probabilities; loss and gradients are exactly 0 and the run looks finished before it began. (With
integer targets a label 1 raises an out-of-bounds error, which is kinder.) Leave out the class axis
and give it two vectors of length N, and the *batch* becomes the class axis.

Squared error on class indices runs too: mixing up class 0 and class 9 costs 81 times as much as 0
and 1, and for an undecided example the best answer is 4.5, a class that means nothing. Other odd
couples: softmax cross-entropy for labels that may hold together, plain MSE for counts or prices
that span decades, MSE on sigmoid outputs (works, slowly: see `loss-saturated`).

```python
model = nn.Linear(20, 1)
loss = nn.CrossEntropyLoss()(model(x), y.float().unsqueeze(1))   # 0.0, for ever
```

## How to tell
- **probe**: the loss is exactly 0 and so is every gradient; the output has one column under
  cross-entropy; the target of an MSE has few distinct whole values; a row of targets has several
  ones under a softmax.
- **lint**: `CrossEntropyLoss` beside a last layer with one unit; `mse_loss` with an argument called
  labels or with `.argmax(...)`; `BCEWithLogitsLoss` against class indices that were never one-hot.
- **refuted by**: output width, target dtype and target values that match a row of the table below.

## How to fix
| task | outputs | target | loss |
|---|---|---|---|
| one of K classes | K | int64 class index | `cross_entropy` |
| yes or no | 1 | float 0.0 or 1.0, same shape | `binary_cross_entropy_with_logits` |
| several labels at once | K | float 0/1, shape (N, K) | `binary_cross_entropy_with_logits` |
| a real number | 1 | float, standardised | `mse_loss`, `huber_loss` |
| a count | 1, the log rate | float | `poisson_nll_loss` |

```python
model = nn.Linear(20, 1)
loss = F.binary_cross_entropy_with_logits(model(x).squeeze(-1), y.float())
```

Squared error on one-hot targets, or on ordered grades, is a legitimate choice: leave it if it was
made.

## Often mistaken for
- `labels-out-of-range`: the loss is right and the label values are not.
- `loss-disconnected`: gradients vanish too, but the loss value is not a constant 0.
- `loss-saturated`: the pairing is sensible and the slope is lost at extreme outputs only.

## Sources
- goodfellow-2016-ch6: section 6.2.2, Output Units; which output and loss belong to which
  distribution.
- pytorch-cross-entropy: description of `target`; class indices or class probabilities, and the
  shapes.
"""
