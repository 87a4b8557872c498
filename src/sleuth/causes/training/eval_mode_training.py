"""The model trains in eval mode: dropout is off and batch statistics are not updated.

## What happens
`evaluate()` calls `model.eval()` and nobody calls `model.train()` again. From the second epoch on
dropout does nothing, and batch norm normalises with its running statistics instead of those of the
batch. The training loss often gets *better*, since dropout noise is gone, so the curves look fine
until the model overfits.

With batch norm it depends on when it happens. In eval mode from the start the running mean stays 0
and the variance 1: the layer is a plain scale and shift, and a deep network loses the very
stabiliser it was built around. After a healthy first epoch the statistics are frozen while the
weights move on, and they fit the activations less with each step.

Some libraries hand you a model in eval mode: Hugging Face `from_pretrained` does. Its `Trainer`
switches back; a hand-written loop must do so itself.

```python
model.train()                    # once, before the loop
for epoch in range(epochs):
    train_one_epoch(model)
    evaluate(model)              # calls model.eval() and leaves it so
```

## How to tell
- **lint**: an `eval()` inside the epoch loop, or in a function it calls, with no `train()` on the
  way back to the next training pass; a `from_pretrained` model that goes into a hand-written loop
  without `train()`. It only matters if dropout, batch norm or the like is present.
- **watch**: `module.training` is False at forward calls that are followed by a backward pass;
  `num_batches_tracked` stands still; two forward passes on one batch agree exactly despite
  dropout.
- **refuted by**: `model.training` is True, in all submodules, at the first training forward pass
  of the second epoch.

## How to fix
Set the mode where it is used, not once at the top.

```python
for epoch in range(epochs):
    model.train()
    train_one_epoch(model)
    model.eval()
    evaluate(model)
```
Frozen batch norm is a deliberate recipe for fine-tuning with small batches: then only the norm
layers are in eval mode, not the root. A model without mode-dependent layers does not care. Neither
do a teacher, a target network or a perceptual loss kept in eval.

## Often mistaken for
- `train-mode-eval`: the mirror image; there the evaluation is noisy and training is right.
- `overfitting`: here the missing dropout is what lets it overfit; check the flag first.
- `frozen-params`: weights do not move there; here they move under the wrong normalisation.

## Sources
- karpathy-2018: second item of the opening post, the forgotten switch between the modes.
- pytorch-autograd: "Evaluation Mode"; switching both ways is the caller's duty.
- ioffe-2015: section 3.1; batch statistics in training, population statistics at inference.
"""

from collections.abc import Iterator

from sleuth.facts.interpreter.values import Call
from sleuth.facts.loop import Event
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.gradients import optimizes, steps_after, trained_by
from sleuth.facts.topics.modes import forwards, left_in_eval, mode_events, mode_matters, named_only
from sleuth.finding import Finding

NEEDS = "eval"


def lint(program: Program) -> Iterator[Finding]:
    if program.training.framework:
        return
    outermost = {id(call) for call in forwards(program)}
    for backward, applied in trained_by(program):
        for call in applied:
            if id(call) not in outermost or not _learns(program, backward, call):
                continue
            matters = mode_matters(call.receiver, program)
            if matters is False:
                continue
            event = left_in_eval(program, call, call.receiver)
            named = named_only(program, "train", call) if event is not None else None
            if event is not None and named is not None:
                yield clue(
                    "error" if matters else "warning",
                    named,
                    f"`train` is named here and not called: `eval()` on line {event.line} stays in force for "
                    f"the training forward pass on line {place(call).line}.",
                    fix="Write `model.train()`.",
                )
            elif event is not None and event.call.order > call.order:
                # the evaluation is right to switch; what is missing is the way back, and here it bites
                yield clue(
                    "error" if matters else "warning",
                    call,
                    f"From the second turn on this training forward pass runs in eval mode: `eval()` on line "
                    f"{event.line} is still in force, dropout is off and batch statistics stand still.",
                    fix="Call `model.train()` before each training pass (or after each evaluation).",
                )
            elif event is not None:
                yield clue(
                    "error" if matters else "warning",
                    event.call,
                    f"`eval()` here is still in force when line {place(call).line} runs the "
                    "training forward pass: "
                    "dropout is off and batch statistics stand still.",
                    fix="Call `model.train()` before each training pass (or after each evaluation).",
                )
            elif _arrives_in_eval(call) and not mode_events(program, call.receiver):
                yield clue(
                    "warning",
                    call,
                    f"`from_pretrained` on line {place(call.receiver or call).line} hands the model "
                    "over in eval mode "
                    "and nothing calls `train()`: it is fine-tuned without its dropout.",
                    fix="Call `model.train()` before the training loop.",
                )


def _learns(program: Program, backward: Event, call: Call) -> bool:
    """An optimizer applies this gradient to the model; an attack or a saliency map only reads it."""
    steps = steps_after(program, backward)
    return bool(steps) and not all(optimizes(step.about, call.receiver) is False for step in steps)


def _arrives_in_eval(call: Call) -> bool:
    made = call.receiver
    return (
        isinstance(made, Call)
        and made.op.startswith("transformers.")
        and made.op.endswith(".from_pretrained")
    )
