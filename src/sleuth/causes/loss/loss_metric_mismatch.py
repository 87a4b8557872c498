"""The loss falls and the reported metric does not follow, or the metric itself is wrong.

## What happens
Two stories look the same from outside. In the first the metric is honest and the loss measures
something else: cross-entropy improves by making correct predictions more confident while not one
decision changes; an average over a million easy background pixels hides the ten that matter; teacher
forcing makes every next token easy and free generation fails.

In the second, which is commoner than one likes, the *metric code* is broken. Shapes broadcast, a
threshold meets logits, `argmax` runs over the wrong axis, the last batch weighs as much as a full
one, padding counts as correct, macro and micro averages are mixed up, or predictions and labels
come from two loaders in different order. The model may be fine.

```python
pred = model(x).argmax(1)                       # (N,)
acc = (pred == y.unsqueeze(1)).float().mean()   # (N, N): near chance for ever
```

A short lag is normal: the loss is smooth, accuracy moves in steps. On imbalanced data a good
ranking with a bad threshold also gives a falling loss and a flat F1.

## How to tell
- **lint**: scores that must not win are masked with a very low value, and then the lowest are taken
  as the best; or the first of an ascending order of the very scores that the loss raises for the right
  class are held to the labels.
- **watch**: over many steps the loss falls by a clear amount while the metric stays flat or gets
  worse, on the *same* examples; a ranking metric at exactly 0 is below what chance would give, and
  one that loses most of its first value while the loss falls is read from the wrong end. Sleuth
  recomputes plain accuracy from recorded outputs and targets and compares it with what the script
  reports; a disagreement means that the metric is wrong, agreement that it is right. Predictions of
  shape (N, 1) held against labels of shape (N,) are recognised at once: every prediction meets every label.
- **refuted by**: a metric computed independently on the same outputs agrees with the reported one,
  and moves together with the loss.

## How to fix
Feed the metric a case with a known result: the labels as predictions must give 1.0, shuffled labels
must give chance. If it passes, change the loss or the decision rule instead: class weights, a
threshold tuned on validation data, a loss nearer to the metric.

```python
pred = model(x).argmax(dim=1)
assert pred.shape == y.shape
assert accuracy(y, y) == 1.0
correct += (pred == y).sum().item()
seen += y.numel()                               # acc = correct / seen
```

## Often mistaken for
- `overfitting`: the training metric follows its loss and only the validation metric does not.
- `structural-ceiling`: the metric is right and the parameters have no way to move it.
- `logit-threshold`: one particular broken metric, with its own simple remedy.

## Sources
- goodfellow-2016-ch8: section 8.1.2, Surrogate Loss Functions; the loss optimised stands in for
  another.
- sklearn-metrics: the part on binary, multiclass and multilabel averaging; how the average changes
  the score.
- ivanov-2017: the part on the loss function, item on monitoring other metrics.
"""

import ast
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_written_in
from sleuth.record.questions import loss_calls, needed
from sleuth.roles import names_training
from sleuth.source.flow import ancestry, literal, number, subject
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.modules import settled
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Metric, Record

CONSEQUENCE_OF = (
    "class-imbalance double-softmax dropout-ignores-mode exploding-gradients labels-constant "
    "logit-threshold loss-broadcast loss-sign-flipped lr-too-high metric-accumulation-bug "
    "nonfinite-forward nonfinite-gradient nonfinite-input train-mode-eval unsafe-log-div unstable-exp"
)
UNLESS = {"numbers": "plays"}
LOOKS_LIKE = {"metric apart from loss": "usually"}
NEEDS = "sort topk"
_SORTS = "torch.argsort .argsort torch.sort .sort numpy.argsort jax.numpy.argsort".split()
_TOP = ("torch.topk", ".topk")
_INFINITE = Pattern(r"-\s*(\w+\.)*inf\b|float\(.-inf.\)|finfo\(.*\)\.min")
# Whoever looks for what to throw away wants the lowest, padding first of all.
_LOWEST_WANTED = Pattern(r"\b(drop|dropped|remove|prune|worst|bottom|low|lowest|least|weakest|evict|discard)")
LEFT_OUT = -1e3  # a score that is given only to what must not be chosen
APART = 0.1  # of accuracy: beyond rounding, dropped remainders and averaging over batches
_ACCURACY = Pattern(
    r"^(?!.*(train|top|balanced|adv))\w*?(val|test|eval|valid)?\w*acc(uracy)?$", re.IGNORECASE
)


