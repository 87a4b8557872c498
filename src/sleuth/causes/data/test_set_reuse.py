"""The test set is consulted again and again, so its score no longer measures new data.

## What happens
Choosing the best of many is itself a fit. Take models that toss coins and a balanced test set: the
best of 10 scores 57.7% on 100 examples, the best of 100 62.5%, the best of 1000 66%. With 1000
test examples the best of 100 still shows 54%, with 10,000 it shows 51.3%. No label was
used directly; the score did it. Small sets and many evaluations make the worst mixture.

In code the reuse hides in ordinary places: early stopping on the test loss, "save if test accuracy
is best", a learning-rate plateau scheduler fed with it, a grid search over it, a classification
threshold tuned on it, reporting the maximum over epochs.

```python
for epoch in range(100):
    train_one_epoch(model)
    acc = evaluate(model, test_loader)
    best = max(best, acc)                   # the best of 100 looks
print("test accuracy", best)
```

It does not stop a model from learning. It makes you believe that it did, and it makes two methods
look different that are not.

## How to tell
- **lint**: a value computed from something named test reaches a comparison, a checkpoint, a
  scheduler, an early stop or a search; or the script has two splits and selects with the second.
- **refuted by**: the test loader is used once, after the last decision.

## How to fix
Three parts. Decide everything with the middle one.

```python
for epoch in range(100):
    train_one_epoch(model)
    acc = evaluate(model, valid_loader)
    if acc > best:
        best, state = acc, copy.deepcopy(model.state_dict())
model.load_state_dict(state)
print("test accuracy", evaluate(model, test_loader))      # once
```

Too little data for three parts: nested cross-validation. Plotting a test curve is harmless as long
as nothing, including you, reacts to it. A public benchmark is a reused test set by nature: ask
whether the gain exceeds the noise of its size, and confirm on fresh data.

## Often mistaken for
- `split-overlap`: rows shared between the parts; a single look is already too good.
- `overfitting`: concerns training against held-out loss; this one fools the held-out score itself.
- `checkpoint-aliased`: "best" weights that are really the last ones, whichever set chose them.

## Sources
- dwork-2015: why adaptive choices invalidate a holdout set, and a mechanism to reuse it safely.
- sklearn-cv: the introduction, tuning against the test set leaks it into the model; hence a
  validation set.
"""

import ast
import re
from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.source.flow import ancestry, literal, root
from sleuth.source.interpreter.values import Call, Function, Instance, Unknown, Value
from sleuth.source.parsed_file import walked
from sleuth.source.program import Program, clue
from sleuth.source.topics.loaders import DATA_LOADER, line, role
from sleuth.source.topics.splits import splits_of
from sleuth.source.word_search import Pattern

# In one word, too: `testloader`, `testset`.
_TEST = Pattern(
    r"(?<![a-z])(test|testing|holdout)(?![a-z])|(?<![a-z])test(?=(data)?(set|loader|dl|ds)s?(?![a-z]))",
    re.IGNORECASE,
)
_DATA = Pattern(
    r"(?<![a-z])(test)?(data|(data)?loaders?|dl|ds|dataset|set|iter|batches|x|y|images|labels)(?![a-z])",
    re.IGNORECASE,
)
_VALID = Pattern(r"(?<![a-z])(val|valid|validation|dev|cv)(?![a-z])", re.IGNORECASE)
KEEPS_BEST = frozenset(
    {"torch.save", ".state_dict", "copy.deepcopy", ".save", ".save_pretrained", "joblib.dump"}
)
FIX = "Split the data into three parts, decide with the validation part, and use the test part once."

NEEDS = "test Test holdout"


def lint(program: Program) -> Iterator[Evidence]:
    tests = _test_sets(program)
    if not tests:
        return
    yield from _chosen_by_comparison(program, tests)
    yield from _best_of_many(program, tests)
    for call in program.calls(".step"):
        plateau = root(call.receiver)
        if isinstance(plateau, Call) and plateau.op.endswith("ReduceLROnPlateau") and call.args:
            if (looked := _looks_at(call.args[0], tests)) is not None:
                yield _report(call, "the learning rate", looked)


def _report(at: Value, what: str, looked: Value) -> Evidence:
    return clue(
        "likely",
        at,
        f"A score on the test data (line {line(looked)}) decides {what} repeatedly: the reported score no "
        "longer measures performance on new data.",
        fix=FIX,
    )


def _test_sets(program: Program) -> dict[int, Value]:
    """What the program keeps as its test data: made as such, or cut off and called so."""
    found: dict[int, Value] = {}
    loaders = list(program.calls(DATA_LOADER))
    names = _names(program, {_spot(call) for call in loaders}) if loaders else {}
    for call in loaders:
        dataset = root(call.argument(0, "dataset"))
        name = names.get(_spot(call), "")
        if _VALID.search(name.replace("_", " ")):
            continue
        if role(dataset) == "held-out" or _TEST.search(name.replace("_", " ")):
            found[id(call)] = call
    for split in splits_of(program).found:
        for part in split.held_out:
            name = _unpacked_name(part)
            if _TEST.search(name.replace("_", " ")):
                found[id(part)] = part
    return found | _handed_in(program)


