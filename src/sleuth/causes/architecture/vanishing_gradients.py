"""Early layers receive gradients orders of magnitude smaller than late layers do.

## What happens
The last layers learn on random features and the first ones stay where initialisation left them.
The loss falls at first (a trained head on frozen noise is better than nothing) and then stops.
Each layer multiplies the backward signal by weights times derivative; if that product is 0.1, ten
layers leave 1e-10.

Measured on ten hidden layers of 128 with PyTorch's default initialisation, first-layer over
last-layer gradient norm: sigmoid 4e-9, tanh 0.04, ReLU 0.003. With He initialisation the ReLU
figure is 0.5. The default `nn.Linear` draws from a range of 1/sqrt(fan_in), which shrinks a ReLU
signal by about 0.4 a layer; at three layers it does no harm, at twenty it gave 4e-7.

In recurrent nets time is the depth: a linear recurrence with spectral radius 0.9 shrinks a
gradient to less than 1e-5 of its size over 100 steps, so what was said early in the sequence
cannot be learnt.

## How to tell
- **probe**: one backward pass; gradient norm over weight norm of the first weight layers, the best
  served of those that stand side by side (values beside queries and keys), is less than 1e-4 of that
  of the last.
- **watch**: early weights barely move relative to their size (update ratio under 1e-6) while late
  ones move by about 1e-3 a step. Where the loss does not change, a hundredth of the last layer's
  relative gradient is already worth an experiment.
- **experiment**: every weight matrix gets a gradient as large, for its own size, as the last ones
  get; directions stay. If the script learns then, the early layers got too small a gradient.
- **refuted by**: first and last layer have gradient-to-weight ratios within two orders of
  magnitude.

## How to fix
In this order: ReLU-like activations, initialisation that fits them, normalisation, skip
connections.
```python
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(d), nn.Linear(d, d)

    def forward(self, x):
        return x + torch.relu(self.fc(self.norm(x)))
```
For sequences use LSTM or GRU with the forget bias started at 1, or attention. Raising the rate
for all layers is no cure: the late ones diverge first. Adam partly hides small gradients, since
it divides by their size; it does not help once they drop near its eps of 1e-8.

## Often mistaken for
- `frozen-params`: gradients are None or exactly zero there, not merely small.
- `saturated-activations`: one possible reason for the shrinkage; name it when the units are in
  their tails.
- `bad-init-scale`: the activations fade with depth as well; name it when the initial weights
  explain both.

## Sources
- pascanu-2013: section 2, on when the product of Jacobians through time shrinks or grows.
- glorot-2010: section 4, on keeping the variance of activations and back-propagated gradients
  level across layers.
- he-2015: section 2.2, the initialisation for rectifiers and the effect on deep models.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import courses, learned, module_of, needed, where_module

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.gradients import ParameterFacts
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "bad-init-scale dead-relu detached-graph double-softmax frozen-params inputs-unnormalized "
    "labels-all-ignored loss-saturated over-regularized raw-units saturated-activations zero-init"
)
UNLESS = {"numbers": "overcome plays"}
WORTH_ASKING = True
LOOKS_LIKE = {"stuck from the start": "rarely"}
PREDICTS = {"same-batch": "usually", "lr×10": "usually"}

RATIO = 1e-4  # gradient over weight, first layer over last; see the page
FAINT = 1e-2  # of a loss that does not fall this much is worth an experiment; ReLU networks keep above it
EARLY = 4  # the early part is the first of so many equal parts, which grows with depth as the shrinkage does


def probe(bench: "Workbench") -> Iterator[Evidence]:
    weights = [p for p in bench.first.gradients.weights if p.gradient is not None and p.weight > 0]
    if len(weights) < 3:
        return
    first, last = weights[0], weights[-1]
    best = max(_early(weights), key=_steepness)
    early, late = _steepness(best), _steepness(last)
    if late > 0 and early < RATIO * late and not bench.wakes(first):
        ratio = early / late
        yield Evidence(
            f"Relative to its weights, `{best.name}` gets {ratio:.1e} of the gradient that `{last.name}` "
            f"gets ({len(weights)} layers between input and loss): the early layers do not change.",
            telling="likely",
            where=Where(module=first.module or None),
            numbers={"ratio": ratio, "first": early, "last": late},
            fix="Use residual connections, normalisation, ReLU-like activations and an initialisation "
            "that keeps scale.",
        )


def _steepness(parameter: "ParameterFacts") -> float:
    return (parameter.gradient or 0.0) / parameter.weight


def _early(weights: "Sequence[ParameterFacts]") -> "list[ParameterFacts]":
    """The first layers, with those that stand beside them.

    An attention that is still even gives its queries and keys next to nothing, while its values, which read
    the same input, learn well: the early part stands still only where the best served of them does.
    """
    first = weights[: max(1, len(weights) // EARLY)]
    inputs = {p.reads for p in first if p.reads is not None}
    return [*first, *(p for p in weights[len(first) : -1] if p.reads in inputs)]


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.evened_out(world)


STILL, ALIVE = 1e-6, 1e-4  # update over weight of a first layer that stands and a last one that moves
SAMPLES = 3


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers, Model

    needed(record.of(Layers), "gradients by layer")
    matrices = {p.name for m in record.of(Model) for p in m.parameters if len(p.shape) >= 2 and p.trainable}
    kinds = {layer.name: layer.type for model in record.of(Model) for layer in model.layers}
    pairs, moves, names = [], [], ("", "")
    for seen in record.of(Layers):
        called = {name: place for place, name in enumerate(seen.activations)}
        order = [
            name
            for name in seen.gradients
            if name in matrices and "Embedding" not in kinds.get(module_of(name), "")
        ]
        order.sort(key=lambda name: called.get(module_of(name), -1))
        alive = [name for name in order if seen.gradients[name] and seen.weights.get(name)]
        if len(alive) < 3 or alive[0] != order[0]:
            continue
        names = alive[0], alive[-1]
        steep = {name: (seen.gradients[name] or 0.0) / seen.weights[name] for name in alive}
        # The queries of an attention that is still even get next to nothing beside values that learn well.
        early = max(steep[name] for name in alive[: max(1, len(alive) // EARLY)])
        if not math.isfinite(early / steep[names[1]]):
            continue  # broken, which has names of its own
        pairs.append(early / steep[names[1]])
        if all(name in seen.updates for name in names):
            moves.append(tuple(seen.updates[name] / seen.weights[name] for name in names))
    stuck = any(curves.stuck(course.finite_losses) for course in courses(record)[:1])
    if len(pairs) < SAMPLES or curves.median(pairs) > (FAINT if stuck else RATIO):
        return
    suspected = curves.median(pairs) > RATIO
    stands = (
        bool(moves)
        and curves.median(m[0] for m in moves) < STILL
        and curves.median(m[1] for m in moves) > ALIVE
    )
    learns = any(learned(course) for course in courses(record)[:1])
    yield Evidence(
        f"Relative to its weights, the gradient of `{names[0]}` is {curves.median(pairs):.1e} of that of "
        f"`{names[1]}`"
        + (
            ": the early layers do not change while the late ones do."
            if stands
            else ": the early layers learn slowly."
        ),
        telling="open" if learns or suspected else "proven" if stands else "likely",
        where=where_module(record, module_of(names[0])),
        numbers={"ratio": curves.median(pairs), "samples": len(pairs)},
        fix="Use ReLU-like units, normalisation or residual paths, and He or Xavier initialisation.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_squashed, where_stacked

    if scene.record is None:
        return None
    return where_squashed(scene.record, scene.sources) or where_stacked(finding, scene.record)
