"""Steps take longer and longer as the run goes on.

## What happens
A healthy step costs the same at the start and after a day. If it grows, something the step touches
grows: the graph, a list, a buffer, the set of hooks. Straight-line growth per step means quadratic
time for the run, so it is harmless in a smoke test and fatal overnight.

Two measured examples. A recurrent state carried along with its graph: 2.3 ms at step 10, 12 ms at
step 50, 41 ms at step 100. A replay buffer extended with `torch.cat` (8 rows of 1000 numbers a
step, each call copying everything): 0.09 ms at step 10, 24 ms at step 1000, 72 ms at step 2000.

```python
buffer = torch.cat([buffer, new_rows])         # copies all old rows at each step
model.layer.register_forward_hook(log)         # inside the loop: one more hook per step
optimizer.add_param_group({"params": extra})   # the same
```

Also: metrics recomputed over the full history at each step, plots that redraw all points, a Python
list searched with `in`, a log file reopened and rewritten, longer sequences later in the
curriculum, or memory so full that the machine swaps.

## How to tell
- **lint**: a hook registered in the training loop, on a model made before it, with no `remove()`
  anywhere.
- **watch**: the median step time of the last tenth of the run is clearly above that of the first
  tenth after warm-up, and rises steadily; the record shows which part: loading, forward, backward
  or the rest. Growing backward time points to the graph, growing "rest" to your bookkeeping. Or the
  number of hooks on the model rises from check to check, whatever the clock says.
- **refuted by**: step times are flat apart from single spikes (evaluation, checkpoints).

## How to fix
Find what grows, then bound it.

```python
hidden = hidden.detach()                       # cut history between batches
buffer[pos : pos + n] = new_rows               # preallocated ring, no copy of the past
history.append(loss.item())                    # numbers, not graphs
```

Where the cause in the training code is known (state not detached, loss accumulated), repair that
one. Do not chase the first few steps: compilation, cuDNN's search and cold caches make them slow.
On a GPU call `torch.cuda.synchronize()` before you read the clock. A thermally throttled machine
or a busy neighbour also slows down, but shows it in all parts at once.

## Often mistaken for
- `hidden-state-not-detached`: a common root; named instead when it can be seen.
- `memory-growth`: usually the same root seen in bytes; either can occur without the other.
- `silent-cpu-fallback`: slow from the first step, and evenly so.

## Sources
- pytorch-faq: the out-of-memory entry: history that accumulates over the loop, and unrolling
  recurrent networks over sequences that are too long.
- pytorch-tuning: the general optimisations, on loading and synchronisation costs of a step.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import needed, where_loss
from sleuth.source.flow import root
from sleuth.source.interpreter.values import Arm, Call, Instance, Loop, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.modes import made_inside

if TYPE_CHECKING:
    from sleuth.record.entries import Record, Step
    from sleuth.rl.course import LoggedAgent

CONSEQUENCE_OF = "hidden-state-not-detached loss-not-reset memory-growth"
LOOKS_LIKE = {"steps take longer and longer": "even"}
NEEDS = "_hook("
_HOOKS = (
    ".register_forward_hook",
    ".register_forward_pre_hook",
    ".register_full_backward_hook",
    ".register_full_backward_pre_hook",
)
_PARTS_OF = (".modules", ".named_modules", ".children", ".named_children")


def lint(program: Program) -> Iterator[Evidence]:
    """Hooks that every epoch or step adds to the same model, and nobody takes away."""
    if any(not call.args for call in program.calls(".remove")):
        return
    trains = [event.call.context.loops for event in program.training.of("backward")]
    for call in program.calls(*_HOOKS):
        around = [loop for loop in call.context.loops if any(loop in loops for loops in trains)]
        model = _hooked(call)
        if not around or model is None or made_inside(model, around[0]):
            continue
        if not any(_asks(arm) for arm in call.context.arms):
            yield clue(
                "proven",
                _called_in_vain(call, around[0]),
                "Every iteration of the training loop registers one more hook on the same module, and "
                "none is ever removed: each call of the model runs all of them, so steps take longer and "
                "longer.",
                fix="Register once before the loop, or keep the handle and call `handle.remove()`.",
            )


def _called_in_vain(call: Call, loop: Loop) -> Call:
    """Where a helper hangs them, the place is the line in the loop that calls it once too often."""
    sites = [site for site in call.context.sites if loop in site.context.loops]
    return sites[-1] if sites else call


def _hooked(call: Call) -> Value | None:
    """The module, or the model through whose parts the innermost loop goes."""
    over = root(call.context.loops[-1].over) if call.context.loops else None
    if isinstance(over, Call) and over.op in _PARTS_OF:
        return root(over.receiver)
    made = root(call.receiver)
    return made if isinstance(made, Instance | Call) else None


def _asks(arm: Arm) -> bool:
    """A condition on something else than the kind of the module: the first epoch, hooks that hang already."""
    test = getattr(arm.node, "test", None)
    return not (isinstance(test, ast.Call) and getattr(test.func, "id", "") in ("isinstance", "hasattr"))


SLOWER = 1.6  # last tenth over first tenth after the warm-up
STEADY = 0.95  # share of rising pairs of eight blocks: a busy machine goes up and down
ENOUGH = 100
MORE = 1.3  # times the processor time: less is noise
UNEVEN = 2.0  # fastest growing part over the slowest; a busy machine slows all alike
TINY = 2e-5  # seconds, below which a part says nothing
_PARTS = {
    "data_s": "loading",
    "forward_s": "forward",
    "backward_s": "backward",
    "optimizer_s": "the optimizer",
}


def watch(record: "Record") -> Iterator[Evidence]:
    if (hung := _hung_anew(record)) is not None:
        yield hung
        return
    timed = needed([step for step in record.steps if step.total_s], "step times")
    if len(timed) < ENOUGH:
        return
    calm = timed[len(timed) // 20 :]
    times = [step.total_s or 0.0 for step in calm]
    tenth = len(times) // 10
    first, last = curves.median(times[:tenth]), curves.median(times[-tenth:])
    if last < SLOWER * first or curves.rising(times) < STEADY:
        return
    part, alike = _grown(calm, tenth)
    alike = alike or (part != "loading" and _computes_no_more(calm))
    yield Evidence(
        f"A step took {first * 1e3:.3g} ms at the beginning and takes {last * 1e3:.3g} ms now, rising "
        "steadily"
        + (
            "; all parts equally, as on a machine that became busy."
            if alike
            else f"; the growth is in {part}."
        ),
        telling="open" if alike else "likely",
        where=where_loss(calm[-1]),
        numbers={"first_ms": first * 1e3, "last_ms": last * 1e3, "part": part},
        fix={
            "backward": "The graph grows: detach what is carried over, and store `loss.item()`.",
            "loading": "Look at the data pipeline: growing lists, slow files, a cache that is full.",
        }.get(part, "Look for lists, logs or plots that grow with the steps."),
    )


MORE_HOOKS = 3  # values in a row, each above the last: a tool that hangs its own does so once


def _hung_anew(record: "Record") -> Evidence | None:
    """Hooks that become more and more: each is called at every pass, so steps take longer whatever the clock
    of a busy machine says."""
    seen = [(step, step.hooks) for step in record.steps if step.hooks is not None]
    counts = [hooks for _, hooks in seen]
    falls = any(later < earlier for earlier, later in pairwise(counts))
    if falls or len(set(counts)) <= MORE_HOOKS:
        return None
    return Evidence(
        f"The hooks on the model in training rose from {counts[0]} to {counts[-1]} in {seen[-1][0].n} "
        "steps: they are registered repeatedly and never removed, and each runs in every forward pass.",
        telling="proven",
        where=where_loss(seen[-1][0]),
        numbers={"first": counts[0], "last": counts[-1]},
        fix="Register once before the loop, or keep the handle and call `handle.remove()`.",
    )


def _computes_no_more(steps: "Sequence[Step]") -> bool:
    """The processor time of a step did not grow: what grew is the wait for a machine busy elsewhere."""
    seen = [(step.n, step.cpu) for step in steps if step.cpu is not None]
    third = len(seen) // 3
    if third < 2:
        return False
    early = (seen[third][1] - seen[0][1]) / (seen[third][0] - seen[0][0])
    late = (seen[-1][1] - seen[-1 - third][1]) / (seen[-1][0] - seen[-1 - third][0])
    return late < MORE * early


def _grown(steps: "Sequence[Step]", tenth: int) -> tuple[str, bool]:
    """The part that grew most, and whether all parts grew by one factor (then it is not the script)."""
    rest = [_rest(step) for step in steps]
    parts = {word: curves.finite(getattr(step, name) for step in steps) for name, word in _PARTS.items()}
    series = {
        word: values
        for word, values in {**parts, "the rest of the loop": rest}.items()
        if len(values) == len(steps)
    }
    ends = {word: (curves.median(v[:tenth]), curves.median(v[-tenth:])) for word, v in series.items()}
    most = max(ends, key=lambda word: ends[word][1] - ends[word][0])
    factors = [late / early for early, late in ends.values() if early > TINY]
    return most, len(factors) > 1 and max(factors) < UNEVEN * min(factors)


def _rest(step: "Step") -> float:
    return (step.total_s or 0.0) - sum(getattr(step, name) or 0.0 for name in _PARTS)


HALF = 0.5  # of the speed that the run began with


def watch_agent(agent: "LoggedAgent") -> Iterator[Evidence]:
    """Steps a second, as an agent's log has them."""
    from sleuth.rl.course import POINTS

    series = agent.series("speed", 2 * POINTS)
    if series is None:
        return
    early, late = (
        curves.median(curves.finite(part) or [0.0]) for part in (series.part(0.1, 0.4), series.part(0.8, 1))
    )
    if 0 < late < HALF * early:
        warm = len(series.values) // 10
        slower = (place for place, speed in enumerate(series.values) if speed < 0.7 * early and place > warm)
        yield agent.told(
            f"Speed fell from {early:.0f} to {late:.0f} steps a second.",
            "Look for a buffer, list or log that grows with every step.",
            series.steps[next(slower)],
            "aside",
        )
