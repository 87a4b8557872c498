"""Data with a time order was split at random, so the model is tested between known points.

## What happens
Forecasting became interpolation. When yesterday and tomorrow are in the training set, today is
easy: copy the neighbour. Five random walks that have nothing to do with a sixth one "explain" it
with an R-squared of 0.96 (random forest, 1000 steps, random 20% test; median of 20 series).
Trained on the first 800 steps and tested on the last 200, the same model has -4.0, worse than a
constant.

`train_test_split` shuffles by default, and `KFold(shuffle=True)` is habit. Sliding windows make it
worse: windows of length 50 that start one step apart share 49 of 50 values, so almost every test
window has a near twin in training. Besides the score, every choice made with it (features, lags,
depth) drifts towards what interpolates well.

```python
windows = [series[i:i + 50] for i in range(len(series) - 50)]
train, test = train_test_split(windows, test_size=0.2)      # shuffled
```

## How to tell
- **lint**: a shuffling splitter (`train_test_split` without `shuffle=False`, `KFold(shuffle=True)`,
  `random_split`, `ShuffleSplit`) on data that was parsed with dates, sorted by time, lagged,
  `shift`ed, resampled or cut into windows.
- **refuted by**: the largest timestamp of the training set lies before the smallest of the test
  set.

## How to fix
Cut by time, and leave a gap at least as long as the window plus the forecast horizon.

```python
cut = int(0.8 * len(series))
train = make_windows(series[:cut])
test = make_windows(series[cut + horizon:])
folds = TimeSeriesSplit(n_splits=5, gap=window + horizon)
```

Cut first, make windows afterwards. Shuffling the *training* windows among themselves is fine, and
so is a random split when the time stamp is incidental: independent images that happen to have a
date. If you truly fill gaps in a recorded past (imputation), random is the right test. Many series
of different subjects: split by subject and by time.

## Often mistaken for
- `split-overlap`: exact or near copies; overlapping windows are both at once.
- `target-leakage`: a future value stands in the row itself, whatever the split.
- `unshuffled-training`: the reverse worry, about order within training.

## Sources
- sklearn-cv: "Cross validation of time series data", why neighbouring samples break the
  independence that shuffled splits assume, and TimeSeriesSplit.
- kapoor-2023: taxonomy, L3.1 temporal leakage.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.source.edits import Edits, keyword_set
from sleuth.source.interpreter.values import Call
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import line
from sleuth.source.topics.row_order import in_time, is_shuffled
from sleuth.source.topics.splits import TRAIN_TEST_SPLIT, splits_of

# Splitters that keep a subject's or a period's rows together, by design.
KEEPS_TOGETHER = frozenset({"GroupShuffleSplit", "GroupKFold", "StratifiedGroupKFold", "LeaveOneGroupOut"})

NEEDS = "date time Date Time lag shift( rolling window Window diff( year month day seq series price range("


def _in_order(call: Call) -> Edits:
    """`shuffle=False` for what knows it. Not safe: a gap between the parts may be needed, too."""
    folds = call.op.endswith(".KFold") and "random_state" not in call.keywords
    shuffles = call.op in TRAIN_TEST_SPLIT or folds
    return keyword_set(call, "shuffle", "False") if shuffles and "stratify" not in call.keywords else ()


def lint(program: Program) -> Iterator[Evidence]:
    splits = splits_of(program)
    for split in splits.found:
        if split.how in KEEPS_TOGETHER:
            continue
        for data in split.whole:
            mixed_before = split.how == "cut" and not splits.is_part(data) and is_shuffled(splits, data)
            if split.shuffled is not True and not mixed_before:
                continue
            seen = in_time(splits, data, split.call.order)
            if seen is None:
                continue
            certainty, evidence = seen
            yield clue(
                "proven" if certainty == "proven" else "likely",
                split.call,
                f"Rows that follow each other in time (line {line(evidence)}) are split at random: "
                "held-out rows lie between training rows that are almost the same, so the score is too "
                "high.",
                fix=(
                    "Split by time (`shuffle=False`, `TimeSeriesSplit`, an index), with a gap as long as "
                    "a window."
                ),
                edits=_in_order(split.call),
            )
            break
