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
nobody complains), a branch behind a flag that is off, an auxiliary head whose loss was dropped.
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

from sleuth.facts.growth import called_modules, never_reached
from sleuth.facts.seen import module_of, needed, where_module
from sleuth.facts.step import Layers, Model, Record
from sleuth.finding import Finding, Where

if TYPE_CHECKING:
    from sleuth.facts.bench import Bench


def probe(bench: "Bench") -> Iterator[Finding]:
    gradients = bench.first.gradients
    if not gradients.loss_has_graph:
        return
    idle = [p for p in gradients.parameters if p.trainable and p.gradient is None and not p.used]
    busy = [p for p in gradients.parameters if p.trainable and p.gradient is not None]
    if idle and busy:
        yield Finding(
            f"{len(idle)} trainable parameters such as `{idle[0].name}` take no part in this pass: they "
            "never change, "
            "and a layer you count on may be missing from forward.",
            severity="warning",
            credence=0.6,
            where=Where(module=idle[0].module or None),
            numbers={"idle": len(idle), "busy": len(busy)},
            fix="Call the layer in forward, or delete it.",
        )


MUCH = 0.5  # of all weights


def watch(record: Record) -> Iterator[Finding]:
    needed(record.of(Layers), "gradients by layer")
    sizes = {p.name: math.prod(p.shape) for m in record.of(Model) for p in m.parameters if p.trainable}
    idle = sorted((never_reached(record) & set(sizes)), key=list(sizes).index)
    used = called_modules(record)
    idle = [name for name in idle if module_of(name) not in used]
    if not idle or not used or len(idle) == len(sizes):
        return
    share = sum(sizes[name] for name in idle) / max(1, sum(sizes.values()))
    yield Finding(
        f"{len(idle)} parameters ({', '.join(idle[:3])}{', ...' if len(idle) > 3 else ''}; {share:.0%} of "
        "all weights) took no part in any sampled forward pass and never had a gradient.",
        severity="warning" if share > MUCH else "note",
        credence=0.65 if share > MUCH else 0.4,
        where=where_module(record, module_of(idle[0])),
        numbers={"parameters": len(idle), "share": share},
        fix="Call the layer in `forward`, or remove it.",
    )
