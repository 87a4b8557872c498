"""Some trainable parameters belong to no optimizer and keep their random initial values.

## What happens
The optimizer updates the list it was given, not "the model". Parameters outside that list receive
gradients and never move. The rest of the network adapts to the random, frozen part, the loss
falls, and you conclude that the model is a bit weak. In a two-layer network where only the head
was passed, the loss went from 1.39 to 0.74 in 200 steps: plausible, and wrong.

A second effect is nastier. `optimizer.zero_grad()` clears only its own parameters, so the
forgotten gradients pile up: from 0.18 to 50 in those 200 steps. If you then call
`clip_grad_norm_(model.parameters(), 1.0)`, the pile counts in the total norm and the clip divides
the live gradients by fifty.

Usual places: a learnable loss (metric-learning centres, log-variances of task weights), a second
encoder, a module created in the first forward pass, a hand-made group list built from name filters
that match neither "backbone" nor "head", an `nn.Parameter` created after the optimizer.

```python
criterion = CenterLoss(num_classes, dim)             # has parameters of its own
optimizer = torch.optim.AdamW(model.parameters())    # and they are not here
```

## How to tell
- **probe**: compare by identity the parameters with `requires_grad=True`, of the model and of the
  loss, with those in the optimizers' `param_groups`. Report the ones in neither that receive a
  gradient from the loss.
- **watch**: the same comparison in the live run, and the signature of it: a parameter with a
  non-zero, steadily growing gradient whose value never changes.
- **experiment**: corrected from outside, parameters of the models in use that no optimizer holds are
  given to the one that steps; they begin to change.
- **refuted by**: every parameter that requires a gradient is found, by `id`, in some param group.

## How to fix
```python
params = [*model.parameters(), *criterion.parameters()]
optimizer = torch.optim.AdamW(params, lr=1e-3)
owned = {id(p) for g in optimizer.param_groups for p in g["params"]}
assert all(id(p) in owned for p in params if p.requires_grad)
```
For a module that appears later use `optimizer.add_param_group`. If the part is meant to stay
fixed, say so with `requires_grad_(False)`: this saves the backward work and silences the alarm.
Target networks and EMA teachers belong in no optimizer.

## Often mistaken for
- `stale-optimizer-params`: there the optimizer holds *other* tensors, from a model you replaced.
- `unregistered-modules`: there `model.parameters()` itself does not list the layer.
- `frozen-params`: the parameter has `requires_grad=False` and no gradient at all.

## Sources
- pytorch-optim: "Constructing it" and "Per-parameter options"; the caller lists what is optimized.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import loaded, module_of, needed, where_module, where_optimizer

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
CONSEQUENCE_OF = "model-reset-in-loop stale-optimizer-params unregistered-modules"
INVITED_BY = {"requires_grad": 3.0}
PREDICTS = {"same-batch": "even"}


def probe(bench: "Workbench") -> Iterator[Evidence]:
    gradients = bench.first.gradients
    if not gradients.optimizers:
        bench.subject.optimizer  # noqa: B018  says that none was given
    receiving = [p for p in gradients.parameters if p.trainable and p.gradient]
    missing = [p for p in receiving if p.optimizer is None]
    held = [p for p in receiving if p.optimizer is not None]
    if not missing:
        return
    # Only the last layers in the optimizer is how a head is trained on a pretrained body: on purpose, mostly.
    whole = {p.module for p in missing}.isdisjoint(p.module for p in held)
    head_only = bool(held) and whole and max(p.order for p in missing) < min(p.order for p in held)
    yield Evidence(
        f"{len(missing)} of {len(receiving)} parameters that receive a gradient are in no optimizer, such "
        f"as `{missing[0].name}`: they keep their initial values.",
        telling="open" if head_only else "proven",
        where=Where(module=missing[0].module or None),
        numbers={"missing": len(missing), "receiving": len(receiving), "first": missing[0].name},
        fix="Build the optimizer from `model.parameters()`; set requires_grad=False on what should not "
        "be trained.",
    )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_updates

    of_updates.every_parameter_held(world)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Holding, Layers, Model

    seen = [holding for holding in needed(record.of(Holding), "contents of optimizers") if holding.missing]
    if not seen or any(holding.foreign for holding in seen):
        return
    last = seen[-1]
    if last is not record.of(Holding)[-1] and not record.of(Holding)[-1].missing:
        return  # added later
    model = next((model for model in record.of(Model) if model.id == last.missing_model), None)
    whole = model is not None and len(last.missing) >= sum(p.trainable for p in model.parameters)
    moved = {name for layers in record.of(Layers) for name, change in layers.updates.items() if change}
    # Another model's layers may have the same names: of one that no optimizer holds at all, nothing moved.
    still = [name for name in last.missing if whole or name not in moved]
    if not still:
        return
    # Weights that were trained or loaded before may rest; a whole model without optimizer may be a teacher,
    # but one in train mode that was never trained has nothing to teach.
    resting = whole and not last.missing_trains
    # What an optimizer of an earlier phase held, all of it, has been trained: the projector of a pretraining.
    before = any(
        not one.missing and one.of_models.get(str(last.missing_model), 0) >= len(last.missing)
        for one in record.of(Holding)
        if one.optimizer != last.optimizer
    )
    meant = loaded(record) or resting or before or (model is not None and model.n > 0)
    yield Evidence(
        f"{len(still)} trainable parameters ({', '.join(still[:3])}{', ...' if len(still) > 3 else ''}) are "
        "in no optimizer: they get gradients and keep their "
        + ("values; fine if they are pretrained." if meant else "random initial values."),
        telling="open" if meant else "proven",
        # The line that would be edited is where the optimizer gets its parameters, not where the layer is.
        where=where_optimizer(record, last.optimizer) or where_module(record, module_of(still[0])),
        numbers={"parameters": len(still)},
        fix="Create the optimizer from `model.parameters()` after all layers exist, or add a parameter "
        "group.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import where_chosen

    return None if scene.record is None else where_chosen(scene.record, scene.sources)
