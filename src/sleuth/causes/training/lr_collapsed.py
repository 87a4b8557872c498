"""The schedule brought the learning rate to almost nothing while there was more to learn.

## What happens
The loss flattens, you suspect the model, and the optimizer is taking steps of 1e-9. Nothing is
wrong with the gradients. Read the rate, not the curve: a plateau that begins exactly where the
rate fell is not a property of your data.

`ReduceLROnPlateau` is the first suspect. Its default mode is "min"; feed it an accuracy and each
improvement counts as a bad epoch. With the defaults (patience 10, factor 0.1) a rate of 0.1 is cut
every eleven epochs and stands at 1e-6 by epoch 56, through steady progress. Feeding it a noisy
metric, or calling it per batch, has the same end. Other ways: a decay planned for fewer steps than
the run has, two schedulers multiplying on one optimizer, a resumed run whose scheduler starts from
the already decayed rate, `gamma=0.1` where 0.9 was meant.

In float32 the end is absolute: an update below about 3e-8 of a weight's size is always rounded
away.

## How to tell
- **lint**: `ReduceLROnPlateau` in mode "max" is passed a loss, or in mode "min" a score.
- **watch**: the rate of every group over time. Suspicious is a rate below a hundredth of its peak
  before half of the planned run is over, while the loss was still falling when it dropped;
  update-to-weight ratios that fall together with it; gradients of unchanged size.
- **experiment**: corrected from outside, the rate stays at its first value; the loss goes on falling
  where it had stopped.
- **refuted by**: the learning rate at the plateau is within a factor of ten of its largest value.

## How to fix
Print the rate beside the loss, always. Then repair the plan:

```python
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, mode="max", factor=0.5, patience=5, min_lr=1e-5)
...
scheduler.step(val_accuracy)
```
Draw the schedule for the whole run before you start it. If the cause is a scheduler called at the
wrong rhythm, fix the rhythm instead of raising the rate. A rate near zero in the last few percent
of a run is what cosine and linear decay are for: leave that.

## Often mistaken for
- `scheduler-cadence`: the root, when the collapse comes from per-batch calls.
- `lr-too-low`: low from the first step; here it was adequate once.
- `update-underflow`: updates vanish below the precision of the weights at an ordinary rate.

## Sources
- cs231n-nn3: "Annealing the learning rate"; cooling too fast ends training short of its best
  point.
- pytorch-plateau: parameters mode, patience and factor; what counts as a bad epoch.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import at, courses, where_optimizer
from sleuth.source.edits import Edits, argument_node, keyword_set
from sleuth.source.flow import ancestry, literal, number, root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "scheduler-cadence"
INVITED_BY = {"lr_scheduler|Scheduler": 4.0}
PREDICTS = {"same-batch": "usually", "lr×10": "usually"}

NEEDS = "Plateau"
_LOSS = Pattern(r"(^|_)(loss|losses|nll|mse|mae|rmse|bce|perplexity|ppl|err|error)(_|$)")
_SCORE = Pattern(r"(^|_)(acc|accuracy|auc|auroc|f1|iou|miou|dice|bleu)(_|$)")
_SCORES = Pattern(r"(accuracy|f1|roc_auc|average_precision|r2|jaccard|precision|recall)_score$")
_TURNED = ("neg", "-")  # `-loss`, `1 - accuracy`

Way = Literal["loss", "score", ""]


def lint(program: Program) -> Iterator[Evidence]:
    """A plateau is waited for in the wrong direction: each improvement counts as none."""
    for call in program.calls(".step"):
        made = root(call.receiver)
        if not isinstance(made, Call) or not made.op.endswith("ReduceLROnPlateau"):
            continue
        given, mode = call.argument(0, "metrics"), made.argument(1, "mode")
        way = "min" if mode is None else literal(mode)
        kind, proven = _kind(program, given, call) if given is not None else ("", False)
        if (way, kind) not in (("max", "loss"), ("min", "score")):
            continue
        right = "min" if kind == "loss" else "max"
        what = "a loss, which falls" if kind == "loss" else "a score, which rises"
        yield clue(
            "proven" if proven else "likely",
            made,
            f"`ReduceLROnPlateau` has `mode={way!r}`, and line {getattr(call.node, 'lineno', 0)} passes "
            f"it {what} while the model learns: no improvement is recognised, and the learning rate is "
            "reduced to almost nothing.",
            fix=f'Use `mode="{right}"`.',
            edits=_set_to(made, right),
        )


def _set_to(made: Call, mode: str) -> Edits:
    given = argument_node(made, 1, "mode")
    if given is not None and made.source is not None:
        return rewrite(given, made.source, f'"{mode}"')
    return keyword_set(made, "mode", f'"{mode}"')


def _kind(program: Program, given: Value, call: Call) -> tuple[Way, bool]:
    """What is watched, and whether that is known by more than its name."""
    losses = {id(use.call) for use in program.losses}
    behind = [here for here in ancestry(given, 80) if isinstance(here, Call)]
    settled = root(given)
    if isinstance(settled, Call) and settled.op in _TURNED:
        return "", False
    found: set[Way] = set()
    if any(id(here) in losses or _is_error(here) for here in behind):
        found.add("loss")
    if any(_counts_hits(here) or _SCORES.search(here.op) for here in behind):
        found.add("score")
    known = bool(found)
    if named := _named(call):
        found.add(named)
    return (found.pop(), known) if len(found) == 1 else ("", False)


def _counts_hits(here: Call) -> bool:
    """`prediction == y`; what is held against a word or a number is a setting."""
    return here.op == "==" and not any(literal(part) is not None for part in here.args)


def _is_error(here: Call) -> bool:
    """`(prediction - y) ** 2`, `(prediction - y).abs()`."""
    bare = here.op in ("**", "torch.abs", "torch.square") and here.args
    base = here.args[0] if bare else here.receiver
    power = here.args[-1] if here.op in ("**", ".pow") and here.args else None
    sized = here.op in (".square", ".abs", "torch.abs", "torch.square")
    if not sized and (power is None or number(power) != 2):
        return False
    difference = root(base)
    return isinstance(difference, Call) and difference.op == "-"


def _named(call: Call) -> Way:
    """From the last word of what is handed over: `val_loss`, `metrics["acc"]`, `self.valid_auc`."""
    node = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        word = str(node.slice.value)
    else:
        word = getattr(node, "attr", getattr(node, "id", ""))
    word = word.lower()
    return "loss" if _LOSS.search(word) else "score" if _SCORE.search(word) else ""


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.rate_held(world)


TINY = 0.01  # of the peak; see the page
HALF = 0.5


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Scheduler

    for course in courses(record, 20):
        rates = [step.lr for step in course.steps if step.lr is not None]
        peak = max(rates, default=0.0)
        alive = [place for place, rate in enumerate(rates) if rate >= TINY * peak]
        if not peak or not alive or (since := alive[-1] + 1) > HALF * len(rates):
            continue
        losses = course.finite_losses
        before, after = losses[:since], losses[since:]
        falling = since >= 10 and curves.surely_lower(before[: since // 2], before[since // 2 :])
        made = next((plan for plan in record.of(Scheduler) if plan.optimizer == course.id), None)
        yield Evidence(
            f"The learning rate fell from {peak:.3g} to {rates[-1]:.3g} by step {since} of {len(rates)} "
            "and stays there: the rest of the run learns almost nothing"
            + (f" (the loss was still falling, and is now {curves.end(after):.3g})." if falling else "."),
            telling="likely" if falling or since < 20 else "open",
            where=at(made) if made else where_optimizer(record, course.id),
            numbers={"peak": peak, "last": rates[-1], "step": since},
            fix="Plan the schedule over all steps of the run, and check whether it counts steps or epochs.",
        )
