"""Pure half-precision training: Adam's epsilon is zero there, and small gradients vanish.

## What happens
float16 has no number between 0 and 6e-8. A model whose weights are float16 has float16 gradients and, in
Adam, float16 moments. The epsilon of Adam, 1e-8, *is* zero there; the square of a gradient below 1.7e-4 is
zero, too, and the step divides by it: infinite, then NaN, from the first iterations on. Without scaling,
small gradients are lost before they reach the optimizer. bfloat16 has the range and loses the small steps
instead (`update-underflow`).

```python
model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float16)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)              # eps=1e-8
```

## How to tell
- **watch**: trainable float16 weights, an optimizer of the Adam family whose epsilon lies below 6e-8, and
  no scaler; often a loss that is NaN after the first steps.
- **refuted by**: the trainable weights are float32 (autocast makes the arithmetic small, not the weights).

## How to fix
```python
model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32)
with torch.autocast("cuda", dtype=torch.float16):
    loss = model(**batch).loss
scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()
```
In a Trainer: weights in float32 and `fp16=True`, or `bf16=True`. Adapters on a half-precision base are
float32 by themselves, and fine.

## Often mistaken for
- `lr-too-high`: NaN after a few steps as well; a tenth of the rate does not help here.
- `update-underflow`: nothing explodes, the weights do not change.
- `nonfinite-gradient`: the gradient is infinite before the optimizer sees it.

## Sources
- micikevicius-2018: section 3.1 and 3.2, a float32 copy of the weights and scaling of the loss.
- pytorch-amp: weights stay float32 under autocast, and why gradients are scaled.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import broke_at, models_of, needed, where_optimizer

if TYPE_CHECKING:
    from sleuth.record.entries import Optimizer, Record

SMALLEST = 2.0**-24  # the smallest number above zero in float16; half of it rounds to zero
MOSTLY = 0.5  # of the trainable numbers


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Optimizer

    needed(record.steps, "optimizer steps")
    for made in record.of(Optimizer):
        epsilon = made.settings.get("eps")
        if isinstance(epsilon, float) and epsilon < SMALLEST / 2 and "betas" in made.settings:
            yield from _halves(record, made, epsilon)


def _halves(record: "Record", made: "Optimizer", epsilon: float) -> Iterator[Evidence]:
    parts = [part for model in models_of(record, made.id) for part in model.parameters if part.trainable]
    small = [part for part in parts if part.dtype == "float16" and made.id in (part.optimizers or (made.id,))]
    steps = [step for step in record.steps if step.optimizer == made.id]
    if not small or len(small) < MOSTLY * len(parts) or not steps or any(step.scale for step in steps):
        return
    broken = broke_at(record)
    yield Evidence(
        f"{len(small)} of {len(parts)} trainable tensors are float16, and {made.type}'s epsilon of "
        f"{epsilon:g} is zero "
        "in that type: small gradients are divided by zero"
        + (f"; the loss is not finite from step {broken} on." if broken is not None else "."),
        telling="proven" if broken is not None else "likely",
        where=where_optimizer(record, made.id),
        numbers={"tensors": len(small), "epsilon": epsilon},
        fix="Keep the weights in float32 and use autocast with a GradScaler, or bf16.",
    )
