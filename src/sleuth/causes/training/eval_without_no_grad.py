"""Evaluation records graphs that nobody will use, at the price of memory and time.

## What happens
`model.eval()` changes how layers behave; it does not switch gradient recording off. Evaluate
without `no_grad` and each forward pass keeps the activations for a backward pass that never comes.
The results are right. The bill is memory: as much as a training step's forward pass, so the batch
size you doubled "because evaluation is cheap" does not fit.

It becomes a leak when a tensor outlives its batch. `val_loss += loss` or
`outputs.append(model(x))` keeps the graph of *every* batch alive until the end of the loop, and
memory climbs in a straight line over the validation set. The typical report: training runs for an
hour and dies out of memory in the first evaluation.

There is one way in which it harms results: if evaluation code calls `backward()` (a saliency map,
a gradient penalty logged for interest), gradients add up in the parameters and the next training
step applies them unless it clears first.

```python
model.eval()
for x, y in val_loader:
    val_loss += criterion(model(x), y)        # a graph per batch, all kept
```

## How to tell
- **lint**: a loop over validation or test data that calls the model outside `no_grad` and
  `inference_mode`, with no `backward()`; severe if a raw loss or output is summed or stored.
- **watch**: forward calls in eval mode whose outputs have a `grad_fn` and are never used by a
  backward pass; memory that rises during evaluation and falls after it.
- **refuted by**: `torch.is_grad_enabled()` is False inside the evaluation loop.

## How to fix
```python
@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    total = sum(criterion(model(x), y).item() * len(y) for x, y in loader)
    return total / len(loader.dataset)
```
Use `no_grad` instead of `inference_mode` if the outputs enter a later gradient computation. Keep
recording on when evaluation needs derivatives: adversarial attacks, forces from an energy model,
physics residuals, influence scores. A frozen model whose inputs need no gradient records nothing
anyway.

## Often mistaken for
- `train-mode-eval`: the other switch; it changes the numbers, this one changes the cost.
- `memory-growth`: the symptom; growth during evaluation only points here.
- `loss-not-reset`: the same accumulation of graphs, in the training loop.

## Sources
- pytorch-autograd: "Evaluation Mode"; eval is independent of no-grad and inference mode.
- pytorch-faq: "My model reports cuda runtime error(2): out of memory", on history kept by a sum.
- pytorch-tuning: "Disable gradient calculation for validation or inference".
"""

import re
from collections.abc import Iterator

from sleuth.facts.flow import possible
from sleuth.facts.interpreter.values import Call
from sleuth.facts.program import Program, clue, place
from sleuth.facts.topics.gradients import trained_by
from sleuth.facts.topics.modes import (
    descendants,
    forwards,
    judged_by,
    last_mode,
    same_module,
    users,
)
from sleuth.finding import Finding

# Evaluation that needs derivatives: attacks, forces, residuals, saliency.
_DERIVATIVES = re.compile(
    r"autograd\.grad|requires_grad|\.grad\b|functorch|torch\.func|jacobian|hessian|vjp|jvp"
)
_RECORDING = re.compile(r"no_grad|inference_mode|set_grad_enabled|enable_grad")


def lint(program: Program) -> Iterator[Finding]:
    if program.training.framework or _DERIVATIVES.search(program.source.text):
        return
    learning = [call for _, applied in trained_by(program) for call in applied]
    reached = {id(call) for call in learning}
    for call in forwards(program):
        if not call.context.grad or id(call) in reached or not call.context.loops:
            continue
        mode = last_mode(program, call, call.receiver)
        if mode is None or mode.kind != "eval" or not _same_function(mode.call, call):
            continue
        if _backward_near(program, call) or judged_by(program, call) is None:
            continue
        trained_here = any(same_module(call.receiver, other.receiver) for other in learning)
        if not trained_here and _RECORDING.search(program.source.text):
            continue
        hoarded = _hoarded(program, call)
        message = (
            "The model is in eval mode, but gradient recording is on: each batch builds a graph nobody uses"
        )
        if hoarded is not None:
            message += f", and line {place(hoarded).line} keeps every one of them alive until the loop ends"
        yield clue(
            # a function that nobody here calls may be called inside a scope
            "note" if call.context.sites and not trained_here else "warning",
            call,
            message + ".",
            fix="Wrap the evaluation in `with torch.no_grad():` (or decorate it with "
            "`@torch.inference_mode()`).",
        )


def _same_function(mode: Call, call: Call) -> bool:
    return mode.context.function is call.context.function


def _backward_near(program: Program, call: Call) -> bool:
    """A backward call in the same loop, or one that this output reaches: not a mere evaluation."""
    if any(event.inside(call.context.loops[-1]) for event in program.training.of("backward")):
        return True
    return any(after.op in (".backward", "torch.autograd.backward") for after in descendants(program, call))


def _hoarded(program: Program, call: Call) -> Call | None:
    """Where the raw output, or a raw loss of it, is stored or summed up over the loop."""
    frontier = [
        call,
        *(user for user in users(program).get(id(call), ()) if user.op == "()" or "loss" in user.op),
    ]
    for value in frontier:
        for user in users(program).get(id(value), ()):
            if user.op in ("+=", ".append") and any(
                option is value for given in user.args for option in possible(given)
            ):
                return user
    return None
