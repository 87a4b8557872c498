"""The residual's gradient swamps the boundary terms, so another problem gets solved.

## What happens
A small residual does not mean a correct solution. A differential equation has many solutions and the
boundary and initial conditions choose one. The residual contains derivatives, each of which
multiplies the network's weights and frequencies into the gradient once more, so it pulls much
harder than the plain values on the boundary. For u'' = f on [0, 1] with the solution sin(8 pi x)
and a fresh small tanh network the ratio was 100 to 280; with sin(pi x) it was 24 to 87.

The training curve looks good throughout. With sin(4 pi x) and equal weights, after 3000 steps of
Adam the residual loss had fallen from 12,000 to 0.3 while the ends were off by about 0.45 and the
solution by 37%: right curvature, plus a straight line that should not be there. With the boundary term
weighted by 1000 the error was 0.3%.

```python
loss = residual.pow(2).mean() + boundary.pow(2).mean()      # equal weights are not equal forces
```

## How to tell
- **probe**: gradient norms of the residual and of each boundary or initial term, separately, over
  the same parameters. A ratio above about 100 starves the boundary.
- **watch**: the residual falls by orders while a boundary term stays flat or rises; the boundary
  error is a visible share of the solution's own size at the end.
- **refuted by**: the boundary values are met to well within the tolerance you need, or the gradient
  norms are of one order.

## How to fix
Best of all, build the condition into the network, so that there is nothing left to balance.
Otherwise weight by gradient norms and update the weights slowly.

```python
u = g0 * (1 - x) + g1 * x + x * (1 - x) * net(x)     # u(0) = g0 and u(1) = g1, exactly

ratio = grad_norm(residual_loss) / grad_norm(boundary_loss)
weight = 0.9 * weight + 0.1 * ratio.detach()         # every 100 steps or so
loss = residual_loss + weight * boundary_loss
```

Make the problem dimensionless first: bad units produce the same picture, and weighting them is a
patch. For time-dependent problems also check that early times are learnt before late ones.

## Often mistaken for
- `raw-units`: the root, if the terms differ because of their units.
- `loss-terms-imbalanced`: the same in general; this name is for residual against boundary.
- `physics-hurts`: boundary and data are met and the prediction is still worse than without the
  equation.

## Sources
- wang-2021: the analysis of gradient pathologies and the learning rate annealing algorithm;
  boundary gradients are dwarfed by the residual's, and weights that follow the ratio.
- wang-2023: Loss balancing; weights derived from gradient norms.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import needed

if TYPE_CHECKING:
    from sleuth.record.entries import Metric, Record

_BOUNDARY = re.compile(r"(?:^|[^a-z])(bc|ic|bnd|boundary|initial|bcs|ics)(?:$|[^a-z])", re.IGNORECASE)
_RESIDUAL = re.compile(r"(?:^|[^a-z])(res|residual|pde|ode|phys|physics|eq|f)(?:$|[^a-z])", re.IGNORECASE)
FELL, STANDS = 10.0, 2.0  # the residual falls by orders, the boundary term hardly
ENOUGH = 3  # reports; what they must show leaves no room for chance


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Metric

    series: dict[str, list[Metric]] = {}
    for metric in record.of(Metric):
        series.setdefault(metric.name, []).append(metric)
    boundary = {name: seen for name, seen in series.items() if _BOUNDARY.search(name) and len(seen) >= ENOUGH}
    residual = {name: seen for name, seen in series.items() if _RESIDUAL.search(name) and len(seen) >= ENOUGH}
    needed(boundary and residual, "logged residual and boundary terms")
    for name, seen in boundary.items():
        for other, told in residual.items():
            down, edge = _fall(told), _fall(seen)
            if name == other or down < FELL or edge > STANDS or seen[-1].value < 1e-4:
                continue
            yield Evidence(
                f"{other} fell {down:.0f} times to {told[-1].value:.2g} while {name} is still "
                f"{seen[-1].value:.2g} (from {seen[0].value:.2g}): the equation is solved with the wrong "
                "boundary values.",
                telling="likely",
                where=Where(record.run.script or None, seen[-1].line) if seen[-1].line else None,
                numbers={"residual_fall": down, "boundary_fall": edge, "boundary": seen[-1].value},
                fix="Give the boundary term more weight (10 to 100 times, or by gradient norms), or "
                "build it into the network.",
            )
            return


def _fall(told: "list[Metric]") -> float:
    values = [abs(metric.value) for metric in told]
    return values[0] / max(curves.median(values[-3:]), 1e-30)
