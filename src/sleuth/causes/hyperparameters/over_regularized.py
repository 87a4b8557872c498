"""Weight decay, dropout or augmentation keeps the model from fitting its training data.

## What happens
Training loss stays high and *validation is as good or better*: the opposite of overfitting. The
penalty has won. Strong weight decay shrinks every weight until the output is nearly constant;
dropout of 0.8 in a narrow layer leaves too few units to compute with; augmentation may remove what
distinguishes the classes (flipping digits, rotating 6 into 9, cropping away the object). Stacked,
moderate regularisers become one strong one.

Decay hides behind names. `Adam(weight_decay=0.1)` adds the penalty to the gradient, where it is
rescaled like everything else; `AdamW(weight_decay=0.1)` shrinks weights by lr times 0.1 directly.
The numbers are not interchangeable. In scikit-learn it hides behind `C` (*smaller* is stronger),
`alpha`, `max_depth`, `min_samples_leaf`. And the printed training loss was computed with dropout
and augmentation on, so a gap to validation of the "wrong" sign is normal; a training loss that
stays high in eval mode is not.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=10.0)
self.drop = nn.Dropout(0.9)
clf = LogisticRegression(C=1e-6)
```

## How to tell
- **experiment**: `no-regularisation` (decay 0, dropout off, no augmentation) fits a batch or a
  small subset that the original cannot, and the training loss falls clearly below its former
  plateau. Then switch the parts back on one by one.
- **lint**: a dropout of 0.7 or more; decay of 1 or more; several strong regularisers together; an
  augmentation that does not preserve the label; `C` or `alpha` at an extreme.
- **refuted by**: without any regularisation the training loss stays where it was.

## How to fix
Switch everything off, get to overfitting, then add back the least that closes the gap.

```python
decay = [p for p in model.parameters() if p.ndim >= 2]
plain = [p for p in model.parameters() if p.ndim < 2]          # biases and norms: no decay
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01},
                               {"params": plain, "weight_decay": 0.0}], lr=1e-3)
```

Strong settings are right in their place: decay of 0.05 to 0.3 with AdamW for vision transformers
trained long, heavy augmentation for self-supervised learning. Judge by the experiment, not by the
number.

## Often mistaken for
- `underpowered-model`: cannot fit either, and taking the regularisation away does not help.
- `dropout-ignores-mode`: dropout hurts evaluation because it is still on there.
- `lr-too-low`: training loss is high because it has not arrived yet; it is still falling.

## Sources
- goodfellow-2016-ch7: section 7.1, Parameter Norm Penalties, and 7.12, Dropout; both reduce
  effective capacity.
- loshchilov-2019: section 2; why decay and an L2 penalty differ under adaptive methods.
- karpathy-2019: the steps overfit and regularize; first fit the training set, then give some of it
  up.
"""
