"""A fitted physical scalar sits at zero or at its bound, and means nothing there.

## What happens
The fit looks good and the coefficient you wanted is 0, or exactly the limit you set. In an inverse
problem the unknowns (a viscosity, a rate, a damping) train along with the network, and there are
several cheap ways out. With the coefficient at zero a term of the equation vanishes, and so does
its residual: if the network is flexible enough to fit the data alone, the trivial equation is the
easiest to satisfy. Two coefficients that enter only as a product leave a whole valley of equal
fits, along which one of them drifts. And a parameter that the data do not determine goes wherever
noise or weight decay takes it, which is usually zero.

Bounds make it silent. `clamp` has no gradient outside its range, so a parameter that crossed the
limit once stays there for good. A sigmoid mapping does the same more softly: the gradient fades near
the ends.

```python
nu = nn.Parameter(torch.tensor(0.0))
u_t = rhs(u, nu.clamp(0, 1))                                       # below 0: gradient 0, for ever
optimizer = torch.optim.AdamW([*net.parameters(), nu], lr=1e-3)    # decays nu as well
```

## How to tell
- **watch**: the scalar's record. It reaches zero or its bound early and stays; its gradient is zero
  or always pushes outwards; or it still drifts steadily when training stops. Different starts end
  at different values with the same loss.
- **refuted by**: from three different starting values it arrives at the same interior value.

## How to fix
Ask first whether the data can determine it: fix it at several values, train the rest, and plot loss
against value. A flat curve means no; then you need other measurements, or a combination of
parameters. If the curve has a minimum, make the path to it easy.

```python
log_nu = nn.Parameter(torch.tensor(0.1).log())       # positive by construction, order one
nu = log_nu.exp() * nu_scale
optimizer = torch.optim.Adam([{"params": net.parameters(), "lr": 1e-3},
                              {"params": [log_nu], "lr": 1e-2, "weight_decay": 0.0}])
```

Fit the network to the data for a while before the scalar is released. A coefficient that is really
zero is a result: report it, if the curve above has its minimum there.

## Often mistaken for
- `params-not-in-optimizer`: the scalar stays at its *starting* value, since nothing updates it.
- `lr-too-low`: it moves the right way and has not arrived; give it a rate of its own.
- `physics-hurts`: the equation is wrong and a zero coefficient is the model's way of saying so.

## Sources
- raissi-2019: the part on data-driven discovery; unknown coefficients trained together with the
  network.
- raue-2009: the method section; profile likelihoods tell parameters that data determine from those
  that they do not.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.record.questions import needed, where_module

if TYPE_CHECKING:
    from sleuth.record.entries import Record

GONE = 1e-3  # of its start
SAMPLES = 6


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers, Model

    scalars = {
        p.name: p.norm
        for model in record.of(Model)
        for p in model.parameters
        if math.prod(p.shape) == 1 and p.trainable and "." not in p.name
    }
    samples = record.of(Layers)
    for name, start in scalars.items():
        values = [abs(seen.weights[name]) for seen in samples if name in seen.weights]
        needed(values, "values of the fitted scalars")
        changes = [seen.updates[name] for seen in samples if name in seen.updates]
        if len(values) < SAMPLES or not start:
            continue
        late = values[len(values) // 2 :]
        if max(late) < GONE * start:
            telling: Telling = "likely"
            text = f"went from {start:.3g} to {late[-1]:.2g} and stays at zero"
        elif len(set(late)) == 1 and late[0] != start and any(changes[: len(changes) // 2]):
            telling = "open"
            text = f"moved from {start:.3g} to {late[-1]:.4g} and has not left it since"
        else:
            continue
        yield Evidence(
            f"The fitted scalar `{name}` {text}: a bound stops it, or the loss does not depend on it.",
            telling=telling,
            where=where_module(record, name),
            numbers={"start": start, "last": late[-1]},
            fix="Start from three different values; fit its logarithm if it must stay positive; check its "
            "gradient.",
        )
