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
  was made; a seed that is only written down; a seed for a library that nothing draws from; draws from
  numpy beside a seed for torch alone; `if seed:` where the seed is 0; an unseeded split in a script that
  continues from its own checkpoint.
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

from sleuth.finding import Evidence
from sleuth.source import torch_api
from sleuth.source.edits import inserted_before
from sleuth.source.flow import literal, possible, root
from sleuth.source.interpreter.values import Call, Class, Collection, Function, Instance, Table, Value
from sleuth.source.parsed_file import called
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.cadence import frame
from sleuth.source.word_search import Pattern

MEANS_CHANCE = True  # two runs of such a script are worth comparing
IS_AN_ABSENCE = True
GIVES_WAY_TO = "anything"
LOOKS_LIKE = {"seeds apart": "usually"}
PREDICTS = {"other-seed": "even", "again": "always"}

_SEED_WORDS = Pattern(r"seed|random_state|PRNGKey|Generator|default_rng", re.IGNORECASE)
_TORCH_SEEDS = ("torch.manual_seed", "torch.random.manual_seed")
# Calls that note a value down: for people, or in a file.
_WRITES = Pattern(
    r"print|info|debug|warning|log\w*|write\w*|append|dumps?|format|save\w*|str|update|init|add_\w+|join|open|Path|"
    r"mkdir|dict|DataFrame|add_argument|setdefault"
)
_PLAIN = frozenset(
    "torch numpy random math os sys time json csv pathlib argparse tqdm matplotlib typing dataclasses "
    "collections copy logging functools itertools pickle datetime re __future__".split()
)
_SPLITS = ("sklearn.model_selection.train_test_split", "torch.utils.data.random_split")

NEEDS = "seed split( rand shuffle backward"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _seed_unread(program)
    if program.source.holds("manual_seed"):
        yield from _numpy_left_out(program)
    if not any(frame(event.call) is None for event in program.training.of("backward")):
        return  # a library: seeding is its caller's business
    if not program.about(_seed_words):
        yield from _without_seed(program)
    else:
        yield from _seeded_too_late(program)
        yield from _seed_without_effect(program)
        yield from _seed_of_another_library(program)
        yield from _torch_left_out(program)
        yield from _zero_counts_as_none(program)


def _seed_unread(program: Program) -> Iterator[Evidence]:
    """A function that trains takes a seed and never reads it: "seed 3" is any seed."""
    for event in program.training.of("backward"):
        function = event.call.context.function
        if not isinstance(function, ast.FunctionDef) or event.call.source is not program.source:
            continue
        seed = next((entry for entry in _parameters(function) if entry.arg.lower() == "seed"), None)
        if seed is None or any(
            isinstance(node, ast.Name) and node.id == seed.arg for node in _reads(function)
        ):
            continue
        if "seed" not in "".join(_called_names(function)).lower() and _given_seeds(program, function):
            yield clue(
                "likely",
                Value(seed, program.source),
                f"`{function.name}` takes a seed and never uses it: its weights and batches depend on "
                "whatever state the generators are in, so runs with the same seed differ.",
                fix=f"Start `{function.name}` with `torch.manual_seed(seed)`.",
                edits=inserted_before(
                    function.body[0], program.source, f"torch.manual_seed({seed.arg})", safe=True
                ),
            )


_SEEDS = frozenset({*_TORCH_SEEDS, "random.seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"})
_NUMPY_DRAWS = tuple(
    f"numpy.random.{name}"
    for name in "rand randn randint random normal uniform choice permutation shuffle random_sample".split()
)


def _numpy_left_out(program: Program) -> Iterator[Evidence]:
    """torch is seeded, and the data of the same run come from numpy's generator, which nobody seeds."""
    seed = next(program.calls(*_TORCH_SEEDS), None)
    if seed is None or seed.source is not program.source or not program.training.of("backward"):
        return
    if any(call.op not in _SEEDS and _SEED_WORDS.search(call.op) for call in program.trace):
        return
    if any(_SEED_WORDS.search(name) for name in _called_in(program)):
        return
    for draw in program.calls(*_NUMPY_DRAWS):
        if draw.order > seed.order and draw.context.function is seed.context.function:
            yield clue(
                "likely",
                draw,
                f"`{draw.op}` draws from NumPy's generator, and only PyTorch's is seeded (line "
                f"{spot(seed).line}): these numbers differ from run to run.",
                fix="Add `np.random.seed(seed)`, or draw from `np.random.default_rng(seed)`.",
            )
            return


def _called_in(program: Program) -> Iterator[str]:
    """What the file calls by a name of its own or of code out of sight: it may seed whatever it likes."""
    for node in program.source.of(ast.Call):
        if isinstance(node.func, ast.Name):
            yield node.func.id


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _reads(function: ast.FunctionDef) -> Iterator[ast.AST]:
    return (node for statement in function.body for node in ast.walk(statement))


