"""The reported average is computed with wrong weights, a wrong divisor or a stale counter.

## What happens
The model may be fine; the number is wrong. Averaging batch means gives every batch the same
weight, and the last batch is short. With 1025 examples and batch size 256 the fifth batch holds
one example and counts for 20% of the mean. If the full batches are 90% right and that one example
is wrong, you report 72% instead of 89.9%. The error jumps between runs as the lone example
changes.

Other ways to the same place: a *mean* loss summed and divided by `len(dataset)`, too small by the
batch size; correct predictions divided by `len(loader)`; a running total that is not set to zero
at the epoch's start, so the curve is an average over the whole past and lags behind; a counter
that also counts padding; per-batch F1, AUC, BLEU or R2 averaged as if they were means, which they
are not. Under distributed training each rank reports its own shard.

```python
total = 0.0
for x, y in val_loader:
    total += criterion(model(x), y).item()      # a mean over this batch
val_loss = total / len(val_loader.dataset)      # divided by the number of examples
```

## How to tell
- **lint**: `.item()` of a mean-reduced loss is summed without a factor of the batch size and
  divided by a dataset length; a count of hits divided by a number of batches; an accumulator
  created outside the epoch loop and never reset; a meter that resets its sum and not its count, or
  is created once and never reset; a ratio metric averaged over batches; a sum over rows divided by
  batches times a full batch, which is wrong where the last one is smaller (a run tells).
- **watch**: the reported value differs from the average weighted by batch size in the record;
  reported and batch values differ by a factor of about the batch size; the first epoch of a curve
  agrees and later ones lag.
- **refuted by**: the metric computed once over all predictions and labels concatenated equals the
  reported one.

## How to fix
```python
total, n = 0.0, 0
for x, y in val_loader:
    total += criterion(model(x), y).item() * len(y)
    n += len(y)
val_loss = total / n
```
For anything that is not a plain mean, collect predictions and compute it once at the end. If all
batches have one size (`drop_last=True`), the mean of means is exact: leave it. An exponential
average on a progress bar is a display, not a result.

## Often mistaken for
- `loss-metric-mismatch`: there the metric of a single batch is wrong; here right batch values are
  combined wrongly.
- `train-mode-eval`: also a validation number that is off, but it changes when evaluated twice.
- `wrong-reduction`: affects the gradient; this one affects the report only.

## Sources
- sklearn-cross-val-predict: description; a pooled score and an average of group scores agree only
  for groups of equal size and a metric that is a mean over samples.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sleuth.causes.training.metric_accumulation_bug.averages import (
    LOADER,
    counter,
    counts_hits,
    full_batches_of,
    handed_criterion,
    is_mean_of_hits,
    mean_loss,
    one_by_one,
    rows_counted_by,
    sums_over_rows,
    unit_of,
    weighted_loss,
)
from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import needed
from sleuth.source.edits import Edits
from sleuth.source.flow import ancestry, literal, number, possible
from sleuth.source.interpreter.values import Call, Carried, Constant, Loop, Unknown, Value
from sleuth.source.parsed_file import walked
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.modes import base, identity, inside
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Metric, Record

LOOKS_LIKE = {"metric apart from loss": "even"}


# Ratios: their mean over batches is not their value over the whole set.
_RATIOS = Pattern(
    r"^sklearn\.metrics\.(f1_score|fbeta_score|roc_auc_score|average_precision_score|precision_score|recall_score"
    r"|r2_score|matthews_corrcoef|cohen_kappa_score|balanced_accuracy_score)$"
)

NEEDS = "+= append sum( mean("
LOADER_LINE = "loader_line"  # among a finding's marks: whose batches are taken for full ones


def lint(program: Program) -> Iterator[Evidence]:
    for division in program.calls("/", "/="):
        if len(division.args) != 2:
            continue
        total, divisor = division.args
        for added in _increments(total):
            yield from _wrong_unit(program, division, added, divisor)
            yield from _full_batches(division, added, divisor)
        yield from _never_reset(division, total, divisor)
        yield from _overwritten(division, total, divisor)
    yield from _averaged_ratios(program)
    if program.holds("def reset", "def clear", "def restart", "def zero", "epoch_start", "start_epoch"):
        yield from _half_reset(program)
        yield from _reset_by_nobody(program)


def _reset_by_nobody(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.training.metric_accumulation_bug.meters import never_reset

    for found in never_reset(program):
        yield clue(
            "proven",
            Value(found.call, found.source),
            f"`{found.cls}` is created once and updated here at every call, but its `{found.reset}` is "
            "never called: each result includes all earlier ones.",
            fix=f"Call `{found.reset}()` before the loop over the batches, or create a `{found.cls}` there.",
        )


def _half_reset(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.training.metric_accumulation_bug.meters import half_reset

    for found in half_reset(program):
        yield clue(
            "proven",
            Value(found.method.body[-1], found.source),
            f"`{found.method.name}` resets `self.{found.cleared}` but not `self.{found.kept}`, the other "
            "part of the quotient: from the second epoch on the average mixes epochs.",
            fix=f"Reset `self.{found.kept}` as well.",
        )


def _increments(total: Value) -> Iterator[Call]:
    """The `total += x` that a quantity was gathered with in a loop (seen through `100 * total`)."""
    queue = list(possible(total))
    for _ in range(40):
        if not queue:
            return
        here = queue.pop(0)
        if isinstance(here, Call) and here.op == "+=" and here.context.loops:
            yield here
        elif isinstance(here, Call) and here.op in ("*", "builtins.float", ".item", ".float", ".double"):
            given = (here.receiver, *here.args) if here.receiver is not None else here.args
            queue += [option for part in given for option in possible(part)]


def _overwritten(division: Call, total: Value, divisor: Value) -> Iterator[Evidence]:
    """`correct = hits` where `correct += hits` was meant: the last batch, divided by the whole set."""
    for hits in _counted_in_a_loop(total):
        loop = hits.context.loops[-1]
        if inside(division.context, loop) or not _counts_all_of(loop, divisor) or _may_be_one_batch(loop):
            continue
        yield clue(
            "likely",
            hits,
            f"Each batch overwrites this count of correct predictions: line {spot(division).line} divides "
            "the count of the last batch by the size of the whole set.",
            fix="Add them up: `+=` instead of `=`.",
        )


def _counted_in_a_loop(total: Value) -> Iterator[Call]:
    """Right answers, counted in a loop and added to nothing (seen through `100 * correct`)."""
    queue = list(possible(total))
    for _ in range(20):
        if not queue:
            return
        here = queue.pop(0)
        if not isinstance(here, Call):
            continue
        if here.context.loops and counts_hits(here):
            yield here
        elif here.op in ("*", "builtins.float", ".item"):
            given = (here.receiver, *here.args) if here.receiver is not None else here.args
            queue += [option for part in given for option in possible(part)]


def _counts_all_of(loop: Loop, divisor: Value) -> bool:
    """The size of what a loop passes over: `len(loader.dataset)`, or counted up batch by batch."""
    over = identity(base(loop.over))
    for option in possible(divisor):
        if not isinstance(option, Call):
            continue
        if option.op == "+=" and counter(option) == "examples" and option.context.loops[-1:] == (loop,):
            return True
        if option.op == "builtins.len" and option.args:
            held = option.args[0]
            if isinstance(held, Call) and held.op == "@dataset" and identity(base(held.receiver)) == over:
                return True
    return False


ALL_AT_ONCE = 1000  # rows in a batch from which a loader may well serve its whole set in one


def _may_be_one_batch(loop: Loop) -> bool:
    """Left after a batch, or served all at once: then the last batch is the whole."""
    if any(isinstance(node, ast.Break | ast.Return) for node in walked(loop.node)):
        return True
    sizes = [
        value.argument(1, "batch_size")
        for value in ancestry(loop.over, 30)
        if isinstance(value, Call) and value.op == LOADER
    ]
    return any(size is not None and (number(size) or ALL_AT_ONCE) >= ALL_AT_ONCE for size in sizes)


def _wrong_unit(program: Program, division: Call, added: Call, divisor: Value) -> Iterator[Evidence]:
    amount = added.args[1]
    counted = unit_of(divisor) or rows_counted_by(added, divisor)
    if counted is None or one_by_one(added):
        return
    loss = mean_loss(amount)
    name = loss.name if loss is not None else handed_criterion(program, amount)
    if name and counted == "examples":
        yield clue(
            "proven" if loss is not None else "likely",
            division,
            f"Line {spot(added).line} adds up means over batches (`{name}`), and this divides by the "
            "number of examples: the reported value is too small by about the batch size.",
            fix="Multiply each batch's loss by its size before adding, or divide by the number of batches.",
            edits=_by_batches(division),
        )
    elif counted == "examples" and is_mean_of_hits(amount):
        yield clue(
            "proven",
            division,
            f"Line {spot(added).line} adds up accuracies of batches, and this divides by the number of "
            "examples: the reported value is too small by about the batch size.",
            fix="Divide by the number of batches, or add up the number of correct predictions.",
            edits=_by_batches(division),
        )
    elif counted == "batches" and (weighted := weighted_loss(amount)) is not None:
        yield clue(
            "proven",
            division,
            f"Line {spot(added).line} multiplies each batch's loss (`{weighted.name}`) by its size, and "
            "this divides by the number of batches: the reported value is too large by the batch size.",
            fix="Divide by the number of examples (`len(loader.dataset)`).",
            edits=_by_examples(division),
        )
    elif counted == "batches" and counts_hits(amount):
        yield clue(
            "proven",
            division,
            f"Line {spot(added).line} counts correct predictions, and this divides by the number of "
            "batches: the reported value is too large by the batch size.",
            fix="Divide by the number of examples (`len(loader.dataset)`).",
            edits=_by_examples(division),
        )


def _full_batches(division: Call, added: Call, divisor: Value) -> Iterator[Evidence]:
    """`hits / (len(loader) * batch_size)`: right only where the last batch is as full as the others."""
    loader = full_batches_of(divisor)
    if loader is None or not sums_over_rows(added.args[1]):
        return
    if literal(loader.keywords.get("drop_last")) is True:
        return
    yield replace(
        clue(
            "open",
            division,
            f"Line {spot(added).line} adds up over the actual rows, and this divides by the number of "
            f"batches of the loader on line {spot(loader).line} times the full batch size: if the last "
            "batch is smaller, the reported value is too small.",
            fix="Divide by the number of rows that were counted (`len(loader.dataset)`).",
        ),
        marks={LOADER_LINE: spot(loader).line or 0},
    )


def _by_batches(division: Call) -> Edits:
    """`/ len(loader.dataset)` → `/ len(loader)`. Not safe: a last, smaller batch counts like the others."""
    length = _length_below(division)
    data = length.args[0] if length is not None else None
    if not isinstance(data, ast.Attribute) or data.attr != "dataset":
        return ()
    return rewrite(data, division.source, ast.unparse(data.value), safe=False)


def _by_examples(division: Call) -> Edits:
    """`/ len(loader)` → `/ len(loader.dataset)`. Not safe: the loader may drop the last batch."""
    length = _length_below(division)
    if length is None:
        return ()
    return rewrite(length, division.source, f"len({ast.unparse(length.args[0])}.dataset)", safe=False)


def _length_below(division: Call) -> ast.Call | None:
    """The `len(...)` that a division has below the line."""
    node = division.node
    below = node.right if isinstance(node, ast.BinOp) else getattr(node, "value", None)
    is_length = isinstance(below, ast.Call) and isinstance(below.func, ast.Name) and below.func.id == "len"
    return below if isinstance(below, ast.Call) and is_length and len(below.args) == 1 else None


def _never_reset(division: Call, total: Value, divisor: Value) -> Iterator[Evidence]:
    """Gathered over batches, reported once an epoch, and never set back to zero."""
    one_epoch = isinstance(divisor, Call) and divisor.op == "builtins.len" and unit_of(divisor) is not None
    for added in _increments(total):
        outer = _total_of_all_turns(added, division)
        if outer is None:
            continue
        if one_epoch:
            yield clue(
                "proven",
                division,
                f"The total of line {spot(added).line} is never reset, and this divides it by the size of "
                "one epoch: from the second epoch on the reported value is too large.",
                fix="Set the total to zero at the start of each epoch.",
            )
        elif counts_hits(added.args[1]) or (not added.context.grad and _judges(added.args[1])):
            counters = [count for count in _increments(divisor) if _total_of_all_turns(count, division)]
            if counters and _same_data_each_turn(added):
                yield clue(
                    "proven",
                    division,
                    f"Neither the total of line {spot(added).line} nor the count of line "
                    f"{spot(counters[0]).line} is reset: from the second epoch on the average includes "
                    "earlier epochs, with worse weights.",
                    fix="Set both to zero at the start of each epoch.",
                )


def _total_of_all_turns(added: Call, division: Call) -> Carried | None:
    """The sum as it enters an outer loop around batches and division, where that loop only lets it grow."""
    carried = added.args[0]
    if len(added.context.loops) < 2 or not isinstance(carried, Carried):
        return None
    outer = carried.initial
    if not isinstance(outer, Carried) or outer.loop is carried.loop or outer.initial is None:
        return None
    if not any(loop is outer.loop for loop in division.context.loops):
        return None
    if number(outer.initial) == 0 and outer.final is not None and _only_grows(outer.final, added):
        return outer
    return None


def _judges(amount: Value) -> bool:
    return mean_loss(amount) is not None or weighted_loss(amount) is not None


def _same_data_each_turn(added: Call) -> bool:
    """The inner loop runs over the same thing in each turn of the outer one: epochs, not folds or parts."""
    *outer, inner = added.context.loops
    turns = {id(loop.node) for loop in outer}
    if any(
        isinstance(value, Call) and value.op == "next" and id(value.node) in turns
        for value in ancestry(inner.over, 60)
    ):
        return False
    data = base(inner.over)
    return not isinstance(data, Call) or not any(inside(data.context, loop) for loop in outer)


def _only_grows(final: Value, added: Call) -> bool:
    return all(option is added or (isinstance(option, Constant) and False) for option in possible(final)) or (
        final is added
    )


def _averaged_ratios(program: Program) -> Iterator[Evidence]:
    for metric in program.trace:
        if (
            not metric.op.startswith("sklearn.metrics.")
            or not _RATIOS.match(metric.op)
            or not metric.context.loops
        ):
            continue
        if _counts_batches(metric.context.loops[-1].over) and _gathered(program, metric):
            yield clue(
                "likely",
                metric,
                f"`{metric.op.rpartition('.')[2]}` is a ratio: its average over batches is not its value "
                "over the whole set.",
                fix="Collect predictions and labels and compute it once at the end.",
            )


def _counts_batches(over: Value | None) -> bool:
    return any(
        (isinstance(value, Call) and value.op == LOADER)
        or (isinstance(value, Unknown) and re.search(r"loader", value.name, re.IGNORECASE))
        for value in ancestry(over, 30)
    )


def _gathered(program: Program, metric: Call) -> bool:
    loop = metric.context.loops[-1]
    return any(
        any(part is metric for part in (*call.args, *(p for a in call.args for p in possible(a))))
        and any(here is loop for here in call.context.loops)
        for call in program.calls("+=", ".append")
    )


SAME = 0.01  # relative distance at which a reported number is "this one"
APART = 0.1


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Metric

    losses = {step.n: step.loss for step in record.steps if step.loss is not None}
    series: dict[tuple[str, int], list[Metric]] = {}
    for metric in record.of(Metric):
        if "loss" in metric.name.lower() and not any(
            word in metric.name.lower() for word in ("val", "test", "eval")
        ):
            series.setdefault((metric.name, metric.line), []).append(metric)
    needed(series, "printed or logged training loss")
    for (name, line), reports in series.items():
        since_start = _stale(reports, losses)
        if since_start is None:
            continue
        last = reports[-1]
        yield Evidence(
            f"The reported {name} ({last.value:.4g} at step {last.n}) is the average since the run began, "
            f"not of its epoch ({since_start:.4g}): the counter is never reset, so the curve lags behind.",
            telling="likely",
            where=Where(record.run.script or None, line) if line else None,
            numbers={"reported": last.value, "epoch": since_start},
            fix="Set the running sum and its counter to zero at the start of each epoch.",
        )


def _stale(reports: "list[Metric]", losses: dict[int, float]) -> float | None:
    """The last epoch's own mean, if all reports are averages since the start and clearly differ from it."""
    if len(reports) < 3 or len({report.n for report in reports}) < len(reports):
        return None
    own, whole = [], []
    for before, report in zip([None, *reports], reports, strict=False):
        begin = before.n if before is not None else 0
        epoch = curves.finite(losses.get(n) for n in range(begin, report.n))
        since = curves.finite(losses.get(n) for n in range(report.n))
        if not epoch or len(since) < 0.9 * report.n:
            return None
        own.append(sum(epoch) / len(epoch))
        whole.append(sum(since) / len(since))
    later = list(zip(reports, own, whole, strict=True))[1:]
    lags = all(abs(report.value - mean) <= SAME * abs(mean) for report, _, mean in later)
    differs = all(abs(mine - mean) > APART * abs(mean) for _, mine, mean in later)
    return own[-1] if lags and differs else None


INFLATED = 1.05  # a mean that is off by a twentieth is read wrongly; less is lost among its digits


def settle(finding: Evidence, record: "Record") -> Evidence:
    """`len(loader) * batch_size` taken for the number of rows, and the loader that was made there."""
    from sleuth.record.entries import Loader

    line = finding.marks.get(LOADER_LINE)
    made = next((loader for loader in record.of(Loader) if line and loader.line == line), None)
    if made is None or not made.examples or not made.batch_size or made.drop_last:
        return finding
    batches = -(-made.examples // made.batch_size)
    taken = batches * made.batch_size
    if taken < INFLATED * made.examples:
        return finding
    return replace(
        finding,
        telling="proven",
        message=f"{finding.message} Here {made.examples} rows in {batches} batches are counted as {taken}.",
        numbers={**finding.numbers, "rows": made.examples, "taken_for": taken},
    )