def _handed_in(program: Program) -> dict[int, Value]:
    """Test data that comes from outside: an argument, an attribute or an entry that is called so."""
    found: dict[int, Value] = {}
    for call in program.trace:
        for value in (call, *call.args):
            name = _outside_name(value)
            if name and _TEST.search(name) and _DATA.search(name) and not _VALID.search(name):
                found[id(value)] = value
    return found


def _outside_name(value: Value) -> str:
    """The words of a name that the file does not define: `test loader` for `self.test_loader`."""
    if isinstance(value, Unknown) and isinstance(value.node, ast.Name | ast.arg):
        return value.name.replace("_", " ")
    if not isinstance(value, Call) or (value.op != "[]" and (value.op[:1] != "@" or value.op[-1:] == "=")):
        return ""
    if not isinstance(root(_holder(value)), Unknown | Instance):
        return ""
    if value.op == "[]" and isinstance(key := literal(value.args[1]), str):
        return re.sub(r"[_.]", " ", f"{_spelled(value.args[0])} {key}")
    return value.op[1:].replace("_", " ") if value.op != "[]" else ""


def _holder(value: Call) -> Value | None:
    return value.args[0] if value.op == "[]" and len(value.args) == 2 else value.receiver


def _spelled(value: Value) -> str:
    if isinstance(value, Unknown):
        return value.name
    return ast.unparse(value.node) if isinstance(value.node, ast.Name | ast.Attribute) else ""


def _spot(value: Value) -> tuple[int, int]:
    return getattr(value.node, "lineno", 0), getattr(value.node, "col_offset", 0)


def _names(program: Program, spots: set[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """The names that the assigned expressions at these places of the file got."""
    found: dict[tuple[int, int], str] = {}
    for node in program.source.of(ast.Assign):
        if len(node.targets) == 1:
            if (spot := (node.value.lineno, node.value.col_offset)) in spots:
                found[spot] = ast.unparse(node.targets[0])
    return found


def _unpacked_name(part: Value) -> str:
    """`X_test` for the part of `X_train, X_test = ...` that goes there."""
    if not isinstance(part, Call) or not isinstance(part.node, ast.Tuple | ast.List):
        return ""
    place = getattr(part.args[1], "value", None) if len(part.args) == 2 else None
    if isinstance(place, int) and place < len(part.node.elts):
        return ast.unparse(part.node.elts[place])
    return ""


def _looks_at(value: Value | None, tests: dict[int, Value]) -> Value | None:
    return next((tests[id(here)] for here in ancestry(value, 1_500) if id(here) in tests), None)


def _chosen_by_comparison(program: Program, tests: dict[int, Value]) -> Iterator[Evidence]:
    """`if test_acc > best:` in a loop, with something kept or ended inside; `best = max(best, test_acc)`."""
    keeps = [call for call in program.calls(*KEEPS_BEST) if call.context.arms and call.context.loops]
    for comparison in program.calls(">", "<", ">=", "<="):
        if not comparison.context.loops or not isinstance(comparison.node, ast.Compare):
            continue
        if (looked := _looks_at(comparison, tests)) is None:
            continue
        branch = _branch_on(program, comparison.node)
        if branch is None or not _remembers(comparison, branch, tests):
            continue
        kept = any(any(arm.node is branch for arm in call.context.arms) for call in keeps)
        if kept or _updates_best(branch, comparison.node):
            yield _report(
                comparison, "which weights or settings are kept" if kept else "what is best", looked
            )


def _best_of_many(program: Program, tests: dict[int, Value]) -> Iterator[Evidence]:
    """`max(models, key=lambda model: model.score(X_test, y_test))`."""
    for choice in program.calls("builtins.max", "builtins.min", "builtins.sorted"):
        key = root(choice.keywords.get("key"))
        rule = key.definition if isinstance(key, Function) else None
        if not isinstance(rule, ast.Lambda):
            continue
        written = {id(node) for node in walked(rule.body)}
        scores = [call for call in program.calls(".score") if id(call.node) in written]
        looked = next((seen for call in scores if (seen := _looks_at(call, tests)) is not None), None)
        if looked is not None:
            yield _report(choice, "which model is kept", looked)


def _remembers(comparison: Call, branch: ast.If, tests: dict[int, Value]) -> bool:
    """One side is the best so far (the branch replaces it), the other was computed from test data."""
    assert isinstance(comparison.node, ast.Compare)
    stored = {
        part.id if isinstance(part, ast.Name) else ast.unparse(part)
        for node in branch.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name | ast.Attribute)
    }
    sides = (comparison.node.left, comparison.node.comparators[0])
    for best, score in ((0, 1), (1, 0)):
        if ast.unparse(sides[best]) in stored and _looks_at(comparison.args[score], tests) is not None:
            return True
    return False


def _branch_on(program: Program, test: ast.Compare) -> ast.If | None:
    return next(
        (node for node in program.source.of(ast.If) if any(part is test for part in ast.walk(node.test))),
        None,
    )


def _updates_best(branch: ast.If, test: ast.Compare) -> bool:
    """The branch remembers the score as the best so far, together with something else that belongs to it."""
    names = {ast.unparse(part) for part in (test.left, *test.comparators)}
    stored = [
        ast.unparse(target) for node in branch.body if isinstance(node, ast.Assign) for target in node.targets
    ]
    flat = " ".join(stored)
    return any(name in flat for name in names) and (len(stored) > 1 or "," in flat)