def lint(program: Program) -> Iterator[Evidence]:
    """The lowest scores are taken as the best, where a mask or the loss says that the highest are."""
    for call in program.calls(*_SORTS, *_TOP):
        if not _from_the_bottom(call) or not _head_taken(program, call):
            continue
        masked = _masked(program, subject(call))
        if masked or (_scores_of_a_loss(program, subject(call)) and _held_to_labels(program, call)):
            if _LOWEST_WANTED.search(program.source.line(getattr(call.node, "lineno", 0)).replace("_", " ")):
                continue
            why = (
                "What must not be chosen gets the lowest score"
                if masked
                else "The loss gives the correct class the highest score"
            )
            yield clue(
                "likely" if masked else "proven",
                call,
                f"{why}, and this takes the lowest scores first: the ranking is reversed, so every top-k "
                "metric of it is wrong.",
                fix="Take the highest first: `descending=True` (in torch), `argsort(-scores)`, or `topk`.",
            )


def _from_the_bottom(call: Call) -> bool:
    if call.op in _TOP:
        return literal(call.argument(2, "largest")) is False
    for word in ("descending", "reverse"):
        if word in call.keywords and literal(call.keywords[word]) is not False:
            return False
    return not (call.op == "torch.argsort" and len(call.args) > 2) and not (
        call.op == ".argsort" and len(call.args) > 1
    )


_CLASSES = ("cross_entropy", "nll_loss")
_COMPARED = ("==", "torch.eq", ".eq", "torch.isin", "in")


def _scores_of_a_loss(program: Program, scores: Value | None) -> bool:
    """Whether a loss over classes is computed from these very scores."""
    made = settled(scores)
    return made is not None and any(
        settled(loss.input) is made for loss in program.losses if loss.name in _CLASSES
    )


def _held_to_labels(program: Program, call: Call) -> bool:
    """Whether the places are compared with something: with the right class, to count hits."""
    return any(
        part is call
        for compared in program.calls(*_COMPARED)
        for side in compared.args
        for part in ancestry(side, 12)
    )


def _masked(program: Program, scores: Value | None) -> bool:
    made = settled(scores)
    if isinstance(made, Call) and made.op in (".masked_fill", ".masked_fill_", "torch.masked_fill"):
        return _is_left_out(made.args[-1] if made.args else made.keywords.get("value"))
    if isinstance(made, Call) and made.op in ("torch.where", "numpy.where") and len(made.args) == 3:
        return any(map(_is_left_out, made.args[1:]))
    return any(
        set_.receiver is scores and len(set_.args) == 2 and _is_left_out(set_.args[1])
        for set_ in program.calls("[]=")
    )


def _is_left_out(value: Value | None) -> bool:
    known = number(value)
    if known is not None:
        return known <= LEFT_OUT
    return (
        isinstance(value, Call)
        and value.node is not None
        and _INFINITE.search(ast.unparse(value.node)) is not None
    )


def _head_taken(program: Program, call: Call) -> bool:
    """`order[:, :k]` or `order[:k]`: the first of them are used as the best."""
    if call.op in _TOP:
        return True
    return any(
        isinstance(taken.node, ast.Subscript) and _is_head(taken.node.slice)
        for taken in program.calls("[]")
        if taken.args and _is_order(settled(taken.args[0]), call)
    )


