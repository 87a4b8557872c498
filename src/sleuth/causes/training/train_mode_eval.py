"""Evaluation runs in train mode: dropout is active and batch norm uses the batch at hand.

## What happens
Your validation score is too low, and it changes when you ask twice. With dropout active each
evaluation is a lottery: a small network with dropout 0.5 that scores 88.7% in eval mode gave 83%
to 87% in five repeats in train mode. Model selection then picks the luckiest draw.

Batch norm does worse. A prediction depends on which other examples share its batch, so scores
change with batch size and order; sorted evaluation data (all cats, then all dogs) can collapse.
And every evaluation batch writes into the running statistics: ten batches whose mean is 3 pull a
running mean of 0 to 1.95. Evaluation data thereby leaks into the model you ship. A batch of one
raises "Expected more than 1 value per channel when training", the only loud sign.

`torch.no_grad()` does not help. It stops gradients, not dropout and not the statistics.

```python
with torch.no_grad():                 # looks like evaluation
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
```

## How to tell
- **lint**: an evaluation function or `no_grad` loop over validation data without `eval()` before
  it, on a model that has dropout or batch norm.
- **watch**: forward calls without a following backward pass, recording off, and `module.training`
  True; `num_batches_tracked` advances during evaluation; one batch given twice yields different
  outputs.
- **refuted by**: two evaluations of the same weights on the same data that agree to the last digit
  and leave all buffers unchanged.

## How to fix
```python
model.eval()
with torch.inference_mode():
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
model.train()
```
Call `eval()` before exporting or loading for inference as well. Train mode at test time is
deliberate in Monte-Carlo dropout (many samples, averaged), in test-time adaptation, and when
batch-norm statistics are re-estimated on *training* data after weight averaging.

## Often mistaken for
- `dropout-ignores-mode`: there `eval()` is called and a functional dropout does not listen.
- `overfitting`: a gap between training and validation loss too, but it survives `eval()`.
- `augmented-eval`: the noise comes from the inputs, not from the model.

## Sources
- karpathy-2018: second item of the opening post.
- pytorch-saving: "Saving & Loading Model for Inference"; why eval must be called first.
- ioffe-2015: section 3.1; at inference an output should depend on its own input only.
"""

from collections.abc import Iterator

from sleuth.facts.interpreter.values import Call, Unknown
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.gradients import trained_by
from sleuth.facts.topics.modes import (
    base,
    descendants,
    forwards,
    identity,
    is_model,
    judged_by,
    last_mode,
    mode_events,
    mode_matters,
    named_only,
    same_module,
)
from sleuth.finding import Finding

# What gathers several draws of one input: Monte-Carlo dropout keeps train mode on purpose.
GATHERS = frozenset({"torch.stack", "torch.cat", "numpy.stack", "numpy.mean", "builtins.sum"})

NEEDS = "eval ropout BatchNorm train"


def lint(program: Program) -> Iterator[Finding]:
    if program.training.framework:
        return
    learning = [call for _, applied in trained_by(program) for call in applied]
    reached = {id(call) for call in learning}
    for call in forwards(program):
        if id(call) in reached or not any(same_module(call.receiver, other.receiver) for other in learning):
            continue
        severity = _in_train_mode(program, call)
        if severity is None or not _judges_other_data(program, call, learning):
            continue
        if judged_by(program, call) is None or _several_draws(program, call):
            continue
        named = named_only(program, "eval", call)
        if named is not None:
            yield clue(
                "error" if severity == "error" else "warning",
                named,
                "`eval` is named here and not called: the model stays in train mode when line "
                f"{place(call).line} judges it.",
                fix="Write `model.eval()`.",
            )
            continue
        yield clue(
            "error" if severity == "error" else "warning",
            call,
            "The model is judged here while it is still in train mode: dropout is active, and "
            "batch norm uses (and "
            "learns from) the evaluation batch.",
            fix="Call `model.eval()` before the evaluation and `model.train()` before training goes on.",
        )


def _in_train_mode(program: Program, call: Call) -> str | None:
    """Proven where the model has dropout or batch norm; likely where nothing ever calls eval()."""
    matters = mode_matters(call.receiver, program)
    deciding = last_mode(program, call, call.receiver)
    if matters is False or (deciding is not None and deciding.kind == "eval"):
        return None
    events = mode_events(program, call.receiver)
    if matters and is_model(call.receiver):
        return "error" if deciding is not None or not any(event.kind == "eval" for event in events) else None
    if (
        deciding is not None
        and ".eval(" not in program.source.text
        and "train(False)" not in program.source.text
    ):
        return "warning"
    return None


def _judges_other_data(program: Program, call: Call, learning: list[Call]) -> bool:
    """Not the batch, loader or tensor that the model is trained on: that is a training metric."""
    if not call.args:
        return False
    data = base(call.args[0])
    trained_on = {
        identity(base(other.args[0]))
        for other in learning
        if other.args and same_module(other.receiver, call.receiver)
    }
    if data is None or identity(data) in trained_on:
        return False
    # With recording on, only a loop over something that is not trained on tells evaluation from training.
    return not call.context.grad or not (isinstance(data, Unknown) or _feeds_backward(program, call))


def _feeds_backward(program: Program, call: Call) -> bool:
    return any(
        after.op in (".backward", "torch.autograd.grad", "torch.autograd.backward")
        for after in descendants(program, call)
    )


def _several_draws(program: Program, call: Call) -> bool:
    """The same input again and again, the outputs gathered: the spread of dropout is what is wanted."""
    loops = call.context.loops
    repeated = bool(loops) and isinstance(loops[-1].over, Call) and loops[-1].over.op == "builtins.range"
    gathered = any(after.op in GATHERS for after in descendants(program, call, 20))
    uncertain = any(
        after.op in (".std", ".var", "numpy.std", "numpy.var", "torch.std")
        for after in descendants(program, call, 40)
    )
    return (repeated and gathered and not _varies(call)) or uncertain


def _varies(call: Call) -> bool:
    """Whether the input depends on the turn of the innermost loop."""
    from sleuth.facts.flow import ancestry

    loop = call.context.loops[-1]
    return any(
        isinstance(value, Call) and value.op == "next" and value.node is loop.node
        for given in call.args
        for value in ancestry(given, 200)
    )
