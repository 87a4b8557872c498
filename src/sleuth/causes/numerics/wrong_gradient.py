"""A hand-written backward disagrees with finite differences.

## What happens
Training still works, a bit. A wrong gradient that keeps a positive angle to the right one still
descends, so a missing factor 2, a forgotten transpose of a square matrix, or a dropped second path
through the same input shows only as a model that is strangely hard to tune. PyTorch believes
whatever `torch.autograd.Function.backward` returns; it checks shape and device, never the value.

The usual slips: `grad_output` not multiplied in (works as long as the loss is a plain sum),
broadcasting not summed back, an input used twice and counted once, `ctx.save_for_backward` of a
tensor that is later changed in place, no second derivative where a gradient penalty needs one.
NumPy code from a course has its own: dividing by the batch size twice, or not at all.

```python
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x                      # grad_output is missing
```

Some backward functions are wrong on purpose: straight-through estimators, gradient reversal,
surrogate spikes, quantisation. They cannot agree with finite differences, and should not.

## How to tell
- **probe**: central differences in float64 on a few random directions, `(f(x + h) - f(x - h)) / 2h`
  with h = 1e-6, against the analytic directional derivative. A relative error above 1e-2 is wrong,
  below 1e-7 right; between them suspect a kink (ReLU, max) next to the point. Dropout must be off.
- **refuted by**: `torch.autograd.gradcheck` passes in float64 at several random points.

## How to fix
Multiply by `grad_output`, then test, and keep the test. If the forward pass consists of ordinary
tensor operations, delete the custom backward: autograd gets it right. In float32 rounding alone
makes the check fail.

```python
@staticmethod
def backward(ctx, grad_output):
    (x,) = ctx.saved_tensors
    return 2 * x * grad_output

x = torch.randn(5, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(Square.apply, (x,))
```

## Often mistaken for
- `inplace-corruption`: the formula is right and a saved tensor was overwritten.
- `missing-detach`: the gradient is exact for the graph you built; the graph holds a path it should
  not.

## Sources
- cs231n-nn3: Gradient Checks; centred formula, relative error, double precision, kinks.
- pytorch-gradcheck: default backward mode behaviour; how the numerical and analytical values are
  compared.
- bengio-2013: the part on the straight-through estimator; a backward that is deliberately not the
  derivative.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Finding

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

PREDICTS = {"same-batch": "usually"}

WRONG, DOUBTFUL = 1e-2, 1e-4  # relative error against central differences in float64; below 1e-7 is right


def probe(bench: "Workbench") -> Iterator[Finding]:
    seen = bench.custom
    if seen.error <= DOUBTFUL:
        return
    wrong = seen.error > WRONG
    yield Finding(
        f"The gradient through {', '.join(seen.names)} differs from finite differences by a factor of "
        f"{seen.error:.1e} "
        + (
            "(above 1e-2: the hand-written backward is wrong)."
            if wrong
            else "(above 1e-4: a kink nearby, or wrong)."
        ),
        severity="error" if wrong else "note",
        credence=0.9 if wrong else 0.3,
        where=seen.where,
        numbers={"error": seen.error, "functions": ", ".join(seen.names)},
        fix="Run torch.autograd.gradcheck on the function in float64, term by term.",
    )
