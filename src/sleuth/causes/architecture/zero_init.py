"""Weights start at zero or all equal, so the units of a layer stay copies of each other.

## What happens
Two units with the same incoming and outgoing weights compute the same thing, get the same
gradient, and remain equal for ever. A layer of 32 such units is one unit. With all weights at
zero it is worse: in a ReLU net of two layers neither weight matrix ever receives a gradient, and
only the output bias trains. The loss then settles at the entropy of the label frequencies: 1.386
for four even classes.

Measured on a task that asks which of four features is largest (8-32-4 net, Adam, 500 steps): all
zero gave loss 1.385 and 27% accuracy; all 0.1 gave 0.98 and 53%, with 32 rows of the first matrix
still identical to the last bit. That second kind is the silent one: it learns something.

Zero is right in places: biases; the last layer of a residual branch or its scale; one factor of a
LoRA pair (`B` = 0, `A` random); a policy head; ControlNet-style connections. There the other
paths are random, so symmetry is broken elsewhere. Dropout breaks symmetry too, slowly.

## How to tell
- **lint**: `zeros_`, `ones_` or `constant_` on a weight matrix (not a bias, norm scale or
  zero-initialised residual output); `torch.zeros(...)` wrapped in `nn.Parameter` and used in a
  product.
- **probe**: rows of a weight matrix are all identical; or hidden weights get a gradient of
  exactly zero at step 0 while the output bias does not.
- **watch**: the number of distinct rows stays 1 over training.
- **refuted by**: the rows of every hidden weight matrix differ from each other before training.

## How to fix
Leave PyTorch's defaults, or draw the weights at random; only biases may be zero.
```python
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        nn.init.zeros_(m.bias)
model.apply(init)
```
A bare `nn.Parameter(torch.empty(...))` is uninitialised memory and often happens to be zero: give
it an explicit draw. Keep deliberate zeros that close a residual branch.

## Often mistaken for
- `dead-relu`: those units are zero but their weights differ; here the rows are equal.
- `frozen-params`: `requires_grad` is True here, and the gradient is zero or the same for all
  units.

## Sources
- goodfellow-2016-ch8: section 8.4, on breaking symmetry between units as the firm requirement on
  initial weights.
- cs231n-nn2: the part on weight initialisation, "Pitfall: all zero initialization".
- hu-2021: section 4.1, an example of a deliberate zero: one factor zero, the other random.
"""
