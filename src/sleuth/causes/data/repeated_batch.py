"""The loader serves the same batch again and again.

## What happens
The loss goes beautifully to zero: the model memorises one batch. What gives it away is what does
*not* improve. On 8x8 digits, 440 steps on one batch of 32 brought the loss to 0.03 and the test
accuracy to 79%; the same number of steps over the full set gave 94%. On an easy task the memorised
batch even generalises, so the loader seems fine.

```python
for step in range(1000):
    x, y = next(iter(loader))            # a new iterator each time: always its first batch
```

With `shuffle=False` that is always the same batch. With `shuffle=True` it is *not* this bug: each
new iterator draws a new order, so the batches differ, and you only pay for building the iterator
(and its workers) at every step. Unless something reseeds in the loop: `torch.manual_seed(0)` inside
an epoch makes every epoch, or every step, identical again.

Other origins: a batch fetched above the loop and never replaced, a cache keyed by the wrong thing, a
`__getitem__` that ignores its index, a preallocated buffer that all items share, a leftover
"overfit one batch" switch, and a `DistributedSampler` without `set_epoch` (then it is the epoch's
order that repeats).

## How to tell
- **lint**: a generator that every step creates again with the same seed draws the rows of the batch.
- **watch**: fingerprints of the inputs repeat from step to step, although the epoch should hold
  other data; training loss near zero while held-out loss stalls or rises.
- **refuted by**: two consecutive training steps with different input fingerprints.

## How to fix
Make the iterator once per epoch, or let it run endlessly.

```python
def forever(loader):
    while True:
        yield from loader                # a new pass, a new order

for step, (x, y) in zip(range(1000), forever(loader)):
    ...
```

Return fresh tensors from `__getitem__` (copy out of shared buffers). Full-batch training repeats
its one batch legitimately, as do LBFGS closures, several PPO epochs over one rollout, and the
deliberate test that one batch can be memorised.

## Often mistaken for
- `overfitting`: many different batches, and a gap that opens late; here it opens at once.
- `too-little-data`: the examples really are few; here the set is large and unused.
- `duplicate-worker-seed`: examples differ, but their random augmentation repeats.

## Sources
- ivanov-2017: part I, item 1, feeding one batch over and over by accident.
- pytorch-data: `DataLoader` iteration and the note on `DistributedSampler.set_epoch`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.record.questions import at, needed, training_loader
from sleuth.source.flow import ancestry, literal, moves_with, number, root
from sleuth.source.interpreter.values import Call, Loop, Unknown, Value
from sleuth.source.program import Program, clue, spot

if TYPE_CHECKING:
    from sleuth.places.scene import Scene
    from sleuth.places.statements import Statement
    from sleuth.record.entries import Record, Seed

LOOKS_LIKE = {"good in training, bad in validation": "rarely"}
PREDICTS = {"noise-inputs": "even"}

NEEDS = "seed default_rng RandomState Random("
_SEEDED = ("numpy.random.default_rng", "numpy.random.RandomState", "random.Random")
_DRAWS = (
    "torch.randint torch.randperm torch.multinomial .integers .choice .choices .permutation .sample .randint "
    ".shuffle .permuted"
).split()


def lint(program: Program) -> Iterator[Evidence]:
    """A generator that each step of training makes anew with the same seed draws the same rows again."""
    steps = _loops_of_steps(program)
    for draw in program.calls(*_DRAWS) if steps else ():
        seeded = _generator(draw)
        if seeded is None or not draw.context.loops or draw.context.loops[-1] not in steps:
            continue
        within = seeded.context.loops and seeded.context.loops[-1] is draw.context.loops[-1]
        if within and _is_fixed(program, seeded, draw) and _picks_rows(program, draw):
            yield clue(
                "proven",
                seeded,
                "Every iteration of the training loop seeds this generator with the same number, so line "
                f"{spot(draw).line} draws the same rows each time: the model sees one batch only.",
                fix="Create the generator once, before the loop, and draw from it inside.",
            )


def _loops_of_steps(program: Program) -> list[Loop]:
    """The innermost loops that train: around a backward call, a step, or gradients taken as a function."""
    calls = [event.call for kind in ("backward", "step") for event in program.training.of(kind)]
    calls += [call for call in program.calls("()") if _differentiates(call.receiver)]
    calls += program.calls("torch.autograd.grad")
    return [call.context.loops[-1] for call in calls if call.context.loops]


def _differentiates(function: Value | None) -> bool:
    made = root(function)
    names = ("grad", "grad_and_value", "value_and_grad")
    return isinstance(made, Call) and made.op.rpartition(".")[2] in names


def _generator(draw: Call) -> Call | None:
    """What the draw takes its numbers from, if that is made with a seed."""
    given = draw.keywords.get("generator") if draw.op.startswith("torch.") else draw.receiver
    made = root(given)
    if not isinstance(made, Call):
        return None
    seeded = made.op in _SEEDED and bool(made.args or made.keywords)
    return made if seeded or made.op == ".manual_seed" else None


def _is_fixed(program: Program, seeded: Call, draw: Call) -> bool:
    """The same number each time: nothing in it moves with the loop."""
    value = seeded.args[0] if seeded.args else next(iter(seeded.keywords.values()), None)
    if number(value) is not None or isinstance(literal(value), int):
        return True
    made_from = list(ancestry(value, 60))
    if not made_from or any(isinstance(part, Unknown) for part in made_from):
        return False
    settings = {part.op[1:] for part in made_from if isinstance(part, Call) and part.op[:1] == "@"}
    return (
        bool(settings)
        and not any(moves_with(value, loop) for loop in draw.context.loops)
        and not any(_is_counted(program, name) for name in settings)
    )


def _is_counted(program: Program, name: str) -> bool:
    """Whether an attribute is written somewhere: a seed that an object counts up."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for node in program.source.nodes
    )


