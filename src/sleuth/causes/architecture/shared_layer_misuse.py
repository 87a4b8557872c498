"""Weight-shared branches are made to differ by dropout masks or batch statistics.

## What happens
Sharing the weights is not sharing the function. Two passes of a Siamese encoder draw two dropout
masks: the *same* input through dropout 0.5 gave two vectors with a cosine similarity of 0.50
(0.90 at dropout 0.1). A contrastive or verification loss then asks identical items to be close
while the layer keeps pushing them apart, and the distance between true pairs cannot reach zero in
training.

BatchNorm adds its own: each branch is normalised by its own batch in training, and both write
into one running average. With branch A around 0 and branch B around 4 (spread 1), the running
mean ended at 2.1 and the variance at 1.0, so in eval mode the branches came out at -2.1 and +1.9,
while in training each was at 0. A mean of two distributions describes neither.

The opposite slip is branches meant to be shared that are copies (`copy.deepcopy`, or two
constructors): they start equal and drift apart. Deliberate two-mask designs are fine: SimCSE uses
dropout noise as its only augmentation, and MC dropout wants the spread.

## How to tell
- **lint**: one submodule called twice or more in a `forward` (or in the step) that contains
  Dropout or BatchNorm; `deepcopy` of an encoder that is described as shared.
- **probe**: in train mode, feed the same example through both branches: outputs should agree.
  Compare per-branch input mean and spread at each shared BatchNorm.
- **refuted by**: in train mode identical inputs to both branches give identical outputs.

## How to fix
Pass both branches through in one call (one set of statistics), and use a norm without batch
state.
```python
z = encoder(torch.cat([a, b]))          # one batch, one set of statistics
za, zb = z.chunk(2)
```
For truly different domains give each its own BatchNorm (weights shared, norms apart), or
LayerNorm. Drop dropout in a metric-learning encoder, or put it in the head behind the comparison.
Recurrent "variational" dropout: draw the mask once per sequence and reuse it.

## Often mistaken for
- `train-mode-eval`: random outputs at evaluation because the mode was not switched.
- `norm-batch-of-one`: statistics too noisy, and not from two populations.
- `dropout-ignores-mode`: outputs still differ between two calls in eval mode.

## Sources
- ioffe-2015: section 3.1, that normalisation uses the statistics of the batch given and
  population averages at test time.
- gao-2021: section 3, two dropout masks on one sentence used deliberately as a positive pair.
- srivastava-2014: section 4, a fresh mask for every presentation of a case.
"""
