"""A scaler, imputer or feature selector was fitted before the split or on test data.

## What happens
How bad it is depends on what was fitted. A StandardScaler that saw the test rows barely moves
a mean, and you will hardly find the difference in the score. A step that looks at the
labels is another matter. On 200 rows of pure noise with 5000 columns and random labels, choosing
the 20 "best" columns first and cross-validating afterwards gave 80% accuracy (74 to 85% over ten
draws). The same two steps inside a pipeline gave 49%, the truth.

```python
X = SelectKBest(k=20).fit_transform(X, y)             # has seen every label
print(cross_val_score(LogisticRegression(), X, y))    # 0.80 on noise
```

Target encoding, supervised dimension reduction and oversampling with synthetic neighbours belong to
the same dangerous class. A second form hides in the test path: `scaler.fit_transform(X_test)`. It
does not leak into training, but gives each split its own ruler, and a single-row request in
production would be standardised to zero.

## How to tell
- **lint**: `fit` or `fit_transform` on data that is split later; `fit_transform` called on
  something named test or valid; a transformer outside the pipeline given to cross-validation.
- **probe**: the training features have mean 0 and spread 1 only when the test rows are added; alone
  they are off by more than rounding.
- **refuted by**: every `fit` receives rows of the training split only.

## How to fix
Split first. Then let a pipeline decide who sees what.

```python
model = make_pipeline(SelectKBest(k=20), StandardScaler(), LogisticRegression())
scores = cross_val_score(model, X, y, cv=5)           # refitted in every fold
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
```

Not a fault: fixed constants (dividing by 255, published image means), a tokenizer trained on other
text, a label encoder that only numbers the class names, and refitting on everything for the model
you ship once evaluation is over.

## Often mistaken for
- `target-leakage`: the answer is in a column and stays there after a clean split.
- `preprocessing-mismatch`: here the test set got its own fit; the general case is any difference.
- `split-overlap`: rows are shared, not statistics.

## Sources
- sklearn-pitfalls: "Data leakage during pre-processing", with feature selection on random data.
- kapoor-2023: taxonomy, L1.2 and L1.3, joint preprocessing and joint feature selection.
- roth-2026: abstract, unsupervised fitting on all data changes scores very little compared with
  other kinds of leakage.
"""
