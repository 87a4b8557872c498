"""Memory climbs step after step until the run dies.

## What happens
Autograd keeps what backward will need for as long as anything can still reach the result. Keep one
loss tensor and you keep a graph. How much depends on a detail. After `backward()` the saved
activations are released, so `total += loss` in a training loop leaks little: 9 KiB a step for a
small three-layer network. In an evaluation loop without `no_grad` there is no backward to release
anything: the same line held 472 KiB a step, fifty times as much. So the run often dies in
validation.

```python
for x, y in valid_loader:                 # no torch.no_grad()
    loss = criterion(model(x), y)
    total += loss                         # keeps the activations of every batch
    outputs.append(model(x))              # the same
```

Other holders: lists of predictions on the GPU, a recurrent state with its history, `retain_graph`
or `create_graph` in the loop, hooks that store activations, an exception kept with its traceback,
a cache without limit in `__getitem__` (times the number of workers), and a data set made of
millions of small Python objects, whose reference counts turn shared pages of forked workers into
private ones.

## How to tell
- **watch**: resident or allocated memory after equal points of the loop rises steadily over many
  steps, beyond the warm-up; the count of live tensors rises with it (graph or list) or does not
  (workers, caches, other libraries).
- **refuted by**: the curve is flat after the first epoch, however high.

## How to fix
Keep numbers, not tensors with a past.

```python
total += loss.item()
with torch.no_grad():
    outputs.append(model(x).cpu())
state = tuple(s.detach() for s in state)
```

Bound every cache. Store large indices as one NumPy array instead of a list of objects. A high but
flat level is not a leak: torch's allocator keeps freed blocks for reuse, so look at
`torch.cuda.memory_allocated()`, not at the driver's figure, and `empty_cache()` repairs nothing.
Replay buffers grow on purpose until they are full.

## Often mistaken for
- `loss-not-reset`: the accumulated loss itself; the root when that line is found.
- `eval-without-no-grad`: the root if growth happens only while evaluating.
- `throughput-decay`: time instead of bytes, often from the same holder.

## Sources
- pytorch-faq: the out-of-memory entry: not accumulating history, and letting go of tensors you no
  longer need.
- pytorch-data: the warning on memory use of workers with Python objects.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record import curves
from sleuth.record.questions import needed, where_loss

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record

CONSEQUENCE_OF = "eval-without-no-grad hidden-state-not-detached loss-not-reset"
UNLESS = {"numbers": "plays"}
LOOKS_LIKE = {"steps take longer and longer": "even"}


ENOUGH = 8  # measurements
MEGABYTE = 2**20
MUCH = 100 * MEGABYTE
FELT = 8 * MEGABYTE  # below this, the tensors that pile up are small numbers in a list
SHARE = 0.2  # of what was there after the warm-up
# Where tensors pile up step by step, half of that says enough: what was watched is a part of the run.
PILED = 0.5
STEADY = 0.95  # share of rising pairs


def watch(record: "Record") -> Iterator[Evidence]:
    bytes_used = [(step.n, float(step.rss)) for step in record.steps if step.rss]
    alive = [(step.n, float(step.tensors)) for step in record.steps if step.tensors]
    needed(bytes_used or alive, "measurements of memory")
    used = [size for _, size in bytes_used[len(bytes_used) // 4 :]]
    count = [number for _, number in alive[len(alive) // 4 :]]
    more = used[-1] - used[0] if len(used) >= ENOUGH else 0.0
    steps = max(1, (alive or bytes_used)[-1][0] - (alive or bytes_used)[0][0])
    felt = not used or more > FELT
    piles = felt and len(count) >= 4 and count[-1] > 1.5 * count[0] and curves.rising(count) > STEADY
    enough = (PILED if piles else 1.0) * max(MUCH, SHARE * used[0]) if used else 0.0
    climbs = bool(used) and more > enough and curves.rising(used) > STEADY
    each = (count[-1] - count[0]) / (0.75 * steps) if piles else 0.0
    if not climbs and not (piles and each >= 0.5):
        return
    yield Evidence(
        (
            f"Memory rose by {more / MEGABYTE:.0f} MB over the later three quarters of the record"
            if climbs
            else ""
        )
        + (" and " if climbs and piles else "")
        + (
            f"the number of living tensors rose from {count[0]:.0f} to {count[-1]:.0f}, {each:.1f} a step"
            if piles
            else ""
        )
        + (f": {_held_by(record)}." if piles else ": something other than tensors grows."),
        telling="likely" if climbs else "open",
        where=where_loss(record.steps[-1]) if piles else None,
        numbers={"megabytes": more / MEGABYTE, "tensors_a_step": each},
        fix="Store `loss.item()` or `.detach()`ed copies; look for lists and attributes that outlive an "
        "iteration.",
    )


def _held_by(record: "Record") -> str:
    from sleuth.record.entries import Keeper

    keeper = next(iter(record.of(Keeper)), None)
    if keeper is None:
        return "something holds on to tensors or graphs of past steps"
    if keeper.type == "graph":
        return f"`{keeper.name}` holds on to the graphs of past steps ({keeper.held} operations or more)"
    return f"`{keeper.name}` ({keeper.type}) holds {keeper.held} of them"


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.causes.environment.memory_growth.piling import where_kept
    from sleuth.places.scene import last_resort

    kept = None if scene.record is None else where_kept(scene.record, scene.sources)
    return last_resort(kept, finding, _keeps_for_ever, scene)


_KEEPS = re.compile(r"cache|memo|history|seen|store|bank|pool|buffer|kept|log", re.IGNORECASE)


def _keeps_for_ever(statement: "Statement") -> int | None:
    """Where something is kept that nobody throws away: a cache without an end, a table that is filled."""
    text = statement.text
    if re.match(r"@(functools\.)?(cache$|lru_cache\(.*(maxsize=)?None)", text):
        return 0
    if re.match(r"[\w.]+\[.+\]$", statement.targets) and _KEEPS.search(statement.targets.partition("[")[0]):
        return 1
    return 2 if re.search(r"\b(self\.\w+|[A-Z_]+)\.(append|extend|add)\(", text) else None