def _is_order(value: Value | None, call: Call) -> bool:
    """The sorted numbers or their places: `order`, `ranked.indices`, one of two that were unpacked."""
    parts = ("[]", "@indices", "@values")
    return value is call or (isinstance(value, Call) and value.op in parts and subject(value) is call)


def _is_head(key: ast.expr) -> bool:
    last = key.elts[-1] if isinstance(key, ast.Tuple) and key.elts else key
    if not isinstance(last, ast.Slice) or last.step is not None or last.lower is not None:
        return False
    return last.upper is not None and not isinstance(last.upper, ast.UnaryOp)


def watch(record: "Record") -> Iterator[Evidence]:
    yield from _each_with_each(record)
    yield from _below_chance(record)
    yield from _stands_still(record)
    yield from _counted_again(record)


def _each_with_each(record: "Record") -> Iterator[Evidence]:
    """A column of predictions beside a row of labels: the shares of all pairs are no score."""
    from sleuth.record.entries import Crossed

    for seen in record.of(Crossed):
        rows = seen.left[0]
        yield Evidence(
            f"The evaluation holds {_shape(seen.left)} against {_shape(seen.right)} with "
            f"`{seen.operation}`: they broadcast to {rows} × {rows}, every prediction with every label, "
            "so the metric does not measure the model.",
            telling="proven",
            where=Where(seen.path or None, seen.line),
            numbers={"rows": rows, "compared": rows * rows},
            fix="Give both the same shape first: `.squeeze(1)` on the predictions, or `.unsqueeze(1)` on the "
            "labels.",
        )
        return


