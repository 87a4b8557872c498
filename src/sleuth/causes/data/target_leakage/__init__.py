"""The target, or something computed from it, is among the inputs.

## What happens
It works far too well. Accuracy may jump to 99% in the first epoch, a linear model matches the deep
one, and in production it falls to chance, because there the leaking column is empty or filled
later.

The plain form is `df.drop(columns=...)` that forgot the target or a twin of it (`price` beside
`log_price`). The common form is time: `days_in_hospital` predicts the admission diagnosis, a refund
date predicts the complaint, an account is closed because it was fraudulent. In sequences the
window includes the step it should predict. In images it is the ruler beside the malignant moles, or
a hospital's tag in the corner. Row ids leak as well if the file was written class by class. Target
encoding computed with the row's own label is a softer version.

```python
X = df.drop(columns=["id"])        # "defaulted" is still in X
y = df["defaulted"]
```

One warning against over-trusting correlation tests: a class *index* among 63 noise columns gave a
small network only 43% test accuracy in ten epochs, since the relation is not linear. One-hot, it
gave 100%. A leak may be present and not yet found by your model.

## How to tell
- **lint**: a moving average over the target's own column, or its change since an earlier row, ends
  with the row it stands in, beside columns that take earlier rows; lags of the target that are counted
  from zero; or a label that is cut out of one
  column (`df["late"] = df["days"] > 90`), which stays in the table when only the label is dropped.
- **probe**: one input column has a correlation of 0.999 or more with the target, or with
  belonging to one class, over the examples of the loader (of the batch, without one).
- **experiment**: replace the suspected column by a random permutation of itself. If the held-out
  score collapses while all other columns are intact, that column carried it.
- **refuted by**: the score stays when the most influential feature is permuted.

## How to fix
Ask of every column: is this value known, in this form, at the moment of prediction? Build the
feature table from records up to that moment, and name the inputs instead of the exclusions.

```python
FEATURES = ["amount", "country", "hour"]     # an allow list
X, y = df[FEATURES], df["defaulted"]
```

Past values of the target are legitimate features in forecasting, and teacher forcing feeds the
previous target on purpose. A strong, honest feature is not a leak: the clock decides.

## Often mistaken for
- `split-overlap`: whole examples are shared; each column alone is fine.
- `fit-on-all-data`: only statistics cross over, so the gain is usually small.
- `causal-leak`: inputs are right and the model lets a position see its own future.

## Sources
- kaufman-2012: the definition of leakage through legitimate and illegitimate features, and the
  "no-time-machine" requirement.
- kapoor-2023: taxonomy, category L2, features that are not legitimate for the task.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.causes.data.target_leakage.lags import centred_windows, lags_of_nothing, open_windows
from sleuth.finding import Evidence, Where
from sleuth.source.program import Program, spot

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement

ANSWERS = "validation"
LOOKS_LIKE = {"good in training, bad in validation": "rarely"}
NEEDS = "rolling expanding ewm diff( pct_change .drop( .shift("
COPY = 0.999  # correlation; measurements of one thing rarely agree that well, copies always do


def lint(program: Program) -> Iterator[Evidence]:
    """A moving average or a change of the very column that is predicted: up to the row it stands in, or
    beyond it; or the column that the label was cut out of."""
    yield from _cut_out(program)
    for source in program.sources:
        for window in open_windows(source, program.sources):
            yield Evidence(
                f"This {window.what} `{window.column}` includes the row itself, and `{window.column}` of "
                f"that row is the target (line {window.target_line}): the target is among the inputs.",
                telling="proven",
                where=spot(window.node, source),
                fix=f'Use earlier rows only: `["{window.column}"].shift(1).{window.method}(...)`.',
            )
        for lag in lags_of_nothing(source, program.sources):
            yield Evidence(
                f"The lags of `{lag.column}` start at 0, and `shift(0)` is the row's own `{lag.column}`, "
                f"which is the target (line {lag.target_line}): the target is among the inputs.",
                telling="proven",
                where=spot(lag.node, source),
                fix="Start the lags at 1: `for k in range(1, n + 1)`.",
            )
        for window in centred_windows(source):
            yield Evidence(
                f"This window over `{window.column}` is centred: half of it lies in the future, which is "
                f"the target (line {window.target_line}), so the target is among the inputs.",
                telling="proven",
                where=spot(window.node, source),
                fix="Remove `center=True`: the window then ends with the row itself.",
            )


def _cut_out(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.data.target_leakage.cut_targets import cut_targets

    for source in program.sources:
        for cut in cut_targets(source):
            yield Evidence(
                f"`{cut.target}` is computed from `{cut.column}` on line {cut.node.lineno}, and "
                f"`{cut.column}` is still among the inputs: one comparison gives the target.",
                telling="proven",
                where=spot(cut.inputs, source),
                fix=f"Drop `{cut.column}` together with `{cut.target}`.",
            )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    found = bench.copies
    if found.correlation < COPY:
        return
    what = "whether an example belongs to one class" if found.of_class else "the target"
    kind = "rank correlation" if found.in_order else "correlation"
    yield Evidence(
        f"Input column {found.column} has a {kind} of {found.correlation:.4f} with {what} over "
        f"{found.rows} examples: the target is among the inputs, and will be missing when the model is "
        "used.",
        telling="proven",
        numbers={"column": found.column, "correlation": found.correlation, "rows": found.rows},
        fix="Remove columns that are only known after the fact; for time series, check that the window "
        "ends before the target.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import behind, of_inputs

    return behind(of_inputs(finding, scene), finding, _drops_columns, scene)


_FEATURES = re.compile(r"(self\.)?(x|xs|features?|feats|inputs?|table|frame)(_\w+)?", re.IGNORECASE)


def _drops_columns(statement: "Statement") -> int | None:
    """Where a table loses the columns that the model must not see."""
    drops = re.search(r"\.drop\(", statement.text) and "axis=0" not in statement.text
    return 0 if drops and _FEATURES.fullmatch(statement.targets) else None
