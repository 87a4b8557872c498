"""A split starves rare classes, or yields parts that differ in kind.

## What happens
A random fifth of 1000 rows contains none of a class with five members in one case out of three
(33%). The metric of that class is then undefined, silently 0, or left out of the average, depending
on the library. Mirror image: the training part gets none and the model can never answer it.

The extreme case needs no rarity. `KFold` does not shuffle, and many files are sorted by class:

```python
X, y = load_iris(return_X_y=True)                     # sorted: 50, 50, 50
cross_val_score(model, X, y, cv=KFold(3))             # [0. 0. 0.]
cross_val_score(model, X, y, cv=3)                    # [0.98 0.96 0.98], stratified
```

Each fold is tested on the one class that training never saw. Slices such as `X[:800]`, `X[800:]`
and `Subset(ds, range(...))` do the same. Differences in kind are subtler: one hospital, camera or
season in training and another one in the test. Then the score answers a question you did not ask.

## How to tell
- **lint**: `train_test_split` on class labels without `stratify`, `KFold` instead of
  `StratifiedKFold` for a classifier, or a split by slicing data that was never shuffled.
- **probe**: class shares of the splits differ by more than chance, or a class is missing from one;
  a small classifier told to separate training from test rows succeeds (AUC far from 0.5).
- **refuted by**: class counts in both parts follow the overall shares, and no class is below what
  its metric needs (some tens of examples).

## How to fix
```python
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
folds = StratifiedGroupKFold(n_splits=5)              # groups must stay together as well
```

`stratify` refuses a class with a single member: merge it, collect more, or drop it knowingly. For
regression, stratify on quantile bins of the target. Do not stratify across time: a chronological
split with drifting class shares is honest. Testing on another hospital on purpose is a fine
experiment, only report it as such.

## Often mistaken for
- `class-imbalance`: the shares are equal in both parts; the loss neglects the rare class.
- `shuffled-time-split`: there the cure is less shuffling, not more.
- `overfitting`: the gap closes with a stratified split, without touching the model.

## Sources
- sklearn-cv: the part on stratified iterators and "A note on shuffling".
- kapoor-2023: taxonomy, L3, test sets that are not drawn from the distribution of interest.
"""