def _shape(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


_RANKED = Pattern(r"(^|[\s_/])(hr|hit|hits|hit[\s_]?rate|ndcg|mrr|recall@\d+|precision@\d+|map@\d+)(@\d+)?$")
REPORTS = 4
FALLEN = 0.7  # of its first value: the model has learnt a good deal


REVERSED = 0.4  # of its first value is left of a ranking: overfitting takes points off it, not most of it
FELL = 0.9  # of the first loss is left, at most


def _below_chance(record: "Record") -> Iterator[Evidence]:
    """Any ranking hits now and then; one that never does, or ever less, while the loss falls is wrong."""
    losses = [value for value in record.losses if value is not None]
    tenth = max(1, len(losses) // 10)
    for name, told in _rankings(record).items():
        if len(told) < REPORTS or not losses:
            continue
        first, last = sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth
        values = [metric.value for metric in told]
        if not any(values) and last < FALLEN * first:
            seen = f"is exactly 0 in all {len(told)} reports"
            why = (
                "Even a random ranking is right now and then, so the metric does not use the model's "
                "predictions."
            )
        elif 0 < max(values[-REPORTS:]) < REVERSED * values[0] and last < FELL * first:
            seen = f"goes from {values[0]:.3g} to {values[-1]:.3g}"
            why = "The correct ones are ranked last: the metric sorts in the wrong direction."
        else:
            continue
        yield Evidence(
            f"{name} {seen} while the loss falls from {first:.3g} to {last:.3g}. {why}",
            telling="likely",
            where=_where_ranked(record, told[-1].line),
            numbers={"reports": len(told), "loss at first": first, "loss at last": last},
            fix="Check the order (highest scores first?), the ids compared, and the mask.",
        )


def _rankings(record: "Record") -> "dict[str, list[Metric]]":
    from sleuth.record.entries import Metric

    reports: dict[str, list[Metric]] = {}
    for metric in record.of(Metric):
        if _RANKED.search(metric.name) and math.isfinite(metric.value):
            reports.setdefault(metric.name, []).append(metric)
    return reports


def _where_ranked(record: "Record", line: int) -> Where | None:
    """Where the metric's own code sorts, or else where it was reported."""
    sorts = where_written_in(
        record, r"ndcg|mrr|hit|recall|precision|map|rank|metric|evaluat", r"sort\(|topk\("
    )
    return sorts or (Where(record.run.script or None, line) if line else None)


_SCORE = Pattern(r"acc|exact|f1|auc|precision|recall|iou|dice|top\W?\d|match|correct", re.IGNORECASE)
MOVED = 0.02  # of all answers: so many more were right at the end than at first, by the loss's own targets
STILL = 6  # reports of one and the same value


def _stands_still(record: "Record") -> Iterator[Evidence]:
    """A score that is the same in every report, of a model whose answers change."""
    from sleuth.record.entries import Evaluation, Metric

    right = {seen.n: seen.correct for seen in record.of(Evaluation) if seen.correct is not None}
    reports: dict[tuple[str, int], list[Metric]] = {}
    for metric in record.of(Metric):
        apart = names_training(metric.name)  # of other rows than the pass beside it
        if _SCORE.search(metric.name) and metric.n in right and not apart:
            reports.setdefault((metric.name, metric.line), []).append(metric)
    for (name, line), told in reports.items():
        values = {metric.value for metric in told}
        if len(told) < STILL or len(values) > 1 or values & {0.0, 1.0, 100.0}:
            continue
        shares = [right[metric.n] or 0.0 for metric in told]
        if max(shares) - min(shares) < MOVED:
            continue
        yield Evidence(
            f"{name} is {told[0].value:.4g} in all {len(told)} reports, while accuracy on the targets of "
            f"the loss goes from {min(shares):.3f} to {max(shares):.3f}: the metric does not use the "
            "model's predictions.",
            telling="likely",
            where=Where(record.run.script or None, line) if line else None,
            numbers={
                "reports": len(told),
                "value": told[0].value,
                "lowest": min(shares),
                "highest": max(shares),
            },
            fix="Check how outputs become predictions: the threshold, axis or decoding may not be those "
            "the loss assumes.",
        )


ABOVE_CHANCE = 0.5  # right answers of what was never said to be scores of classes


def _learns_classes(record: "Record") -> bool:
    """Whether a loss on scores of classes was called; one that the script writes itself is not seen."""
    return any(
        call.function in ("cross_entropy", "nll_loss", "multi_margin_loss") for call in loss_calls(record)
    )


def _counted_again(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Evaluation, Metric

    # Of several answers a row (tokens, pixels) the script may leave some out: padding, background.
    judged = [
        seen
        for seen in record.of(Evaluation)
        if seen.correct is not None and seen.rows >= 50 and seen.answers in (0, seen.rows)
    ]
    if not _learns_classes(record):  # what has the width of classes may be a code, which a second model reads
        judged = [seen for seen in judged if (seen.correct or 0.0) > ABOVE_CHANCE]
    told = [metric for metric in record.of(Metric) if _ACCURACY.match(metric.name.replace(" ", "_"))]
    needed(judged, "evaluation passes whose accuracy could be computed again")
    needed(told, "printed or logged accuracy")
    apart = []
    for metric in told:
        share = metric.value / 100 if metric.value > 1.5 else metric.value
        near = [seen.correct for seen in judged if seen.n == metric.n and seen.correct is not None]
        if near and min(abs(share - correct) for correct in near) > APART:
            apart.append((metric, share, near[-1]))
    if len(apart) < max(1, len(told) // 2):
        return
    metric, share, correct = apart[-1]
    yield Evidence(
        f"The script reports {metric.name} = {share:.3f} at step {metric.n}; recomputed from outputs and "
        f"targets of that pass it is {correct:.3f}. The metric, not the model, is wrong ({len(apart)} of "
        f"{len(told)} reports).",
        telling="likely",
        where=Where(record.run.script or None, metric.line) if metric.line else None,
        numbers={"reported": share, "recomputed": correct},
        fix="Check the metric's code: shapes, the axis of argmax, the threshold, and what it divides by.",
    )
