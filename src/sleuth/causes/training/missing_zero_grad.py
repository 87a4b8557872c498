"""Gradients are never cleared, so each step applies the sum of all gradients so far.

## What happens
`backward()` adds to `.grad`; it never overwrites it. Without a `zero_grad()` in the loop, step t
applies the sum of t gradients. For plain SGD this is, number for number, SGD with `momentum=1.0`:
a ball rolling without friction. On a quadratic bowl it swings around the minimum for ever.

It starts *faster* than the correct loop, which is how it survives a smoke test. On a small
four-class network (SGD, lr 0.1) the loss without clearing was 0.90 after ten steps against 1.23
with it, then 1.28 after a hundred and 112 after three hundred, where the correct twin stood at
0.15. Adam hides the bug better still: it divides the growing size away and what is left acts like
extra momentum. The same network with Adam reached a *lower* loss than its twin (0.03 against
0.27). A falling loss does not clear you.

```python
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()          # applies this gradient plus every earlier one
```

## How to tell
- **lint**: the loop holds `backward()` and `step()`, and nowhere in the cycle a `zero_grad()` on
  the optimizer, the model or a part of it, nor `p.grad = None`. The order is cyclic: clearing at
  the end of the body is as good as at the start.
- **watch**: `.grad` is already filled when `backward()` begins although a step has just been
  taken, and the gradient norm climbs step after step (0.5 to 13 in the run above) while a norm
  measured on a fresh gradient stays where it was.
- **refuted by**: `.grad` is None or all zero on entry to the first `backward()` after a step.

## How to fix
Clear once for each optimizer step, anywhere between `step()` and the next `backward()`:

```python
optimizer.zero_grad()
loss = criterion(model(x), y)
loss.backward()
optimizer.step()
```
Leave it alone when several `backward()` calls belong to one step on purpose (gradient
accumulation, or two losses summed into one update). An LBFGS closure clears inside the closure.
Expect to retune the rate afterwards: a value chosen with the bug in place is usually too small.

## Often mistaken for
- `lr-too-high`: there a fresh gradient grows only because the loss grows; here the stored gradient
  grows while the loss is still falling.
- `accumulation-unscaled`: there gradients are cleared every k batches and the sum is bounded.

## Sources
- karpathy-2018: third item of the opening post, among the most frequent mistakes.
- pytorch-optim: "Taking an optimization step"; the reference loop clears before each backward.
"""

from collections.abc import Iterator

from sleuth.facts.flow import same
from sleuth.facts.loop import TrainingLoop
from sleuth.facts.program import Program, clue
from sleuth.facts.values import Value
from sleuth.finding import Finding


def lint(program: Program) -> Iterator[Finding]:
    if program.training.framework:
        return
    for loop in program.training.loops:
        steps = [step for step in loop.of("step") if step.call.op == ".step"]
        if not steps or _someone_else_may_zero(loop):
            continue
        zeroed = [event.about for event in loop.of("zero_grad")]
        for step in steps:
            if not zeroed or (
                _all_are_optimizers(loop, zeroed) and not any(same(step.about, other) for other in zeroed)
            ):
                yield clue(
                    "error",
                    loop.of("backward")[0].call,
                    f"`backward()` adds to the gradients of the turn before: nothing in the loop clears them before "
                    f"the step on line {step.line}.",
                    fix="Call `optimizer.zero_grad()` once a turn, before `backward()`.",
                )


def _someone_else_may_zero(loop: TrainingLoop) -> bool:
    """The object stepped came from outside and backward is not the loss's own: an engine that clears by itself."""
    return any(
        event.call.args
        for event in loop.of("backward")
        if event.call.op == ".backward" and event.about is not event.call.receiver
    )


def _all_are_optimizers(loop: TrainingLoop, zeroed: list[Value | None]) -> bool:
    """Nobody clears through a model (which may hold everybody's parameters) or by hand."""
    return all(any(same(about, optimizer) for optimizer in loop.optimizers) for about in zeroed)