def _called_names(function: ast.FunctionDef) -> Iterator[str]:
    for node in _reads(function):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def _given_seeds(program: Program, function: ast.FunctionDef) -> bool:
    """Whether the file itself calls the function and hands a seed over."""
    return any(
        isinstance(site.receiver, Function)
        and site.receiver.definition is function
        and site.node is not function
        for site in program.calls("def")
    )


def _identifiers(program: Program) -> Iterator[str]:
    """Every name that the code uses, comments and texts left out."""
    for node in program.source.nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword | ast.arg):
            yield node.arg or ""
        elif isinstance(node, ast.alias):
            yield node.name


def _seed_words(program: Program) -> list[str]:
    """The names that speak of seeds, each time they are used."""
    return [word for word in _identifiers(program) if _SEED_WORDS.search(word)]


def _without_seed(program: Program) -> Iterator[Evidence]:
    split = next(program.calls(*_SPLITS), None)
    if split is not None and _resumes(program):
        yield clue(
            "likely",
            split,
            "The split is drawn again in each run, and this script resumes from its own checkpoint: a "
            "resumed run evaluates on rows that the earlier one trained on.",
            fix="Give the split a fixed `random_state` (or a seeded `generator`).",
        )
        return
    first = split or next((call for call in program.trace if torch_api.is_module(call)), None)
    if first is not None:
        yield clue(
            "open",
            first,
            "Nothing in this script fixes the random numbers, so no result can be reproduced.",
            fix="Seed `random`, `numpy` and `torch` before data and model are created.",
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


def _seeded_too_late(program: Program) -> Iterator[Evidence]:
    """The only seed comes after the weights that are trained were drawn."""
    seeds = list(program.calls(*_TORCH_SEEDS))
    if not seeds or seeds[0].context.loops or seeds[0].context.arms or frame(seeds[0]) is not None:
        return
    if len(program.about(_seed_words)) > len(seeds):
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
                    "likely",
                    seeds[0],
                    "The seed is set after the weights were initialised: it fixes the batches, but every "
                    "run still starts from different weights.",
                    fix="Set the seed above the line that creates the model.",
                )
            return


def _seed_without_effect(program: Program) -> Iterator[Evidence]:
    """A seed is asked for (`--seed`, `SEED = 0`, `"seed": 0`) and then only written down."""
    nodes = program.source.nodes
    declared = next((node for node in nodes if _declares_seed(node)), None)
    if declared is None or any(_may_seed(node) for node in nodes):
        return
    if any(_hands_on_settings(program, call) for call in program.trace):
        return  # whoever gets all settings may use the seed among them
    yield clue(
        "likely",
        Value(declared, program.source),
        "A seed is defined here and never passed to a random generator: runs with the same seed still "
        "differ.",
        fix="Call `torch.manual_seed(seed)`, `random.seed` and `np.random.seed` before data and model.",
    )


def _zero_counts_as_none(program: Program) -> Iterator[Evidence]:
    """`if args.seed: seed_everything(args.seed)`, where the seed is 0 unless somebody asks for another."""
    for condition in program.source.of(ast.If):
        test = condition.test
        if not isinstance(test, ast.Name | ast.Attribute) or condition.orelse:
            continue
        asked = ast.unparse(test)
        seeds = [
            node
            for statement in condition.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and _SEED_WORDS.search(called(node))
        ]
        given = [part for node in seeds for part in node.args if ast.unparse(part) == asked]
        if given and _zero_by_default(program, asked.rpartition(".")[2]):
            yield clue(
                "likely",
                Value(test, program.source),
                f"`{asked}` is 0 by default, and 0 counts as false here: nothing is seeded, so every run "
                "differs.",
                fix=f"Check `if {asked} is not None:`.",
            )


