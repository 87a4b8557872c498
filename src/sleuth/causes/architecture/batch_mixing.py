"""Examples of one batch influence each other through a wrong axis or a wrong reshape.

## What happens
`view` and `reshape` renumber memory; they do not swap axes. `x.view(T, B, F)` on a tensor of
shape (B, T, F) runs without complaint and fills each new "example" with pieces of several. On a
2-by-3 tensor of 0 to 5, `view(3, 2)` starts with rows (0, 1), (2, 3); the transpose starts (0,
3), (1, 4).

The commonest form has no reshape at all: `nn.LSTM`, `nn.GRU` and `nn.MultiheadAttention` expect
(time, batch, features) unless you say `batch_first=True`. Given (batch, time, features) the
recurrence runs *over the batch*: the output for example 2 then depends on examples 0, 1 and 2, as
if they were time steps. Training can still look good, since the model may use the company (worst
with sorted batches), and then predictions change with whoever else is in the batch.

Intended mixing: BatchNorm in train mode, contrastive losses with in-batch negatives, minibatch
discrimination, message passing over a graph batch.

## How to tell
- **lint**: `view`/`reshape` with permuted sizes where `permute` or `transpose` was meant; a
  recurrent or attention layer without `batch_first=True` fed by a loader whose first axis is the
  batch; softmax, mean or norm over `dim=0` in `forward`.
- **probe**: in eval mode, take the gradient of the output of example i with respect to the input;
  any non-zero entry at j != i is a leak. Equivalent: outputs change when the other examples are
  replaced.
- **refuted by**: in eval mode, each example alone gives the same output as within the batch.

## How to fix
```python
self.rnn = nn.LSTM(features, hidden, batch_first=True)
x = x.permute(1, 0, 2)                    # swap axes; view() only renumbers
x = x.flatten(start_dim=1)                # keeps the batch axis; not view(-1, n)
```
Prime sizes help: with batch 7, time 11 and features 13 a wrong reshape usually raises. For
contrastive losses check the encoder alone.

## Often mistaken for
- `softmax-wrong-dim`: the same kind of slip, in the loss or the normalisation; name it when a
  softmax does it.
- `norm-batch-of-one`: batch statistics are meant to mix, and the trouble is too few examples.
- `labels-misaligned`: the features belong to other labels because of data order; one example
  alone gives the same output there.

## Sources
- karpathy-2019: section 2, the advice to use backprop to chart dependencies between examples.
- karpathy-2018: the item on view and permute being used as if they were the same.
- pytorch-lstm: the `batch_first` argument, False by default.
"""
