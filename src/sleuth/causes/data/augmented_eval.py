"""Random augmentation is still active on the evaluation set.

## What happens
The score is too low and it wobbles. A digit classifier trained with one-pixel shifts scored 92.2%
on the plain test set. On the randomly shifted one, eight evaluations of the very same weights gave
88.2 to 91.7%. Early stopping and "best checkpoint" then select luck, and a one-point improvement
of your method drowns.

The usual birth is one data set object shared by both splits:

```python
full = ImageFolder(root, transform=train_tf)         # with RandomResizedCrop, ColorJitter
train, val = random_split(full, [0.8, 0.2])          # val inherits train_tf
```

`random_split` and `Subset` only hold indices, so both halves see the same `transform`. Setting
`val.dataset.transform = eval_tf` afterwards switches it off for training too: it is the same
object. Other places: noise or token masking written into the model's `forward` without asking
`self.training`, mixup in a shared `collate_fn`, random crops of audio at test time.

Curves can look upside down: training and evaluation equally bad, or a large gap that disappears
when you run a separate inference script.

## How to tell
- **lint**: `Random*`, `ColorJitter`, `RandAugment` and the like in the transform of an evaluation
  set; one transform for both halves of `random_split`; `torch.rand*` in `forward` with no check of
  `self.training`.
- **watch**: the same evaluation example arrives with different values in two passes; the metric
  changes between two evaluations without a training step in between.
- **refuted by**: evaluating twice with unchanged weights gives identical numbers.

## How to fix
Two data set objects over the same files, one split of the indices.

```python
train_ds, eval_ds = ImageFolder(root, train_tf), ImageFolder(root, eval_tf)
order = torch.randperm(len(train_ds), generator=torch.Generator().manual_seed(0)).tolist()
cut = int(0.8 * len(order))
train, val = Subset(train_ds, order[:cut]), Subset(eval_ds, order[cut:])
```

Test-time augmentation, which averages the predictions over several views, and robustness benchmarks
with fixed corruptions are deliberate and fine.

## Often mistaken for
- `dropout-ignores-mode`: the inputs repeat exactly and the *model* is random in eval mode.
- `preprocessing-mismatch`: a fixed difference; two evaluations agree with each other.
- `train-mode-eval`: inputs repeat, and dropout or batch statistics are active.

## Sources
- goodfellow-2016-ch7: section 7.4, augmentation as a way to make more *training* examples.
- pytorch-data: `Subset` and `random_split`, which refer to one underlying data set by index.
"""
