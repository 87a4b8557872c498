"""Dropout stays active after eval(), so predictions are random and worse than the model is.

## What happens
`model.eval()` switches modules, and `F.dropout(x, 0.5)` is not one: its `training` argument
defaults to True. Evaluation then loses half the units at random. Accuracy is lower than it should
be, two evaluations of one checkpoint differ, and the gap is put down to overfitting.
```python
def forward(self, x):
    x = F.dropout(torch.relu(self.fc1(x)), 0.5)      # active for ever
    return self.fc2(x)
```
Relatives: `F.scaled_dot_product_attention(..., dropout_p=0.1)` has no mode and always drops;
`nn.Dropout(0.5)(x)` built inside `forward` is new on each call and thus in train mode; an
`nn.Dropout` in a plain list is never reached by `eval()`; `torch.dropout(x, p, True)`; noise
layers of your own that do not ask `self.training`. `nn.LSTM(dropout=...)` and
`nn.MultiheadAttention(dropout=...)` do obey the mode.

Random forward passes on purpose (MC dropout for uncertainty) average many of them; one pass is
the bug.

## How to tell
- **lint**: functional dropout without `training=self.training`; `dropout_p=` given a constant
  other than 0; a dropout module constructed in `forward` or kept in a list.
- **probe**: in eval mode, the same input twice gives different outputs.
- **watch**: repeated evaluation of unchanged weights gives different losses; evaluation loss
  stays above training loss from the first epoch on by about the same amount.
- **refuted by**: two eval-mode passes on one batch are bit-for-bit equal.

## How to fix
```python
self.drop = nn.Dropout(0.5)                                      # in __init__
x = self.drop(x)                                                 # in forward
x = F.dropout(x, 0.5, training=self.training)                    # or functional
p = self.dropout_p if self.training else 0.0
y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
```
No retraining is needed: the weights are good, and evaluating them properly is enough.

## Often mistaken for
- `train-mode-eval`: `eval()` was never called; here it was and something ignores it.
- `overfitting`: that gap grows over the run and is the same at each evaluation; this one is there
  from the start and jitters.
- `augmented-eval`: the randomness is in the data, and a fixed batch gives a fixed output.

## Sources
- pytorch-dropout-functional: signature and the `training` argument, on by default.
- pytorch-sdpa: `dropout_p`, and the equivalent code in which it applies in any mode.
- srivastava-2014: section 1, the full network with scaled weights is what should be used at test
  time.
"""
