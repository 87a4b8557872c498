"""Batch normalisation takes its statistics over one example, or so few that they are noise.

## What happens
With two examples, BatchNorm1d outputs +1 and -1 for every feature, whatever the inputs were: all
that remains is which of the two was larger. With one example `nn.BatchNorm1d` on (1, C) raises
("Expected more than 1 value per channel"), and so you may meet this only as a crash on the last,
incomplete batch of an epoch. Convolutions hide it: (1, C, H, W) has H*W values to average, no
error is raised, and each image is normalised by itself. Brightness and contrast are then erased:
x and 3x + 7 gave the same output.

In eval mode the layer switches to running averages, a different function from the one that was
trained. Training looks good, evaluation is bad, and it gets worse the smaller the batch.
Detection and segmentation with one or two images a device, gradient accumulation (which does not
enlarge the batch that BN sees), and per-device statistics in distributed runs are the usual
homes.

## How to tell
- **lint**: a BatchNorm in the model and `batch_size` of 1 to 4; `drop_last` absent with a data
  set size that leaves a remainder of 1.
- **probe**: values per channel behind each statistic (batch times positions) are few; train-mode
  and eval-mode outputs for the same batch differ strongly after warm running averages.
- **watch**: batch sizes in the record of 1 to 4; running mean and variance jump from step to step
  instead of settling.
- **refuted by**: the model holds no batch-statistics layer, or each sees 16 or more examples in a
  step.

## How to fix
Use a normalisation that does not look at the batch, or make sure that there is one.
```python
norm = nn.GroupNorm(num_groups=8, num_channels=64)     # per example
loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # statistics across processes
```
For fine-tuning with tiny batches keep pretrained BN layers in eval mode: call `.eval()` on them
after each `model.train()`. Prediction with batch size 1 in eval mode is no problem at all.

## Often mistaken for
- `train-mode-eval`: evaluation with one example in train mode shows the same numbers;
  `model.eval()` was forgotten.
- `preprocessing-mismatch`: train and test differ in the *inputs*; feed a training batch in eval
  mode to separate the two.
- `batch-too-small`: noisy gradients without any batch statistics.

## Sources
- ioffe-2015: section 3.1, statistics of the batch in training and of the population at inference.
- wu-2018: abstract and section 4.1, error of batch normalisation growing as the batch shrinks,
  and an alternative.
- pytorch-batchnorm: how running estimates are kept and used in evaluation.
"""
