"""The training set is too small for the task; more data of the same kind would help.

## What happens
Nothing is broken. The model fits its training set and has not seen enough to know what else is out
there. The tell is a learning curve that still rises at its right end. Digits, one small network,
30 epochs, test accuracy against training examples:

| examples | 50 | 100 | 200 | 400 | 800 | 1400 |
|---|---|---|---|---|---|---|
| test accuracy | 76% | 84% | 91% | 94% | 95.5% | 96.3% |

Training accuracy was 98.7% or more in every column, so it says nothing. Each doubling bought
less: 8 points, then 6, 3, 2, 1. That is the typical shape, and it lets you estimate what the next
doubling is worth before anybody labels it.

People reach for this cause too early, because it excuses the code. Buying data is slow. Rule out
shuffled labels, damaged inputs and a mismatch between splits first: they look the same in a summary
table and no amount of data cures them.

## How to tell
- **experiment**: train on a quarter, half and all of the examples, a few seeds each, same held-out
  set and same number of optimizer steps. Held-out loss still falling from half to all: more
  will help. The held-out gain should exceed the spread between seeds.
- **refuted by**: half of the data gives the same held-out score as all of it.

## How to fix
In rising order of cost: pretrained features, augmentation that a person would accept, a smaller or
more regular model, weak or self-supervised labels, then labels for the kind of example it gets
wrong.

```python
for share in (0.25, 0.5, 1.0):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        idx = rng.permutation(len(train))[: int(share * len(train))]
        print(share, seed, fit_and_score(train.iloc[idx], valid, seed=seed))
```

If training error itself is high, more data cannot help; find out why it does not fit. If the curve
is flat, spend on better features or cleaner labels instead.

## Often mistaken for
- `overfitting`: the same gap, seen over time; regularisation or an earlier stop may close it with
  the data you have.
- `labels-misaligned`: half and all of the data are equally bad.
- `unstratified-split`: enough data overall, but the rare classes were starved.

## Sources
- goodfellow-2016-ch11: section 11.3, when to gather more data and how to extrapolate from training
  set size.
- ivanov-2017: part I, item 9, whether there are enough training examples.
"""

PREDICTS = {"noise-inputs": "even", "other-seed": "usually"}
