"""Equations or data are left in units whose magnitudes differ by many orders.

## What happens
Physics is indifferent to units and gradient descent is not. Take the heat equation in a rod: 10 cm
long, 1000 seconds, 300 kelvin, diffusivity 1e-5 m2/s. In SI units a fresh tanh network starts with
a data loss of 90,000 and a residual loss of 0.000007; the gradient norms differ by a factor of ten
million, and more than 95% of the first layer's units are saturated by inputs of up to 1000. In
scaled variables the same kind of problem starts at about 0.5 and 0.01, the norms differ by a factor
of ten and no unit is saturated.

The bad version still runs. The network fits the large term and treats the other as zero.
Derivatives make it worse: each one divides by a length or a time, so a second derivative in a
domain of a millimetre brings a factor of a million. Loss weights can hide this but must then be
found again for every problem.

```python
T = net(torch.cat([x_m, t_s], 1))                 # metres, seconds, kelvin
residual = dT_dt - 1e-5 * d2T_dx2
loss = ((T_data - T) ** 2).mean() + (residual ** 2).mean()
```

## How to tell
- **probe**: the loss holds derivatives of the model by its inputs, and these reach the first layer
  with sizes far above one, or three orders of magnitude apart. Look yourself at the terms of the
  equation, and at an output whose mean is far larger than its std (300 K plus or minus 5). The
  first layer's saturation confirms it.
- **refuted by**: inputs, outputs and each term of the residual are all of order one.

## How to fix
Make the equation dimensionless *before* writing code: choose a length, a time and a scale of the
unknown such that the coefficients become of order one, train in those variables, convert back at
the end.

```python
L, tau, T0, dT = 0.1, 0.1 ** 2 / 1e-5, 300.0, 5.0     # tau = L^2 / diffusivity = 1000 s
xi, s = x_m / L, t_s / tau
theta = net(torch.cat([xi, s], 1))                    # T = T0 + dT * theta
residual = dtheta_ds - d2theta_dxi2                   # the coefficient is now 1
```

Merely standardising the inputs *outside* the graph breaks the derivatives unless the chain rule is
applied; scale inside the network, or change the equation. A dimensionless number that stays large
or small (a Reynolds number, a stiff rate) is physics, not units: it needs other remedies.

## Often mistaken for
- `inputs-unnormalized`: the same for ordinary data; here derivatives and equation terms are
  affected too.
- `boundary-starved`: what may remain after scaling, when the residual still outweighs the boundary.
- `saturated-activations`: a symptom of large raw inputs in the first layer.

## Sources
- wang-2023: Non-dimensionalization; scaling inputs and outputs as the first step of the training
  pipeline.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene

# Coordinates are few; pictures whose slope is taken (a gradient penalty) are no equation.
MOST_COORDINATES = 8
# What a fresh first layer takes without saturating, and what it certainly does not.
LARGE, HUGE = 10.0, 100.0
APART = 1e3  # between two coordinates: no learning rate suits both


def probe(bench: "Workbench") -> Iterator[Evidence]:
    first = bench.first
    if bench.failure or not first.differentiated or first.normalised_first:
        return
    few = [sizes for sizes in first.entering.values() if len(sizes) <= MOST_COORDINATES]
    sizes = [size for entering in few for size in entering if size > 0]
    if not sizes:
        return
    if max(sizes) <= LARGE and max(sizes) <= APART * min(sizes):
        return
    grave = max(sizes) > HUGE
    yield Evidence(
        "The coordinates that the loss differentiates by reach the first layer with sizes from "
        f"{min(sizes):.2g} to {max(sizes):.3g}: the layer saturates on the large ones, and each "
        "derivative scales with the inverse, so the terms of the equation differ by orders of magnitude.",
        telling="proven" if grave else "likely",
        numbers={"largest": max(sizes), "smallest": min(sizes)},
        fix="Make the equation dimensionless: train in x/L, t/T and (u - u0)/du, with the coefficients that "
        "follow, and convert back at the end.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.scene import of_inputs

    return of_inputs(finding, scene)
