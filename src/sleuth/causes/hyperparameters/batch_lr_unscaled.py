"""The batch size was changed and the learning rate was left as it was.

## What happens
A larger batch means fewer steps per epoch. If each step keeps its length, the weights travel less
far: with a batch of 1024 instead of 128 and the same 90 epochs, SGD takes an eighth of the steps.
The curve against *epochs* gets worse and people conclude that large batches generalise badly. In
the other direction, a recipe for 4096 images run at 64 keeps a rate that is far too high and becomes
noisy or diverges.

It happens quietly: a bigger GPU, more GPUs under `DistributedDataParallel` (the effective batch is
the per-process batch times the number of processes), gradient accumulation, or a shared config in
which only one number was edited.

```python
loader = DataLoader(train, batch_size=1024)             # was 128
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)    # still for 128
```

## How to tell
- **lint**: one training run with batch sizes a factor of four or more apart and one literal rate;
  a recipe derived from another with a larger batch and the old rate; a batch size multiplied by the
  number of devices beside a literal rate. The source alone cannot prove harm, so this is a note
  unless several sizes are run with SGD, or an SGD recipe is changed by half.
- **refuted by**: the rate was tuned at the batch size in use.

## How to fix
For SGD with momentum scale the rate in proportion to the batch and warm up for a few epochs. For
Adam the square root is the usual starting point. Both are rules of thumb and fail above the
critical batch size, where no rate makes up for the missing steps.

```python
base_lr, base_batch = 0.1, 256
batch = per_process * world_size * accumulate
lr = base_lr * batch / base_batch                 # Adam: base_lr * (batch / base_batch) ** 0.5
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
```

Schedules counted in steps need the same care: warmup, decay and evaluation intervals shrink with
the number of steps per epoch. If only the time per step matters and the epochs are extended so that
the number of steps stays the same, you may leave the rate alone.

## Often mistaken for
- `lr-too-low`: the measured symptom after the batch has grown; ten times the rate helps.
- `lr-too-high`: the measured symptom after the batch has shrunk.
- `wrong-reduction`: the step grows with the batch by accident, because the loss is summed.

## Sources
- goyal-2017: section 2.1, Learning Rates for Large Minibatches; the linear rule, its argument and
  its limit.
- mccandlish-2018: section 2; how the best rate depends on batch size and noise scale, and where it
  levels off.
"""

import ast
import re
from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.source.flow import ancestry, possible
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.parsed_file import called
from sleuth.source.program import Program, clue
from sleuth.source.topics.modules import exact, settled
from sleuth.source.word_search import Pattern

# Below a factor of four, the linear and the square-root rule are within a factor of two: the noise of tuning.
_FACTOR = 4.0
_BATCH_NAMES = ("batch_size", "batch", "bs", "train_batch_size")
_RATE_NAMES = ("lr", "learning_rate", "base_lr")
_DEVICES = frozenset("torch.cuda.device_count torch.distributed.get_world_size .get_world_size".split())

_RATE_IN_WORDS = Pattern(r"(?:\blr|learning rate)\s*(?:of|=|:)?\s*(\d*\.?\d+(?:e-?\d+)?)", re.IGNORECASE)
_BATCH_IN_WORDS = Pattern(
    r"batch(?:es|[ _-]?sizes?)?\s*(?:of|=|:)?\s*(\d{2,})\b|\b(\d{2,})\s*(?:images|examples|samples)",
    re.IGNORECASE,
)

NEEDS = "batch"


def lint(program: Program) -> Iterator[Evidence]:
    optimizers = [call for call in program.trace if _is_optimizer(call)]
    yield from _recipe_half_changed(program, optimizers)
    yield from _recipe_in_words(program, optimizers)
    rates = {exact(call.argument(1, "lr")) for call in optimizers}
    if len(rates) != 1 or None in rates:
        return  # computed, tuned apart or read from somewhere: it may follow the batch
    loaders = [call for call in program.calls("torch.utils.data.DataLoader") if _trains(program, call)]
    runs: dict[int, list[Call]] = {}
    for loader in loaders:
        data = settled(loader.argument(0, "dataset"))
        several = len(optimizers) > 1  # one optimizer whose batch grows on the way may be a schedule
        runs.setdefault(id(data) if data is not None and several else id(loader.node), []).append(loader)
        yield from _grows_with_devices(loader)
    for group in runs.values():
        sizes = {size for loader in group for size in _sizes(loader)}
        if len(sizes) > 1 and max(sizes) >= _FACTOR * min(sizes):
            plain = any(call.op.endswith(".SGD") for call in optimizers)
            yield clue(
                "likely" if plain else "open",
                _sweep(group) or optimizers[-1],
                f"The batch size goes from {min(sizes):g} to {max(sizes):g} and the learning rate stays "
                f"{next(iter(rates)):g}: larger batches mean fewer steps per epoch, so the weights move "
                "far less.",
                fix="Scale the learning rate with the batch size: in proportion for SGD, with the square "
                "root for Adam.",
            )


def _recipe_half_changed(program: Program, optimizers: list[Call]) -> Iterator[Evidence]:
    """`dict(BASE, batch_size=4096)`: a recipe with a much larger batch and the rate it had before."""
    plain = [call for call in optimizers if call.op.endswith(".SGD") and _is_read(call.argument(1, "lr"))]
    if not plain:
        return
    written = program.source.of(ast.Assign)
    recipes = {ast.unparse(node.targets[0]): _entries(node.value) for node in written}
    for node in written:
        base, changed = _changes(node.value)
        before = recipes.get(base, {})
        rate = next((name for name in _RATE_NAMES if name in before), "")
        batch = next((name for name in _BATCH_NAMES if name in before and name in changed), "")
        if not rate or not batch or rate in changed or changed[batch] < _FACTOR * before[batch]:
            continue
        yield clue(
            "likely",
            Value(node, program.source),
            f"The batch grows from {before[batch]:g} to {changed[batch]:g} and the learning rate of "
            f"`{base}` stays {before[rate]:g}: larger batches mean fewer steps per epoch, so the weights "
            "move far less.",
            fix="Scale the learning rate in proportion to the batch size, with warm-up.",
        )


