"""Softmax, argmax or a normalisation runs over the batch or another wrong axis.

## What happens
The shapes all match, so nothing complains. With `softmax(dim=0)` on a (batch, classes) tensor it is
the columns that sum to 1: the examples of a batch compete for each class, and one example's score
depends on who sits beside it. Training sees a moving target, and at batch size 1 every
"probability" is exactly 1.

The loss at the start tells. `log_softmax(dim=0)` with `nll_loss` begins at ln(batch size), 4.16 for
64 rows, instead of ln(classes), 2.30 for 10. Sequences are the usual birthplace: after `transpose`
or `batch_first=True` the class axis is last while the old `dim=1` now means time. Another is
`nn.Softmax()` with no `dim`: PyTorch guesses 0 for tensors with one or three axes, otherwise 1, and
only warns. `argmax` and `F.normalize` (default `dim=1`) slip in the same way, and a wrong `argmax`
spoils only the metric, not the training.

```python
logits = self.head(h)                   # (batch, time, classes)
logp = F.log_softmax(logits, dim=1)     # normalises over time
```

`dim=0` is right for a one-dimensional tensor, and for weights over a list of heads or experts that
lie on axis 0.

## How to tell
- **lint**: `softmax`, `log_softmax` or `argmax` with `dim=0` on a batched output, with no `dim` at
  all, or with a `dim` that disagrees with the later `transpose` or `view`.
- **probe**: the outputs sum to 1 along an axis that is not the class axis; changing one example
  changes the outputs of the others in `eval()` mode; the outputs change with the batch size.
- **refuted by**: the outputs (exponentiated, for `log_softmax`) sum to 1 along the class axis.

## How to fix
Name the class axis, and count it from the end if classes come last.

```python
logp = F.log_softmax(logits, dim=-1)                    # (..., classes)
loss = F.cross_entropy(logits.transpose(1, 2), y)       # wants (batch, classes, time)
```

Better still, give logits to `cross_entropy` and write no softmax. Note that it takes axis 1 as the
class axis of anything with two or more axes; a (batch, time, classes) tensor must be transposed or
flattened to (batch * time, classes).

## Often mistaken for
- `batch-mixing`: examples influence each other there as well, but through a `view` or a wrong axis
  in the body; here the sums over the axes point at the softmax.
- `init-loss-off`: the odd first loss is a symptom; ln(batch size) is this cause's signature.

## Sources
- fsdl-2021: the list of most common bugs; wrong tensor shapes come first because they fail
  silently.
- pytorch-cross-entropy: section on shapes; where the class axis of the input has to be.
"""
