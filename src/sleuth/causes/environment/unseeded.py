"""Nothing fixes the random numbers, so no result of this script can be repeated.

## What happens
Every run is a new draw: initial weights, order of the batches, dropout masks, augmentation, split.
That alone spoils no training. It spoils your conclusions. One small digit classifier, trained on
200 examples with 20 seeds, scored between 83.9% and 89.9%. Any change you make looks good or bad
by up to six points for no reason, and a crash at step 8000 may never come back.

Three generators matter and they do not know each other: Python's `random`, NumPy's and torch's.
Seeding one leaves the rest free. scikit-learn draws from NumPy's global generator unless you pass
`random_state`. Seeding *after* the model was built fixes the batches and not the weights. A split
without a seed is the worst kind: a resumed run evaluates on rows it has trained on. And `hash("a")`
or the order of a set of strings changes from process to process whatever you seed.

## How to tell
- **lint**: a training script without any seed (a note); the only seed set after the trained model
  was made; an unseeded split in a script that continues from its own checkpoint.
- **experiment**: the unchanged script twice; the first loss already differs. With all generators
  seeded from outside, the two runs agree.
- **refuted by**: two runs print the same first loss to the last digit.

## How to fix
```python
def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)               # CPU and all GPUs

seed_everything(args.seed)                # before data, model and loader are made
```

Write the seed into the log, sort whatever comes out of a set or a directory listing, and give the
split a generator of its own so that it survives other changes. Then run several seeds: a fixed seed
makes one run repeatable, not your claim true. Unseeded production training is no defect.

## Often mistaken for
- `nondeterminism`: seeds are set everywhere and two runs still drift apart, usually slowly.
- `seed-lottery`: runs repeat exactly, but some seeds fail.
- `duplicate-worker-seed`: too much repetition, not too little.

## Sources
- pytorch-randomness: "Controlling sources of randomness", the separate generators to seed.
- sklearn-pitfalls: "Controlling randomness", `random_state` for estimators and splitters.
- karpathy-2019: section 2, "fix random seed" among the first tips.
"""

import ast
import re
from collections.abc import Iterator

from sleuth.facts import torch_api
from sleuth.facts.flow import literal, possible, root
from sleuth.facts.interpreter.values import Call, Collection, Value
from sleuth.facts.program import Program, clue
from sleuth.facts.topics.cadence import frame
from sleuth.finding import Finding

_SEED_WORDS = re.compile(r"seed|random_state|PRNGKey|Generator|default_rng", re.IGNORECASE)
_TORCH_SEEDS = ("torch.manual_seed", "torch.random.manual_seed")
_SPLITS = ("sklearn.model_selection.train_test_split", "torch.utils.data.random_split")


def lint(program: Program) -> Iterator[Finding]:
    if not any(frame(event.call) is None for event in program.training.of("backward")):
        return  # a library: seeding is its caller's business
    if not any(_SEED_WORDS.search(word) for word in _identifiers(program)):
        yield from _without_seed(program)
    else:
        yield from _seeded_too_late(program)


def _identifiers(program: Program) -> Iterator[str]:
    """Every name that the code uses, comments and texts left out."""
    for node in ast.walk(program.source.tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword | ast.arg):
            yield node.arg or ""
        elif isinstance(node, ast.alias):
            yield node.name


def _without_seed(program: Program) -> Iterator[Finding]:
    split = next(program.calls(*_SPLITS), None)
    if split is not None and _resumes(program):
        yield clue(
            "warning",
            split,
            "The split is drawn anew in each run, and this script continues from its own checkpoint: a "
            "resumed run evaluates on rows that the earlier one trained on.",
            fix="Give the split a fixed `random_state` (or a seeded `generator`).",
        )
        return
    first = split or next((call for call in program.trace if torch_api.is_module(call)), None)
    if first is not None:
        yield clue(
            "note",
            first,
            "Nothing in this script fixes the random numbers, so no result of it can be repeated.",
            fix="Seed `random`, `numpy` and `torch` before data and model are made.",
        )


def _resumes(program: Program) -> bool:
    """Whether a checkpoint is read back from the place where this script writes it."""
    written = [path for call in program.calls("torch.save") for path in _paths(call.argument(1, "f"))]
    read = [path for call in program.calls("torch.load") for path in _paths(call.argument(0, "f"))]
    restored = any(True for _ in program.calls(".load_state_dict"))
    return restored and any(one == other for one in written for other in read)


def _paths(value: Value | None) -> Iterator[object]:
    """What a path is known by: its literal, or the value itself."""
    for option in possible(value):
        yield literal(option) or id(option)


def _seeded_too_late(program: Program) -> Iterator[Finding]:
    """The only seed comes after the weights that are trained were drawn."""
    seeds = list(program.calls(*_TORCH_SEEDS))
    if not seeds or seeds[0].context.loops or seeds[0].context.arms or frame(seeds[0]) is not None:
        return
    others = [word for word in _identifiers(program) if _SEED_WORDS.search(word)]
    if len(others) > len(seeds):
        return  # something else may have seeded before
    if all(event.call.order < seeds[0].order for event in program.training.of("backward")):
        return  # it is about what follows the training
    if any(True for _ in program.calls(".load_state_dict", "torch.load")):
        return  # the weights come from elsewhere
    for call in program.trace[: seeds[0].order]:
        if call.op.startswith("torch.optim.") and call.args and not call.op.endswith("Scheduler"):
            model = _model_of(call.args[0])
            if model is not None:
                yield clue(
                    "warning",
                    seeds[0],
                    "The seed is set after the weights were drawn: it fixes the batches that follow, and "
                    "every run still starts from another model.",
                    fix="Move the seed above the line that makes the model.",
                )
            return


def _model_of(parameters: Value | None) -> Value | None:
    """The module whose parameters an optimizer got."""
    settled = root(parameters)
    if isinstance(settled, Collection) and len(settled.items) == 1:
        settled = settled.items[0]
    if isinstance(settled, Call) and settled.op == ".parameters":
        owner = root(settled.receiver)
        return owner if torch_api.is_module(owner) else None
    return None
