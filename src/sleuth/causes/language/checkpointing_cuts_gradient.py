"""Gradient checkpointing around inputs that need no gradient: what is inside never learns.

## What happens
Checkpointing keeps only the inputs of a block and computes the block again in the backward pass. In its
older ("reentrant") form torch does so only when an *input* of the block asks for a gradient. With a frozen
embedding none does: no gradient reaches what is inside, though its parameters ask for one. Under adapters
that is everything. With a head outside of the blocks the loss still falls.

```python
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": True})
model = get_peft_model(model, LoraConfig(...))         # the embedding is frozen
```

torch warns once, among everything else that is printed at the start.

## How to tell
- **watch**: torch's warning "None of the inputs have requires_grad=True", and trainable parameters whose
  gradient is None in every step.
- **refuted by**: every trainable parameter has a gradient.

## How to fix
```python
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
model.enable_input_require_grads()                     # or: let the embedding's output ask for one
```

## Often mistaken for
- `detached-graph`: a line of one's own cuts the path; here a wrapper does.
- `adapter-inert`: the adapters ask for no gradient, or are not applied.
- `frozen-params`: parameters do not ask for a gradient; here they do and get none.

## Sources
- pytorch-checkpoint: the differences between the two forms, and the warning on `requires_grad` of inputs.
- peft-checkpoint-issue: with LoRA, and what it costs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import needed

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

TEXT = "none of the inputs have requires_grad=true"
INVITED_BY = {"gradient_checkpointing|checkpoint\\(": 3.0}


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Holding, Warned

    needed(record.items, "lines")
    told = next((one for one in record.of(Warned) if TEXT in one.text.lower()), None)
    if told is None:
        return
    lost = sorted({name for seen in record.of(Holding) for name in seen.without_gradient})
    if not lost and record.steps:
        return  # another block was meant: whatever an optimizer holds has its gradient
    names = f" ({', '.join(lost[:2])}, ...)" if lost else ""
    yield Evidence(
        f"A checkpointed block was called with inputs that need no gradient: {len(lost)} parameters that the "
        f"optimizer holds{names} get none and stay as they are.",
        telling="proven",
        where=Where(told.path or None, told.line) if told.line else None,
        numbers={"parameters": len(lost)},
        fix="Pass use_reentrant=False, or call model.enable_input_require_grads() before training.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_checkpoints, scene.sources)


def _checkpoints(statement: "Statement") -> int | None:
    """Where checkpointing is switched on."""
    text = statement.text
    if "use_reentrant" in text:
        return 0
    return 1 if "gradient_checkpointing" in text else 2 if "checkpoint(" in text else None
