"""Parameters are registered and given to the optimizer but take no part in the forward pass.

## What happens
The layer you believe in is not there. `forward` skips it, overwrites its result, or uses another
one twice. Its gradient stays None, the optimizer silently passes over it, and the rest of the
model learns as well as it can without it.
```python
def forward(self, x):
    h = torch.relu(self.fc1(x))
    h2 = torch.relu(self.fc2(h))
    return self.head(h)            # h2 was meant
```
Copy and paste is the usual parent: `self.fc1` called where `self.fc2` was meant (shapes agree, so
there is no warning), a branch behind a flag that is off, an auxiliary head whose loss was dropped.
Distributed training complains loudly (DDP expects every parameter to take part); a single process
does not.

The subtler form has a gradient that is exactly zero, not None: the branch is multiplied by 0, or
its output is added before something constant. Fine on purpose: mixture-of-experts with experts
not chosen in this batch, embedding rows not in this batch, the pooler of a pretrained encoder,
alternating phases of a GAN.

## How to tell
- **probe**: after one backward pass, list parameters with `requires_grad=True` and `grad is None`
  (or identically zero); perturbing them leaves the output unchanged to the bit.
- **watch**: over the whole record such a parameter never has a gradient and never changes, though
  the optimizer holds it (weight decay is not applied either where the gradient is None).
- **lint**: `h = self.fc2(x)` in `forward` and `h` is never read, or overwritten by the next statement; a
  layer that is made and never named again.
- **refuted by**: every trainable parameter has a non-zero gradient in at least one of several
  batches.

## How to fix
Repair `forward`, or delete the layer. To find them:
```python
loss_fn(model(x), y).backward()
idle = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
print(idle)
```
Setting `find_unused_parameters=True` in DDP silences the message, not the mistake; use it only
when the unused part is intended and changes from batch to batch.

## Often mistaken for
- `detached-graph`: the parameter *does* shape the output and its gradient is cut on the way back.
- `frozen-params`: `requires_grad` is False, so no gradient was asked for.
- `dead-relu`: gradients exist and are zero because the units after the parameter are silent.

## Sources
- pytorch-ddp: the section on the internal design, where parameters that stay out of the graph
  must be declared, since the reducer waits for all of them.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.places.origins import unread_layers
from sleuth.quick_dataclass import replace
from sleuth.record.growth import called_modules, never_reached
from sleuth.record.questions import module_of, needed, where_module
from sleuth.source.interpreter.values import Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.idle import idle_layers

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene
    from sleuth.record.entries import Record

CONSEQUENCE_OF = (
    "frozen-params loss-disconnected no-grad-training stale-optimizer-params unregistered-modules"
)
UNLESS = {"probe": "moving"}
NEEDS = "def forward"


def lint(program: Program) -> Iterator[Evidence]:
    for idle in idle_layers(program.source):
        yield clue(
            "likely",
            Value(idle.at, program.source),
            f"The result of `self.{idle.attribute}` is never used: its weights do not affect the output, "
            "get no gradient and never change."
            if idle.applied
            else f"`self.{idle.attribute}` is created here and never called: its weights do not affect "
            "the output and never change.",
            fix="Use its result in `forward`, or delete the layer.",
        )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    gradients = bench.first.gradients
    if not gradients.loss_has_graph:
        return
    yield from _thrown_away(bench)
    idle = [p for p in gradients.parameters if p.trainable and p.gradient is None and not p.used]
    busy = [p for p in gradients.parameters if p.trainable and p.gradient is not None]
    if idle and busy:
        yield Evidence(
            f"{len(idle)} trainable parameters such as `{idle[0].name}` are not used in this forward "
            "pass: they never change, and a layer you count on may be missing from forward.",
            telling="likely",
            where=Where(module=idle[0].module or None),
            numbers={"idle": len(idle), "busy": len(busy)},
            fix="Call the layer in forward, or delete it.",
        )


def _thrown_away(bench: "Workbench") -> Iterator[Evidence]:
    """Layers that are called for nothing: whatever their weights, output and loss are the same."""
    if bench.first.gradients.silent and (idle := bench.cuts.idle):
        module = idle[0].rpartition(".")[0]
        yield Evidence(
            f"`{module or idle[0]}` is called and its result is not used: with other weights in it "
            f"({len(idle)} parameters such as `{idle[0]}`) output and loss stay the same.",
            telling="proven",
            where=bench.cuts.idle_place or Where(module=module or None),
            numbers={"thrown_away": len(idle)},
            fix="Use the result in forward (add it, concatenate it), or delete the layer.",
        )


MUCH = 0.5  # of all weights


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Layers, Model

    needed(record.of(Layers), "gradients by layer")
    sizes = {p.name: math.prod(p.shape) for m in record.of(Model) for p in m.parameters if p.trainable}
    idle = sorted((never_reached(record) & set(sizes)), key=list(sizes).index)
    used = called_modules(record)
    unread = unread_layers(record) if idle else {}
    dropped = [name for name in idle if set(name.split(".")) & unread.keys()]
    idle = [name for name in idle if module_of(name) not in used or name in dropped]
    if not idle or not used or len(idle) == len(sizes):
        return
    if dropped:
        yield _dropped(dropped, unread)
        return
    share = sum(sizes[name] for name in idle) / max(1, sum(sizes.values()))
    yield Evidence(
        f"{len(idle)} parameters ({', '.join(idle[:3])}{', ...' if len(idle) > 3 else ''}; {share:.0%} of "
        "all weights) were not used in any sampled forward pass and never had a gradient.",
        telling="likely" if share > MUCH else "open",
        where=where_module(record, module_of(idle[0])),
        numbers={"parameters": len(idle), "share": share},
        fix="Call the layer in `forward`, or remove it.",
    )


def _dropped(names: list[str], unread: dict[str, Where]) -> Evidence:
    attribute = next(part for part in names[0].split(".") if part in unread)
    return Evidence(
        f"`{attribute}` runs in every forward pass, its output is never used, and its {len(names)} "
        "parameters never have a gradient.",
        telling="likely",
        where=replace(unread[attribute], module=module_of(names[0]) or None),
        numbers={"parameters": len(names)},
        fix="Use its result in `forward`, or delete the layer.",
    )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import idle_part

    return None if scene.record is None else idle_part(finding, scene.record)
