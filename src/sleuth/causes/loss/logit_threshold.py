"""A probability threshold meets raw logits: the sigmoid was forgotten at prediction time.

## What happens
Training is fine; the number you report is not. `BCEWithLogitsLoss` wants logits, so the model
returns logits, and then the evaluation code compares them with 0.5. A logit of 0.5 is a probability
of 0.62, so every example between 50% and 62% is called negative. Recall drops, precision looks
better than it is, and since nothing is obviously broken people retrain. On a rare class, where
logits seldom get above zero, it can remove most of the positives.

Other faces of the same slip: `torch.round(out)`, which is "logit above 0.5" in disguise and gives
class numbers such as -3 or 7; `out` averaged over an ensemble or written to a file as if it were a
probability; a log loss or calibration curve computed from logits; masks in segmentation cut at 0.5.

```python
loss = F.binary_cross_entropy_with_logits(out, y)
pred = (out > 0.5).float()           # means: probability above 0.62
```

`argmax` over class logits needs no softmax, and ranking metrics such as ROC AUC take logits as they
are: a monotone map changes neither. `out > 0` *is* the right threshold for logits.

## How to tell
- **lint**: one name goes into `binary_cross_entropy_with_logits` and, without a sigmoid, into
  `> 0.5`, `.round()`, or a metric that wants probabilities.
- **watch**: the compared values leave [0, 1], the share of predicted positives is lower than the
  mean predicted probability suggests, and accuracy recomputed at threshold 0 is better.
- **refuted by**: all values that meet the threshold lie between 0 and 1, or the threshold is 0.

## How to fix
Convert once, at the boundary between model and decision, and use the converted value everywhere.

```python
prob = out.sigmoid()
pred = prob > 0.5                    # the same as out > 0
```

Do not add the sigmoid to the model's `forward` while the loss stays as it is: that trades this bug
for a double sigmoid.

## Often mistaken for
- `class-imbalance`: few predicted positives as well, but at threshold 0 they do not come back.
- `loss-metric-mismatch`: the general case; name this one when logits meet a probability threshold.
- `double-softmax`: there the loss gets probabilities; here the decision gets logits.

## Sources
- pytorch-bce-logits: opening paragraph; the sigmoid is inside the loss, so the model's output has
  none.
"""

import ast
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.record.questions import LOGIT_LOSSES, at, needed
from sleuth.source.edits import Edits
from sleuth.source.flow import keeps_numbers, layer, number, possible, subject
from sleuth.source.interpreter.values import Call, Function, Unknown, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.activations import always, kind, origins
from sleuth.source.topics.stand_ins import output_of, outputs
from sleuth.torch_losses import WANTS_LOGITS

if TYPE_CHECKING:
    from sleuth.record.entries import Record

LOOKS_LIKE = {"metric apart from loss": "usually"}
INVITED_BY = {"softmax|sigmoid": 3.0}


_COMPARISONS = (
    ">",
    ">=",
    "<",
    "<=",
    ".gt",
    ".ge",
    ".lt",
    ".le",
    "torch.gt",
    "torch.ge",
    "torch.lt",
    "torch.le",
)
_ROUNDS = (".round", "torch.round", "numpy.round", "builtins.round", "numpy.rint")
_TOLD_BY = (".train", ".eval")
_WANT_PROBABILITIES = ("sklearn.metrics.log_loss", "sklearn.metrics.brier_score_loss")

NEEDS = "> < .gt .ge .lt .le round rint log_loss brier"


def lint(program: Program) -> Iterator[Evidence]:
    scores = _raw_scores(program)
    if not scores:
        return
    for call in program.calls(*_COMPARISONS):
        parts = call.args if call.receiver is None else (call.receiver, *call.args)
        limits = [number(part) for part in parts]
        compared = [part for part, limit in zip(parts, limits, strict=True) if limit is None]
        limit = next((limit for limit in limits if limit is not None), None)
        # 0 is the right threshold for a logit, and 1 or more is no probability.
        if limit is not None and 0 < limit < 1 and len(compared) == 1:
            what = f"is compared with {limit:g}"
            if _told_to_metrics(program, call, compared[0]):
                yield _accuse("proven", call, what, scores[0][1])
            else:
                yield from _judge(program, scores, compared[0], call, what)
    for call in program.calls(*_ROUNDS):
        yield from _judge(program, scores, subject(call), call, "is rounded")
    for call in program.calls(*_WANT_PROBABILITIES):
        what = f"goes into `{call.op.rpartition('.')[2]}`"
        yield from _judge(program, scores, call.argument(1, "y_pred"), call, what)


def _raw_scores(program: Program) -> list[tuple[Call, int | None]]:
    """The operations whose results go, unsquashed, into a loss that squashes them; and that loss's line."""
    found: list[tuple[Call, int | None]] = []
    for use in program.losses:
        if use.name in WANTS_LOGITS:
            made, complete = origins(use.input)
            if complete and all(call.op == "()" and kind(call) in ("raw", "") for call in made):
                found += [(call, spot(use.call).line) for call in made]
    return found


