"""Every target equals the ignore index, so the loss is 0 or NaN and nothing is learned.

## What happens
`cross_entropy` with its default mean divides by the number of targets that count. If none counts,
that is 0/0: the loss is NaN. With `reduction="sum"` it is exactly 0. In both cases the gradient is
exactly zero (measured with torch 2.13), so the weights survive, momentum and weight decay still
move them, and you either see one NaN in the log or a suspiciously perfect zero.

It happens where targets are masked. In instruction tuning the prompt is set to -100 and the answer
is cut off by `max_length`: nothing is left. The padding token is the end token, so masking padding
masks every ending. A segmentation crop falls on "void". A label map writes -100 for unknown names
and a renamed column makes every name unknown.

```python
labels = ids.clone()
labels[:, :prompt_len] = -100
labels = labels[:, :max_len]            # prompt_len >= max_len: only -100 remains
```

Rare batches are the treacherous case: one NaN poisons a running average for the rest of the epoch
although training is sound. Hand-written losses that divide by `mask.sum()` do the same, and there
the gradient may be NaN too.

## How to tell
- **probe**: the share of targets equal to `ignore_index` is 1.0; all gradients are exactly zero.
- **watch**: loss NaN or 0 at a step with zero gradient norm and finite parameters, more often in
  batches with long prompts or small crops.
- **refuted by**: at least one target per batch differs from the ignore index.

## How to fix
Count what is left, drop empty examples when the data set is built, and guard custom means.

```python
counted = (labels != -100).sum()
assert counted > 0, "batch without a single target"
loss = F.cross_entropy(logits, labels, reduction="sum") / counted.clamp(min=1)
```

Truncate the prompt from the left, not the answer from the right. Give the tokenizer a padding
token of its own. A few fully ignored batches in a large run need no more than the guard.

## Often mistaken for
- `nonfinite-forward`: there the model's outputs hold the NaN; here the logits are finite.
- `detached-graph`: zero or absent gradients as well, but the loss is an ordinary number.
- `labels-constant`: the loss also goes to zero, but gradually.

## Sources
- pytorch-cross-entropy: `ignore_index`, ignored targets give no gradient and the mean is taken over
  the others.
- pytorch-nll: `ignore_index` and the formula of the weighted mean reduction.
"""

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import where_target_made
from sleuth.record.questions import loss_calls, needed

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

LOOKS_LIKE = {"not finite": "even"}
PREDICTS = {"same-batch": "always", "noise-inputs": "always", "shuffled-labels": "always"}


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for use in bench.first.losses:
        if use.ignored_share == 1.0:
            yield Evidence(
                f"Every target of this batch equals the ignore index of {use.name}, so there is nothing "
                "to learn from, and the mean over zero elements is NaN.",
                telling="proven",
                where=use.where,
                numbers={"ignored_share": use.ignored_share},
                fix="Print the targets before the loss: a prompt that fills the window, a mask the wrong "
                "way round?",
            )


def watch(record: "Record") -> Iterator[Evidence]:
    calls = [
        call
        for call in needed(loss_calls(record), "loss calls")
        if call.function in ("cross_entropy", "nll_loss")
    ]
    empty = [call for call in calls if call.ignored == 1.0]
    if not empty:
        return
    every = len(empty) == len(calls)
    lost = any(call.value is not None and not math.isfinite(call.value) for call in empty)
    yield Evidence(
        f"In {len(empty)} of {len(calls)} recorded calls every target equals the ignore index (first at step "
        f"{empty[0].n}): the loss is {'NaN' if lost else 'empty'} there and no gradient flows.",
        telling="proven" if every or lost else "open",
        where=where_target_made(record, empty[0]),
        numbers={"empty": len(empty), "calls": len(calls), "step": empty[0].n},
        fix="Check how targets are masked (padding, prompt); skip batches without a single real target.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import behind, of_targets

    return behind(of_targets(finding, scene), finding, _marks_as_ignored, scene)


_MARKED = r"-100|[\w.]*ignore\w*"


def _marks_as_ignored(statement: "Statement") -> int | None:
    """Where answers are marked as not to be judged: `[IGNORE] * len(prompt)`, `labels[:n] = -100`."""
    text = statement.text
    if re.search(rf"\[({_MARKED})\] \*|full(_like)?\(.*({_MARKED})\)", text, re.IGNORECASE):
        return 0
    written = "[" in statement.targets and re.search(rf"= ({_MARKED})$", text, re.IGNORECASE)
    return 1 if written or re.search(rf"masked_fill\w*\(.*({_MARKED})\)", text, re.IGNORECASE) else None