def _picks_rows(program: Program, draw: Call) -> bool:
    return any(
        here is draw
        for item in program.calls("[]")
        if len(item.args) == 2
        and item.context.loops
        and item.context.loops[-1] is draw.context.loops[-1]
        and item.context.grad
        for here in ancestry(item.args[1], 12)
    )


FEWEST = 20  # steps before repetition says anything


def watch(record: "Record") -> Iterator[Evidence]:
    marks = [step.batch for step in record.steps if step.batch]
    needed(marks, "fingerprints of batches")
    if len(marks) < FEWEST:
        return
    different = len(set(marks))
    loader, rows = training_loader(record), max(step.rows or 0 for step in record.steps)
    held = loader.examples if loader and loader.examples and loader.sampler != "BatchSampler" else None
    expected = min(len(marks), -(-held // max(1, rows))) if held and rows else None
    times = Counter(marks).most_common(1)[0][1]
    if expected is not None and expected >= 4 and different <= max(1, expected // 4) and times >= 5:
        yield Evidence(
            f"{len(marks)} steps used {different} different batch{'es' if different > 1 else ''} of {rows} "
            f"rows, though the loader holds {held} examples: one batch came {times} times.",
            telling="proven",
            where=at(loader) if loader else None,
            numbers={"different": different, "expected": expected, "times": times},
            fix="Do not create a new iterator at each step (`next(iter(loader))`); loop over the loader.",
        )
    elif different == 1 and (again := _seeded_at_each_step(record)) is not None:
        yield Evidence(
            f"All {len(marks)} steps saw the same {rows} rows: line {again.line} seeds a generator with "
            f"{again.value} at every step, so the same rows are drawn each time.",
            telling="proven",
            where=Where(again.path or None, again.line or None),
            numbers={"rows": rows, "steps": len(marks)},
            fix="Create the generator once, before the loop, or let the seed depend on the step.",
        )
    elif held is None and different == 1 and len(marks) >= 2 * FEWEST:
        first = record.steps[0]
        yield Evidence(
            f"All {len(marks)} steps saw the same {rows} rows. That is right for a full batch, and a sign of "
            "a fixed slice otherwise.",
            telling="aside",
            where=Where(first.path or None, first.line) if first.line else None,
            numbers={"rows": rows, "steps": len(marks)},
            fix="Check that the batch index moves.",
        )


IN_A_ROW = 5  # steps, each begun with the same seed


def _seeded_at_each_step(record: "Record") -> "Seed | None":
    """A line that seeds a stream with the same number at one step after the other. That of torch may be held
    for the noise inside a model; the source says whether rows are drawn from it."""
    from sleuth.record.entries import Seed

    by_line: dict[tuple[str, int, int], list[Seed]] = {}
    for seed in (one for one in record.of(Seed) if one.what != "torch"):
        by_line.setdefault((seed.path, seed.line, seed.value), []).append(seed)
    for seeds in by_line.values():
        steps = {seed.n for seed in seeds}
        if any(all(first + more in steps for more in range(IN_A_ROW)) for first in steps):
            return seeds[0]
    return None


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.statements import best_statement

    return best_statement(_serves_first_batch_again, scene.sources)


def _serves_first_batch_again(statement: "Statement") -> int | None:
    return 0 if statement.in_loop and "next(iter(" in statement.text else None
