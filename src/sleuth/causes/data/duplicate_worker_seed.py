"""Loader workers draw identical random numbers, so augmentation repeats.

## What happens
The famous version of this bug is fixed, a quieter one is not. Since torch 1.9 every `DataLoader`
worker gets its own seed for Python's `random`, for torch and for NumPy's *global* generator, again
in each epoch. What is not reseeded is a generator object that your data set owns. Workers receive a
copy of the data set, and with it a copy of the generator in the same state.

```python
class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)       # copied into every worker
    def __getitem__(self, i):
        return x[i] + self.rng.normal(size=x[i].shape)
```

With two workers, batches 1 and 2 get the same noise, then 3 and 4, and so on. Unless
`persistent_workers=True`, every epoch starts again from the same copy, so epoch 2 repeats epoch 1
exactly. `random.Random(0)`, `RandomState(0)` and a `torch.Generator` kept in the data set behave
alike. A `worker_init_fn` that calls `np.random.seed(0)` brings the old bug back, and
`np.random.seed(worker_id)` separates the workers but repeats in each epoch. With `num_workers=0`
all is well, which is why small tests pass.

Training works; you just have less augmentation than you pay for. An `IterableDataset` that does not
split its work is the loud cousin: with two workers each example arrives twice.

## How to tell
- **lint**: a generator created in `__init__` or at module level and used in `__getitem__`, together
  with `num_workers > 0`; a constant seed, or the bare worker id, in `worker_init_fn`.
- **watch**: random parts of consecutive batches coincide, or those of one epoch with the next.
- **refuted by**: `num_workers=0`, or only the global generators are used and never reseeded.

## How to fix
Seed from what torch gives each worker, inside the worker.

```python
def worker_init_fn(worker_id):
    info = torch.utils.data.get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)      # differs by worker and epoch

loader = DataLoader(ds, num_workers=4, worker_init_fn=worker_init_fn)
```

Or draw from `torch.rand` and skip private generators. For an evaluation set with fixed noise, seed
by the index of the example, not by the worker.

## Often mistaken for
- `repeated-batch`: the examples themselves repeat.
- `unseeded`: the opposite wish: nothing repeats, not even between runs.

## Sources
- parnamaa-2021: the whole post, identical NumPy draws in workers of older releases, and a count of
  affected projects.
- pytorch-data: "Randomness in multi-process data loading" and the note on duplicates in
  `IterableDataset`.
- pytorch-faq: "My data loader workers return identical random numbers".
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Telling
from sleuth.record import curves
from sleuth.record.questions import at, batches, is_float, needed
from sleuth.source.flow import literal, root
from sleuth.source.interpreter.values import Call, Class, Function, Instance, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import DATA_LOADER, class_of, dataset_of, line

if TYPE_CHECKING:
    from sleuth.record.entries import Record

INVITED_BY = {"num_workers": 3.0}


GENERATORS = frozenset(
    {
        "numpy.random.default_rng",
        "numpy.random.RandomState",
        "numpy.random.Generator",
        "random.Random",
        "torch.Generator",
    }
)
SEEDERS = frozenset({"seed", "manual_seed", "seed_everything"})
FIX = (
    "Seed inside each worker from the seed PyTorch gives it: `get_worker_info().seed`, or "
    "`torch.initial_seed()`."
)

NEEDS = "worker"


def lint(program: Program) -> Iterator[Evidence]:
    for loader in program.calls(DATA_LOADER):
        workers = loader.keywords.get("num_workers", loader.argument(5, "num_workers"))
        if workers is None or literal(workers) == 0:
            continue
        telling: Telling = "proven" if isinstance(literal(workers), int) else "likely"
        start = loader.keywords.get("worker_init_fn")
        if start is not None:
            yield from _bad_start(loader, start, telling)
        elif "**" not in loader.keywords:
            yield from _own_generator(program, loader, telling)


def _own_generator(program: Program, loader: Call, telling: Telling) -> Iterator[Evidence]:
    """A generator made once and used in `__getitem__`: every worker receives a copy in the same state."""
    dataset = dataset_of(loader)
    while isinstance(dataset, Call) and dataset.op in ("torch.utils.data.Subset", "[]") and dataset.args:
        dataset = root(dataset.args[0])
    while isinstance(dataset, Call) and dataset.op.endswith("random_split") and dataset.args:
        dataset = root(dataset.args[0])
    cls = class_of(dataset)
    if not isinstance(dataset, Instance) or cls is None or _asks_for_worker(cls):
        return
    used = _names_used(cls)
    for name, value in (*dataset.attributes.items(), *program.scene.scope.names.items()):
        made = root(value)
        while isinstance(made, Call) and made.op in (".manual_seed", ".seed") and made.receiver is not None:
            made = root(made.receiver)
        owned = name in dataset.attributes
        if isinstance(made, Call) and made.op in GENERATORS and (f"self.{name}" if owned else name) in used:
            yield clue(
                telling,
                made,
                "This generator is made once and `__getitem__` draws from it; the loader on line "
                f"{line(loader)} copies it into every worker, so all workers draw the same random "
                "numbers, and again in each epoch.",
                fix=FIX,
            )


def _names_used(cls: Class) -> set[str]:
    """What `__getitem__`, and the methods it calls, read."""
    found: set[str] = set()
    names, done = ["__getitem__"], set[str]()
    while names:
        name = names.pop()
        member = cls.member(name)
        definition = member.definition if isinstance(member, Function) else None
        if name in done or definition is None:
            continue
        done.add(name)
        for node in ast.walk(definition):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id == "self":
                    found.add(f"self.{node.attr}")
                    names.append(node.attr)
            if isinstance(node, ast.Name):
                found.add(node.id)
    return found


def _asks_for_worker(cls: Class) -> bool:
    """The data set knows which worker it is in, or makes its generator there."""
    for node in ast.walk(cls.definition) if cls.definition is not None else ():
        if isinstance(node, ast.Attribute | ast.Name):
            text = node.attr if isinstance(node, ast.Attribute) else node.id
            if text in ("get_worker_info", "initial_seed", "__setstate__"):
                return True
        if isinstance(node, ast.FunctionDef) and node.name in ("__getitem__", "__setstate__", "worker_init"):
            if any(isinstance(inner, ast.Attribute) and _reseeds(inner) for inner in ast.walk(node)):
                return True
    return False


def _reseeds(node: ast.Attribute) -> bool:
    """`self.rng = ...` or `self.rng.seed(i)` for each item: seeded by the example, not by the worker."""
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    return (own and isinstance(node.ctx, ast.Store)) or node.attr in ("seed", "manual_seed")


def _bad_start(loader: Call, start: Value, telling: Telling) -> Iterator[Evidence]:
    """A `worker_init_fn` that gives every worker the same seed."""
    function = root(start)
    definition = function.definition if isinstance(function, Function) else None
    if definition is None:
        return
    body = definition.body if isinstance(definition.body, list) else [definition.body]
    seeders = [
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in SEEDERS
        and node.args
    ]
    if seeders and all(_is_bare_id(node.args[0], definition) for node in seeders):
        if literal(loader.keywords.get("persistent_workers")) is not True:
            yield clue(
                "likely",
                Value(seeders[0], function.source if function is not None else loader.source),
                f"Only the worker id seeds the workers of the loader on line {line(loader)}: they are "
                "seeded again in each epoch, so every epoch repeats the random numbers of the first.",
                fix=FIX,
            )
        return
    if not seeders or not all(_is_fixed(node.args[0], definition) for node in seeders):
        return
    yield clue(
        telling,
        Value(seeders[0], function.source if function is not None else loader.source),
        f"Every worker of the loader on line {line(loader)} is given the same seed here: all of them draw "
        "the same numbers.",
        fix=FIX,
    )


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _is_bare_id(seed: ast.expr, definition: Definition) -> bool:
    names = [parameter.arg for parameter in definition.args.args]
    return isinstance(seed, ast.Name) and bool(names) and seed.id == names[0]


def _is_fixed(seed: ast.expr, definition: Definition) -> bool:
    """Whether a seed has nothing of the worker in it: neither its number, nor what is asked for in it. All
    other names stand for the same in each worker, which is a copy of the program."""
    own = {parameter.arg for parameter in definition.args.args}
    own |= {
        node.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    parts = [*ast.walk(seed)]
    named = {node.id for node in parts if isinstance(node, ast.Name)}
    return named.isdisjoint(own) and not any(isinstance(node, ast.Call) for node in parts)


MOST = 0.8  # of the copies that k workers in step would make; the rest may be cut by the batch's edge


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Loader

    several = [loader for loader in record.of(Loader) if loader.workers >= 2]
    if not several:
        return
    needed(batches(record), "training batches")
    for loader in several:
        served = [batch for batch in batches(record) if batch.loader == loader.id and batch.values]
        drawn = loader.sampler in ("RandomSampler", "SequentialSampler", "")
        floats = [batch for batch in served if any(is_float(values) for values in batch.values)]
        if len(floats) < 4 or not drawn:
            continue  # drawing with replacement repeats rows as well
        shares = [
            batch.repeated_rows / max(1, batch.values[0].shape[0]) for batch in floats[loader.workers :]
        ]
        expected = (loader.workers - 1) / loader.workers
        if shares and curves.median(shares) >= MOST * expected:
            yield Evidence(
                f"With {loader.workers} workers, {curves.median(shares):.0%} of the rows of a batch had "
                "already appeared in an earlier batch: the workers draw the same random numbers, so "
                "there is far less variety than it seems.",
                telling="likely",
                where=at(loader),
                numbers={"repeated": curves.median(shares), "workers": loader.workers},
                fix="Make the generator in `worker_init_fn` from `torch.initial_seed()`, or draw with torch.",
            )