def _zero_by_default(program: Program, name: str) -> bool:
    """Whether a setting is 0 as the source gives it: an option's default, a field, a constant."""
    for node in program.source.nodes:
        if isinstance(node, ast.Call) and called(node) == "add_argument":
            options = {str(part.value).strip("-") for part in node.args if isinstance(part, ast.Constant)}
            if name in options and any(e.arg == "default" and _is_zero(e.value) for e in node.keywords):
                return True
        elif isinstance(node, ast.Assign | ast.AnnAssign) and _is_zero(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(part, ast.Name | ast.Attribute) and _last(part) == name for part in targets):
                return True
        elif isinstance(node, ast.keyword) and node.arg == name and _is_zero(node.value):
            return True
    return False


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _is_zero(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0


def _declares_seed(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # argparse
        words = [part.value for part in node.args if isinstance(part, ast.Constant)]
        return node.func.attr == "add_argument" and any(str(word).strip("-") == "seed" for word in words)
    if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(part, ast.Name) and part.id.lower() == "seed" for part in targets)
    if isinstance(node, ast.Call) and _is_settings(node):
        return any(entry.arg == "seed" and isinstance(entry.value, ast.Constant) for entry in node.keywords)
    return isinstance(node, ast.Dict) and any(
        isinstance(key, ast.Constant) and key.value == "seed" and isinstance(value, ast.Constant)
        for key, value in zip(node.keys, node.values, strict=True)
    )


def _is_settings(node: ast.Call) -> bool:
    """`dict(...)`, `SimpleNamespace(...)`, `TrainConfig(...)`."""
    return bool(re.search(r"^dict$|Namespace$|Config$|Settings$", getattr(node.func, "id", "")))


def _may_seed(node: ast.AST) -> bool:
    """Anything that may hand a seed to a generator: a call or argument that is named so, or that gets one."""
    if isinstance(node, ast.arg):
        return bool(_SEED_WORDS.search(node.arg))
    if isinstance(node, ast.alias | ast.FunctionDef):
        return bool(_SEED_WORDS.search(node.name))
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    if _SEED_WORDS.search(name):
        return True
    if not _is_settings(node) and any(_SEED_WORDS.search(entry.arg or "") for entry in node.keywords):
        return not _WRITES.fullmatch(name)
    given = (*node.args, *(entry.value for entry in node.keywords))
    return not _WRITES.fullmatch(name) and any(_reads_seed(part) for part in given)


def _reads_seed(node: ast.expr) -> bool:
    """`seed`, `args.seed`, `cfg["seed"]`, alone or in arithmetic; not in a text that is put together."""
    if isinstance(node, ast.BinOp):
        return _reads_seed(node.left) or _reads_seed(node.right)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and "seed" in str(node.slice.value).lower()
    if isinstance(node, ast.IfExp | ast.Starred | ast.Call):
        return any(_reads_seed(part) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return "seed" in name.lower()


def _hands_on_settings(program: Program, call: Call) -> bool:
    """The settings as a whole go to code that is not in view."""
    taker = root(call.receiver)
    code = taker.cls if isinstance(taker, Instance) else taker
    if isinstance(code, Function | Class) and code.source is program.source:
        return False
    name = call.op.rpartition(".")[2]
    if call.op[:1] in "@[{" or _WRITES.fullmatch(name) or name in ("vars", "asdict", "next"):
        return False
    given = [root(part) for part in (*call.args, *call.keywords.values())]
    return any(
        (isinstance(part, Call) and part.op in (".parse_args", ".parse_known_args"))
        or (isinstance(part, Table) and "seed" in part.items)
        or (isinstance(part, Instance) and "seed" in part.attributes)
        for part in given
    )


_OTHER_SEEDS = ("random.seed", "numpy.random.seed")


def _torch_left_out(program: Program) -> Iterator[Evidence]:
    """Whoever seeds both `random` and numpy wants runs to repeat; weights and batches come from torch."""
    seeds = [call for call in program.calls(*_OTHER_SEEDS) if frame(call) is None]
    if {call.op for call in seeds} != {*_OTHER_SEEDS} or program.holds("manual_seed", "Generator"):
        return
    others = (call.op for call in program.trace if call.op not in _OTHER_SEEDS and call.op[:1] != "@")
    if any(map(_SEED_WORDS.search, others)):  # `cfg.seed` is only read
        return
    if any(_SEED_WORDS.search(name) and not _defined_here(program, name) for name in _called_in(program)):
        return
    if any(torch_api.is_module(call) for call in program.trace):
        yield clue(
            "likely",
            seeds[-1],
            "`random` and NumPy are seeded and PyTorch is not: initial weights, the order of batches and "
            "dropout come from its generator, so every run differs.",
            fix="Add `torch.manual_seed(seed)`.",
        )


def _defined_here(program: Program, name: str) -> bool:
    return any(function.name == name for function in program.source.of(ast.FunctionDef))


def _seed_of_another_library(program: Program) -> Iterator[Evidence]:
    """The only seed goes to a generator that nothing here draws from."""
    seeds = [call for call in program.calls("random.seed", "numpy.random.seed") if frame(call) is None]
    words = len(program.about(_seed_words))
    if len(seeds) != 1 or words != len(seeds) or not any(torch_api.is_module(call) for call in program.trace):
        return
    library = seeds[0].op.removesuffix(".seed")
    if any(call.op.startswith(f"{library}.") and call is not seeds[0] for call in program.trace):
        return
    if not all(_draws_nothing(node) for node in program.source.nodes):
        return
    yield clue(
        "likely",
        seeds[0],
        f"Only `{library}` is seeded, and nothing here draws from it: weights and batches come from "
        "PyTorch's generator, so every run differs.",
        fix="Seed the generators in use: `torch.manual_seed(...)`, and `np.random.seed(...)` where NumPy "
        "draws.",
    )


def _draws_nothing(node: ast.AST) -> bool:
    """Not an import of what may draw from the seeded generator behind the scenes, as sklearn does."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in _PLAIN for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] in _PLAIN
    return True


def _model_of(parameters: Value | None) -> Value | None:
    """The module whose parameters an optimizer got."""
    settled = root(parameters)
    if isinstance(settled, Collection) and len(settled.items) == 1:
        settled = settled.items[0]
    if isinstance(settled, Call) and settled.op == ".parameters":
        owner = root(settled.receiver)
        return owner if torch_api.is_module(owner) else None
    return None