def _judge(
    program: Program, scores: list[tuple[Call, int | None]], value: Value | None, call: Call, what: str
) -> Iterator[Evidence]:
    made, complete = origins(value, through=("next",))  # an element of a batch of scores is one, too
    if not complete or len(made) != 1:
        return
    sure = [line for score, line in scores if _same_scores(made[0], score)]
    likely = [line for score, line in scores if _same_model_elsewhere(program, made[0], score)]
    if not sure and not likely:
        return
    yield _accuse("proven" if sure else "likely", call, what, (sure or likely)[0])


def _told_to_metrics(program: Program, call: Call, value: Value | None) -> bool:
    """What a `Trainer` hands to its `compute_metrics` are the model's outputs, as they are: raw where nothing
    in the program ever squashes a score."""
    if program.holds("sigmoid", "expit", "np.exp", "numpy.exp", "preprocess_logits_for_metrics"):
        return False
    handed = [trainer.keywords.get("compute_metrics") for trainer in program.trace]
    if not any(isinstance(one, Function) and one.definition is call.context.function for one in handed):
        return False
    while isinstance(value, Call):
        given = value.receiver if value.receiver is not None or not value.args else value.args[0]
        if _is_handed_in(given):
            first = value.op == "[]" and number(value.args[-1]) == 0
            return first or value.op == "@predictions"
        if not keeps_numbers(value):
            return False
        value = given
    return False


def _accuse(telling: Telling, call: Call, what: str, line: int | None) -> Evidence:
    return clue(
        telling,
        call,
        f"A raw score {what} here as if it were a probability; the loss on line {line} applies the "
        "sigmoid or softmax itself. A logit of 0.5 is a probability of 0.62.",
        fix="Apply `sigmoid` (or `softmax`) before the threshold, or compare the logit with 0.",
        edits=_compared_with_zero(call),
    )


def _compared_with_zero(call: Call) -> Edits:
    """`score > 0.5` → `score > 0.0`, where its sigmoid is one half. Not safe: it may be a softmax's."""
    node = call.node
    if not isinstance(node, ast.Compare):
        return ()
    halves = [part for part in (node.left, *node.comparators) if _is_half(part)]
    return rewrite(halves[0], call.source, "0.0", safe=False) if len(halves) == 1 else ()


def _is_half(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0.5


def _same_scores(one: Call, other: Call) -> bool:
    """The same value, or the output of the same layer or model for other inputs."""
    if one is other:
        return True
    if one.op != "()" or other.op != "()" or layer(one) != layer(other):
        return False
    mine = possible(one.receiver)
    return any(left is right for left in mine for right in possible(other.receiver))


def _same_model_elsewhere(program: Program, one: Call, other: Call) -> bool:
    """`train(model, ...)` and `evaluate(model, ...)`: parameters of one name, used as models, in one file.

    Or the file's only network on one side, and such a parameter on the other.
    """
    if one.op != "()" or other.op != "()":
        return False
    mine, theirs = one.receiver, other.receiver
    if _is_handed_in(mine) and _is_handed_in(theirs):
        names = {getattr(mine, "name", ""), getattr(theirs, "name", "")}
        told = {getattr(part.receiver, "name", "") for part in program.calls(*_TOLD_BY)}
        # A network of this file that ends otherwise (a sigmoid outside of training) may be the one.
        raw = all(always(output, ("raw",)) for output in program.about(outputs).values())
        return len(names) == 1 and names <= told and raw
    for handed, known in ((one, other), (other, one)):
        if _is_handed_in(handed.receiver) and (output := output_of(program, handed)) is not None:
            return any(_same_scores(made, known) for made in always(output, ("raw",)))
    return False


def _is_handed_in(value: Value | None) -> bool:
    return isinstance(value, Unknown) and isinstance(value.node, ast.arg)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import LossCall, Threshold

    needed(record.of(Threshold), "comparisons of predictions with a number")
    on_logits = any(call.function in LOGIT_LOSSES for call in record.of(LossCall))
    for seen in record.of(Threshold):
        # A least-squares classifier is rightly cut at 0.5; only a loss over logits tells that these are some.
        if not 0 < seen.against < 1 or not on_logits or (seen.minimum >= 0 and seen.maximum <= 1):
            continue
        sure = seen.raw_output
        yield Evidence(
            f"Values from {seen.minimum:.3g} to {seen.maximum:.3g} are compared with {seen.against:g}: these "
            f"are raw scores, and {seen.against:g} among them is a probability of "
            f"{_probability(seen.against):.2f}, so positives are missed.",
            telling="proven" if sure else "open",
            where=at(seen),
            numbers={"minimum": seen.minimum, "maximum": seen.maximum, "threshold": seen.against},
            fix="Apply `torch.sigmoid` before the comparison, or compare raw scores with 0.",
        )


def _probability(score: float) -> float:
    return 1 / (1 + math.exp(-score))
