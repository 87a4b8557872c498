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
  will help. The held-out gain should exceed the differences between seeds.
- **watch**: a training set of a few dozen rows, or of a fifth of those held out, that is memorised,
  while the held-out loss stays ten times as high and no longer falls, or one in four new
  rows and more is predicted wrongly and that no longer changes.
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

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.places.origins import where_number_written
from sleuth.record import curves
from sleuth.record.held_out import KNOWN, HeldOut, held_out
from sleuth.record.questions import at, courses, evaluations, needed, training_loader

if TYPE_CHECKING:
    from sleuth.record.entries import Evaluation, Record

LOOKS_LIKE = {"good in training, bad in validation": "even"}
PREDICTS = {"noise-inputs": "even", "other-seed": "usually"}

FEW = 100  # rows: in the table of the page each doubling below buys five points and more
FEWER = 5  # times as many rows held out as trained on: who has so many to spare trains on them
WEAK = 0.9  # share right on them; above it, what is left to gain is little
FEWEST = 3  # evaluations
BY_HEART = 0.9  # of the training loss is gone
APART = 10.0  # held-out loss over training loss at the end
NO_LOSS = 0.1  # nats a row: nineteen of twenty training rows are right
HALF_RIGHT = 0.75  # share right on new rows: beyond it, a small set has done its work
GROWS = 0.03  # of the share: more than its noise
AGAIN = 5.0  # rows served over different rows: several epochs


def watch(record: "Record") -> Iterator[Evidence]:
    measured = [seen for seen in held_out(record) if len(seen.losses) >= FEWEST]
    judged = [passes for passes in evaluations(record).values() if len(_shares(passes)) >= FEWEST]
    needed([*measured, *judged], "held-out losses or accuracies")
    rows = _training_rows(record)
    if rows is None or not (rows <= FEW or _spared(record, rows)):
        return
    train = [loss for course in courses(record)[:1] for loss in course.finite_losses]
    left = next((seen for seen in measured if _left_behind(seen, train)), None)
    stands = next((passes for passes in judged if _stands_still(_shares(passes), train)), None)
    if left is not None:
        last, where = curves.end(left.losses), left.where
        seen = f"the held-out loss is {last:.3g} and no longer falls"
    elif stands is not None:
        last, where = _shares(stands)[-1], at(stands[0])
        seen = f"held-out accuracy is {last:.3g} and no longer rises"
    else:
        return
    loader = training_loader(record)
    yield Evidence(
        f"The training set holds {rows} rows. The model has memorised them (loss {curves.end(train):.2g}) "
        f"and {seen}: so few rows have nothing more to teach.",
        telling="likely",
        where=where_number_written(record, rows, _WORDS) or (at(loader) if loader else where),
        numbers={"rows": rows, "held_out": last, "training": curves.end(train)},
        fix="Train on more rows of the same kind; until then use fewer parameters, augmentation, or "
        "features of a pretrained model.",
    )


def _spared(record: "Record", rows: int) -> bool:
    """Many more rows are kept for an examination that does not go well."""
    from sleuth.record.entries import Evaluation

    passes = [seen for seen in record.of(Evaluation) if not seen.training and not seen.seen_in_training]
    return any(seen.rows >= FEWER * rows and (seen.correct or 0.0) < WEAK for seen in passes)


# What stands beside the size of a training set where somebody wrote it down.
_WORDS = r"^(?!.*batch).*(train|sampl|n_|num|rows|count|limit|subset|range\(|\[:)"


def _training_rows(record: "Record") -> int | None:
    """Different rows the model was trained on, where it went over them several times."""
    from sleuth.record.entries import Evaluation

    counted = [seen.training_rows for seen in record.of(Evaluation) if seen.training_rows]
    served = sum(step.rows or 0 for step in record.steps)
    return counted[-1] if counted and served >= AGAIN * counted[-1] else None


def _left_behind(seen: HeldOut, train: list[float]) -> bool:
    losses = curves.finite(seen.losses)
    if len(losses) < FEWEST or not train or curves.fallen(train) < BY_HEART:
        return False
    later = losses[len(losses) // 2 :]
    return min(later) > APART * abs(curves.end(train)) and later[-1] > 0.95 * losses[len(losses) // 2]


def _shares(passes: "list[Evaluation]") -> list[float]:
    """Right answers on rows that were not trained on, pass by pass."""
    new = [seen for seen in passes if not seen.training and (seen.seen_in_training or 0.0) <= KNOWN]
    return [seen.correct for seen in new if seen.correct is not None]


def _stands_still(shares: list[float], train: list[float]) -> bool:
    """Hardly any training loss is left, and the answers to new rows are wrong as often as before."""
    if not train or curves.fallen(train) < BY_HEART or curves.end(train) > NO_LOSS:
        return False
    half = len(shares) // 2
    return max(shares) < HALF_RIGHT and max(shares[half:]) < max(shares[:half]) + GROWS
