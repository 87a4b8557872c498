"""Inside the model the path from loss to parameters is cut; layers before it never learn.

## What happens
`.detach()`, `.data`, `.item()`, `.cpu().numpy()`, `torch.tensor(x)`, `torch.from_numpy`, `argmax`,
`round` and comparisons give plain values without history. Put one of them between two layers and
everything upstream stops learning. If something downstream is still trainable, `backward()`
succeeds and the loss falls: the rear of the network learns to read the random features of the
front. On a small task a full network reached 100% training accuracy; the same network with one
`.detach()` after its first layer stopped at 90%. On a hard task the gap is what you blame on the
architecture.

It is often the cure for an error message. "Can't call numpy() on Tensor that requires grad. Use
tensor.detach().numpy()" is good advice for a plot and poison in a forward pass.

The straight-through estimator has two sides, and they are easily swapped. `z + (q - z).detach()`
is worth q (the rounded, sampled or looked-up one) and differentiates as z. Written as
`q + (z - q).detach()` it is worth z, so nothing is quantised, and its gradient goes to q, where it
ends: the decoder trains on values it will never get, and the encoder hears nothing of the loss.

```python
def forward(self, x):
    z = self.encoder(x)
    z = torch.tensor(scale(z.detach().numpy()))   # a NumPy excursion
    return self.head(z)
```

## How to tell
- **lint**: one of the cutting operations lies in `forward`, or between two module calls of the
  training step, and its result feeds a later layer. `torch.tensor(tensor)` also makes torch print
  a "To copy construct from a tensor" warning. A straight-through estimator whose value is the
  smooth tensor and whose gradient goes to the one made of it by argmin, round, sign, a comparison
  or a draw.
- **probe**: after one backward pass the parameters upstream have `.grad` None while those
  downstream have one; walking `grad_fn` back from the loss ends before the encoder.
- **watch**: one group of parameters with `requires_grad=True`, used in every forward pass, has no
  gradient on any step and never changes.
- **experiment**: corrected from outside, `detach()` inside a model's forward does nothing; layers
  before the cut begin to move.
- **refuted by**: a non-None gradient on a parameter of the first layer.

## How to fix
Stay in torch. Whatever NumPy did has a tensor counterpart; choices without a derivative need an
estimator.

```python
z = self.encoder(x)
z = (z - z.mean(0)) / (z.std(0) + 1e-6)
z = z + (z.round() - z).detach()      # straight-through: forward rounds, backward passes
return self.head(z)
```
A detach is right when the other side must not learn: the generated sample in the discriminator's
update, a target or teacher value, the straight-through line above, a deliberately linear probe, a
state carried over between batches.

## Often mistaken for
- `loss-disconnected`: same cut, but in the code that computes the loss rather than in the model.
- `vanishing-gradients`: early gradients are tiny numbers there; here they are None.
- `unused-parameters`: the layer is not called at all.

## Sources
- pytorch-detach: the result is outside the graph and never requires a gradient.
- pytorch-autograd: "How autograd encodes the history"; a gradient exists only along recorded
  steps.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling, Where
from sleuth.places.origins import unread_layers
from sleuth.record.event_order import after_last_step
from sleuth.record.growth import called_modules, never_reached
from sleuth.record.questions import loaded, loss_calls, module_of, needed, raised, where_module
from sleuth.source.edits import Edits, without_method
from sleuth.source.flow import depends_on, root
from sleuth.source.interpreter.values import Call, Collection, Function, Value
from sleuth.source.program import Program, clue, rewrite, spot
from sleuth.source.topics.gradients import (
    applications,
    data_parents,
    everything_behind,
    frozen_somewhere,
    is_cut,
    optimizes,
    reached,
    steps_after,
    trained_by,
)
from sleuth.source.topics.modes import function_of, has_weights, holds

if TYPE_CHECKING:
    from sleuth.causes.training.detached_graph.straight_through import Estimator
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Model, Record

CONSEQUENCE_OF = "frozen-params no-grad-training stale-optimizer-params zero-grad-after-backward"
RIVALS = "loss-disconnected unused-parameters"
LOOKS_LIKE = {"stuck from the start": "usually"}
INVITED_BY = {"detach|\\.item\\(|no_grad": 2.0}
PREDICTS = {"same-batch": "even"}


# Cuts that somebody wrote; a comparison or a size read has no gradient by nature and accuses nobody.
WRITTEN_CUTS = frozenset(
    [
        ".detach",
        "@data",
        ".item",
        ".tolist",
        ".numpy",
        "torch.tensor",
        "torch.from_numpy",
        "torch.FloatTensor",
        "torch.Tensor",
    ]
)


def lint(program: Program) -> Iterator[Evidence]:
    yield from _swapped_estimators(program)
    if not any(True for _ in program.calls(*WRITTEN_CUTS)):
        return
    trained = trained_by(program)
    learned = {id(call.receiver) for _, applied in trained for call in applied}
    for backward, _ in trained:
        optimizers = [step.about for step in steps_after(program, backward)]
        for cut, starved in _cuts_before_layers(backward.about, learned):
            inside = _model_around(cut, starved)
            if not inside and not any(optimizes(one, starved.receiver) for one in optimizers):
                continue
            if any(optimizes(one, starved.receiver) is False for one in optimizers) and optimizers:
                if not any(optimizes(one, starved.receiver) for one in optimizers):
                    continue
            if not frozen_somewhere(program, starved.receiver):
                telling: Telling = "proven" if optimizers else "likely"
                yield _finding(cut, starved, telling, _joined_again(program, cut))
    yield from _bare_models(program, learned)


_WITHOUT_HISTORY = ("detach", ".data", "stop_gradient", "no_grad")


def _swapped_estimators(program: Program) -> Iterator[Evidence]:
    """`q + (z - q).detach()`, where q was quantised from z: worth z, and the gradient ends at q."""
    if not program.holds(*_WITHOUT_HISTORY):
        return
    from sleuth.causes.training.detached_graph.straight_through import estimators, is_quantised
    from sleuth.source.topics.likeness import alike

    found = list(estimators(program))
    for one in found:
        if not is_quantised(program, one.slope, one.worth) or is_quantised(program, one.worth, one.slope):
            continue
        if any(alike(other.slope, one.worth) and alike(other.worth, one.slope) for other in found):
            continue  # both ways side by side: two purposes, and somebody knows which is which
        yield clue(
            "proven",
            one.call,
            "A straight-through estimator with its two sides swapped: its value is that of the smooth "
            "tensor, so nothing is quantised, and its gradient goes to the quantised one, where it stops.",
            fix="Write `smooth + (quantised - smooth).detach()`.",
            edits=_sides_changed(one),
        )


def _sides_changed(one: "Estimator") -> Edits:
    """The two variables of the sum exchanged, where it has just these two."""
    node = one.call.node
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)] if node is not None else []
    ids = sorted({part.id for part in names})
    if len(ids) != 2 or len(names) < 3 or not isinstance(node, ast.BinOp):
        return ()
    other = dict(zip(ids, reversed(ids), strict=True))
    return tuple(
        edit for part in names for edit in rewrite(part, one.call.source, other[part.id], safe=False)
    )


def _bare_models(program: Program, learned: set[int]) -> Iterator[Evidence]:
    """Models that nobody here applies: judged by what their forward returns."""
    forwards = [call for call in program.calls("def") if getattr(function_of(call), "name", "") == "forward"]
    outermost = [call for call in forwards if not call.context.sites and call.result is not None]
    learned = learned | {
        id(applied.receiver) for call in outermost for applied in applications(reached(call.result))
    }
    for call in outermost:
        for cut, starved in _cuts_before_layers(call.result, learned):
            if _beside_its_slope(program, cut, starved):
                continue
            if _model_around(cut, starved) and not frozen_somewhere(program, starved.receiver):
                yield _finding(cut, starved, "likely", _joined_again(program, cut))


def _cuts_before_layers(loss: Value | None, learned: set[int]) -> Iterator[tuple[Call, Call]]:
    """Cuts whose result feeds a layer that learns, with a layer before the cut that no gradient reaches."""
    for layer in applications(reached(loss)):
        if not has_weights(layer.receiver) or not layer.context.grad:
            continue
        for value in _everything_behind_inputs(layer):
            if isinstance(value, Call) and value.op in WRITTEN_CUTS and is_cut(value) and value.context.grad:
                for starved in _just_before(value):
                    if id(starved.receiver) not in learned:
                        yield value, starved
                        break


def _everything_behind_inputs(layer: Call) -> Iterator[Value]:
    for given in data_parents(layer):
        yield from everything_behind(given)


def _just_before(cut: Call) -> Iterator[Call]:
    """The layers with weights whose gradient this very cut stops."""
    for given in data_parents(cut):
        for layer in applications(reached(given)):
            if has_weights(layer.receiver) and layer.context.grad:
                yield layer


def _model_around(cut: Call, starved: Call) -> bool:
    """Whether the cut lies in the forward pass of the model that holds the starved layer."""
    for site in cut.context.sites:
        function = site.receiver
        if isinstance(function, Function) and getattr(function.definition, "name", "") == "forward":
            if holds(function.bound, starved.receiver):
                return True
    return False


def _beside_its_slope(program: Program, cut: Call, starved: Call) -> bool:
    """A function hands back the copy and, beside it, something that leads to the same layer with its slope.

    Which of them a loss is made from is for the caller to say, and a bare model has none.
    """
    handed = (root(call.result) for call in program.calls("def"))
    together = (held.items for held in handed if isinstance(held, Collection))
    return any(
        here is starved
        for items in together
        if any(item is cut for item in items)
        for item in items
        for here in reached(item)
    )


def _joined_again(program: Program, cut: Call) -> Edits:
    """The cut taken away, if nothing behind it cuts as well. Not safe: somebody wrote it."""
    if cut.op not in (".detach", "@data"):
        return ()
    others = [
        call
        for call in program.trace[cut.order + 1 :]
        if call.op in WRITTEN_CUTS or call.op.startswith("numpy.")
    ]
    if any(is_cut(call) and depends_on(call, cut) for call in others):
        return ()
    return without_method(cut.node, cut.source)


def _finding(cut: Call, starved: Call, telling: Telling, edits: Edits) -> Evidence:
    name = cut.op.lstrip(".@")
    return clue(
        telling,
        cut,
        f"`{name}` takes the values out of the graph on their way to the next layer: the layer applied on "
        f"line {spot(starved).line} never receives a gradient.",
        fix="Use only torch operations (such as torch.stack) between the layers, so that the graph is kept.",
        edits=edits,
    )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    gradients = bench.first.gradients
    if not gradients.loss_has_graph:
        return
    # What the optimizer of this step does not hold is not meant to learn here: a teacher beside its student,
    # also one that an optimizer of its own has trained before.
    known = any(p.optimizer is not None for p in gradients.parameters)
    learning = [p for p in gradients.silent if p.optimizer == 0 or not known]
    cut = [p for p in learning if p.name in bench.cuts.behind]
    if cut:
        names = sorted({p.module or p.name for p in cut})
        yield Evidence(
            f"{len(cut)} parameters are used in the forward pass, and changing them changes the output, "
            f"but no gradient reaches `{cut[0].name}`: the graph is cut after `{names[-1]}`.",
            telling="proven",
            where=bench.cuts.place or Where(module=cut[-1].module or None),
            numbers={"cut": len(cut)},
            fix="Look after that module for .detach(), .data, .item(), .tolist(), .numpy(), "
            "torch.tensor(x) or no_grad.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.attached_in_models(world)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers, Model

    where = raised(record, "does not require grad and does not have a grad_fn")
    calls = loss_calls(record)
    trainable = any(parameter.trainable for model in record.of(Model) for parameter in model.parameters)
    if (
        where is not None
        and trainable
        and not any(call.requires_grad for call in calls)
        and not _under_no_grad(record)
    ):
        yield Evidence(
            "backward failed: the model's output reached the loss without a graph, though its parameters "
            "require gradients and gradient recording was on. Something in the model cuts the graph.",
            telling="proven",
            where=where,
            fix="Look for `.detach()`, `.data`, `.numpy()`, `torch.tensor(...)` in the forward code.",
        )
        return
    needed(record.of(Layers), "gradients by layer")
    trained = {name for model in record.of(Model) for name in _trainable(model)}
    cut = never_reached(record) & trained
    used = called_modules(record)
    unread = unread_layers(record) if cut else {}  # no cut: what nobody reads needs no path
    inside = sorted(
        name for name in cut if module_of(name) in used and not set(name.split(".")) & unread.keys()
    )
    if not inside or len(cut) == len(trained):
        return
    module = module_of(inside[0])
    yield Evidence(
        f"{len(inside)} trainable parameters "
        f"({', '.join(inside[:3])}{', ...' if len(inside) > 3 else ''}) never have a gradient, though "
        f"`{module}` is called in every forward pass: the graph is cut between it and the loss.",
        telling="open" if loaded(record) else "proven",
        where=where_module(record, module),
        numbers={"parameters": len(inside)},
        fix="Look for `.detach()`, `.data`, `.item()`, `.numpy()` or `torch.tensor(...)` after this layer.",
    )


def _trainable(model: "Model") -> list[str]:
    return [parameter.name for parameter in model.parameters if parameter.trainable and model.n == 0]


def _under_no_grad(record: "Record") -> bool:
    found = [name for name, _, _ in after_last_step(record)]
    return "no_grad" in found and "forward" not in found
