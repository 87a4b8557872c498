"""Training data is served in a fixed, sorted order.

## What happens
Each batch teaches one class and unteaches the last one. On 8x8 digits sorted by class, with SGD at
0.1, the loss sank to about 1 within each class and jumped to about 3 at the boundaries; after two
epochs the network answered the last class for everything (10% test accuracy).

Batch norm turns nuisance into failure. With sorted batches every batch has the statistics of one
class; at evaluation the running averages fit none of them. After ten epochs: 29% test accuracy
sorted, 95% shuffled, and nothing else changed. Without batch norm the same comparison ended at 94%
against 95%, so a missing shuffle can also go unnoticed for months and merely cost a little.

`DataLoader` does not shuffle unless told to, and folders, `sorted(glob(...))` and database exports
are ordered by class, date or source. The milder form shuffles once at load time and then repeats
the same order every epoch; that is usually harmless.

## How to tell
- **lint**: a training `DataLoader` without `shuffle=True`, sampler or batch sampler; slices
  `x[i:i+b]` with no permutation. Unknown when arguments arrive through `**kwargs`, and irrelevant
  for an iterable dataset that shuffles itself.
- **watch**: batches with one or two classes where the epoch holds many; a saw-tooth loss whose
  period is exactly one epoch; the same sequence of batches in each epoch.
- **refuted by**: the label mix of single batches looks like that of the whole set, and the order
  differs between epochs.

## How to fix
```python
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=256)            # no need to shuffle here
```

By hand, draw a new permutation every epoch. For streams use a shuffle buffer much larger than the
longest run of equal labels, and shuffle the shards. Fixed order is right for curriculum learning,
for recurrent state carried from batch to batch, and for buckets of equal length as long as the
buckets themselves are shuffled.

## Often mistaken for
- `lr-too-high`: also a ragged loss, but not with the period of an epoch.
- `train-mode-eval`: batch norm again makes the two modes disagree, with well-mixed batches.
- `labels-constant`: one label over the whole epoch, not per batch.

## Sources
- goodfellow-2016-ch8: section 8.1.3, why minibatches must be drawn at random and why shuffling once
  is usually enough.
- ioffe-2015: section 4.2.1, more thorough shuffling helped batch-normalised networks.
- pytorch-data: `DataLoader`, `shuffle` is False by default.
"""