def _recipe_in_words(program: Program, optimizers: list[Call]) -> Iterator[Evidence]:
    """`# paper: lr 0.1, batch size 256` above a batch of 4096 at the same rate."""
    loaders = list(program.calls("torch.utils.data.DataLoader"))
    lines = program.source.lines if loaders and any(call.op.endswith(".SGD") for call in optimizers) else []
    recipes = [recipe for line in lines if (recipe := _recipe(line)) is not None]
    for optimizer in optimizers if recipes else ():
        rate = exact(optimizer.argument(1, "lr"))
        for told_rate, told_batch in recipes:
            sizes = [size for loader in loaders for size in _sizes(loader)]
            if rate == told_rate and optimizer.op.endswith(".SGD") and sizes:
                if min(sizes) >= _FACTOR * told_batch:
                    yield clue(
                        "likely",
                        optimizer,
                        f"The recipe quoted here pairs the learning rate {rate:g} with batches of "
                        f"{told_batch:g}; these are {min(sizes):g} large: larger batches mean fewer steps "
                        "per epoch, so the weights move far less.",
                        fix="Scale the learning rate in proportion to the batch size, with warm-up.",
                    )


def _recipe(line: str) -> tuple[float, float] | None:
    """The rate and the batch size that one line of prose gives."""
    is_prose = "#" in line or '"""' in line or "=" not in line
    rate = _RATE_IN_WORDS.search(line) if is_prose else None
    batch = _BATCH_IN_WORDS.search(line) if rate is not None else None
    if rate is None or batch is None:
        return None
    return float(rate[1]), float(batch[1] or batch[2])


def _is_read(rate: Value | None) -> bool:
    """The rate is an entry of the settings as it stands, not the result of a computation."""
    known = settled(rate)
    if isinstance(known, Call):
        return known.op == "[]" or known.op[:1] == "@"
    return isinstance(known, Constant)


def _entries(value: ast.expr) -> dict[str, float]:
    """The numbers in `dict(lr=0.1)`, `{"lr": 0.1}`, `Config(lr=0.1)`."""
    pairs: list[tuple[str | None, ast.expr]] = []
    if isinstance(value, ast.Call):
        pairs = [(entry.arg, entry.value) for entry in value.keywords]
    elif isinstance(value, ast.Dict):
        pairs = [
            (str(key.value), entry)
            for key, entry in zip(value.keys, value.values, strict=True)
            if isinstance(key, ast.Constant)
        ]
    return {
        name: float(entry.value)
        for name, entry in pairs
        if name and isinstance(entry, ast.Constant) and isinstance(entry.value, int | float)
    }


def _changes(value: ast.expr) -> tuple[str, dict[str, float]]:
    """What settings are derived from, and the entries given anew: `dict(BASE, ...)`, `{**BASE, ...}`."""
    if isinstance(value, ast.Call) and value.args:
        name = called(value)
        if name in ("dict", "replace") and len(value.args) == 1:
            return ast.unparse(value.args[0]), _entries(value)
    if isinstance(value, ast.Dict) and value.keys and value.keys[0] is None:
        return ast.unparse(value.values[0]), _entries(value)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return ast.unparse(value.left), _entries(value.right)
    return "", {}


def _is_optimizer(call: Call) -> bool:
    package, _, name = call.op.rpartition(".")
    return package == "torch.optim" and name[:1].isupper()


def _sizes(loader: Call) -> Iterator[float]:
    """The batch sizes of a loader: one, or those of a list that a loop around it goes through."""
    given = loader.argument(1, "batch_size")
    if (one := exact(given)) is not None:
        yield one
    lists = [settled(loop.over) for loop in loader.context.loops]
    listed = [item for known in lists if isinstance(known, Collection) for item in known.items]
    for option in possible(given):
        if isinstance(option, Constant) and any(option is item for item in listed):
            number = exact(option)
            if number is not None:
                yield number


def _sweep(loaders: list[Call]) -> Call | None:
    """The call in a loop that hands one batch size after the other to the function that trains."""
    sites = [site for loader in loaders for site in loader.context.sites if _hands_in(site, loader)]
    once = len({id(site.node) for site in sites}) == 1
    return sites[0] if once and len(sites) >= len(loaders) and sites[0].context.loops else None


def _hands_in(site: Call, loader: Call) -> bool:
    sizes = {id(option) for option in possible(loader.argument(1, "batch_size"))}
    given = (*site.args, *site.keywords.values())
    return any(id(option) in sizes for part in given for option in possible(part))


def _trains(program: Program, loader: Call) -> bool:
    """A loss that is differentiated comes from this loader's batches."""
    return any(
        any(value is loader for value in ancestry(event.about, 2_000))
        for event in program.training.of("backward")
    )


def _grows_with_devices(loader: Call) -> Iterator[Evidence]:
    """`batch_size = 64 * torch.cuda.device_count()` beside a rate that is a plain number."""
    given = settled(loader.argument(1, "batch_size"))
    if isinstance(given, Call) and given.op == "*":
        if any(isinstance(value, Call) and value.op in _DEVICES for value in ancestry(given, 12)):
            yield clue(
                "open",
                given,
                "The batch size grows with the number of devices and the learning rate does not.",
                fix="Multiply the learning rate by the same factor, with warm-up.",
            )
