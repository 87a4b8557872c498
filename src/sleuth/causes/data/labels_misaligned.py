"""The labels do not belong to their inputs: shuffled, shifted, or sorted separately.

## What happens
Two lists were in step, and then only one of them was sorted, filtered, shuffled or shifted. No
shape changes, no range changes, class frequencies stay exactly right. The first loss is perfect
(ln 10 = 2.30 for ten classes), which rules out many other causes and lulls you.

```python
x = x[torch.randperm(len(x))]                 # y keeps the old order
images = sorted(glob("img/*.png"))            # img10 before img2
labels = pd.read_csv("labels.csv")["label"]   # in the order of acquisition
```

Other births: `dropna()` on the features alone, a window whose target is off by one, flipping an
image without flipping its boxes, a merge that changes the row order, predictions gathered from
workers in order of arrival. On 8x8 digits, labels shifted by one row gave 7% test accuracy after
ten epochs; with 100 epochs a network memorised 81% of fully shuffled labels and scored 10% on test.

Partial damage is the common kind and has a telling sign: with a fifth of the labels shuffled,
training accuracy stayed at 78% while a clean test set scored 92%. Evaluation above training, with
no dropout or augmentation to explain it, suggests that part of the training labels is wrong.

## How to tell
- **lint**: `sort`, `shuffle`, `sample`, `dropna`, boolean filter or `permutation` applied to one
  half of a pair; two separate `glob` or `listdir` calls zipped together.
- **probe**: near neighbours in input space agree on the label no more often than chance.
- **experiment**: shuffled-labels. If the run learns just as fast, and generalises just as badly,
  with labels shuffled on purpose, they were as good as shuffled before.
- **refuted by**: ten random pairs shown to a person, all correct, taken right before the model.

## How to fix
Never keep pairs in two containers; index both with one permutation, or join on a key.

```python
order = torch.randperm(len(x))
x, y = x[order], y[order]
frame = images.merge(labels, on="image_id", validate="one_to_one")
```

## Often mistaken for
- `input-destroyed`: a person cannot name the class from the input; here they can, and disagree.
- `lr-too-low`: ten times the rate helps there; here it only memorises faster.
- `overfitting`: held-out loss improves at first; with shuffled labels it never does.

## Sources
- karpathy-2019: the introduction on silent failures (labels not flipped along with the image) and
  "visualize just before the net".
- zhang-2017: section 2, training error reaches zero on randomly labelled data.
- ivanov-2017: part I, item 4, checking some samples for their labels and shuffling both sides
  alike.
"""
