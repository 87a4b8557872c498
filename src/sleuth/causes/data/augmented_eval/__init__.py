"""Random augmentation is still active on the evaluation set.

## What happens
The score is too low and it wobbles. A digit classifier trained with one-pixel shifts scored 92.2%
on the plain test set. On the randomly shifted one, eight evaluations of the very same weights gave
88.2 to 91.7%. Early stopping and "best checkpoint" then select luck, and a one-point improvement
of your method drowns.

The usual origin is one data set object shared by both splits:

```python
full = ImageFolder(root, transform=train_tf)         # with RandomResizedCrop, ColorJitter
train, val = random_split(full, [0.8, 0.2])          # val inherits train_tf
```

`random_split` and `Subset` only hold indices, so both halves see the same `transform`. Setting
`val.dataset.transform = eval_tf` afterwards switches it off for training too: it is the same
object. Other places: noise or token masking written into the model's `forward` without asking
`self.training`, mixup in a shared `collate_fn`, random crops of audio at test time.

Curves can look upside down: training and evaluation equally bad, or a large gap that disappears
when you run a separate inference script.

## How to tell
- **lint**: `Random*`, `ColorJitter`, `RandAugment` and the like, or a transform of your own that
  draws random numbers, in an evaluation set; a `__getitem__` that draws for every split; one such
  transform for both halves of `random_split`; a data set that is evaluated with its augmentation
  switched on.
- **watch**: the same evaluation example arrives with different values in two passes; the metric
  changes between two evaluations without a training step in between.
- **refuted by**: evaluating twice with unchanged weights gives identical numbers.

## How to fix
Two data set objects over the same files, one split of the indices.

```python
train_ds, eval_ds = ImageFolder(root, train_tf), ImageFolder(root, eval_tf)
order = torch.randperm(len(train_ds), generator=torch.Generator().manual_seed(0)).tolist()
cut = int(0.8 * len(order))
train, val = Subset(train_ds, order[:cut]), Subset(eval_ds, order[cut:])
```

Test-time augmentation, which averages the predictions over several views, and robustness benchmarks
with fixed corruptions are deliberate and fine.

## Often mistaken for
- `dropout-ignores-mode`: the inputs repeat exactly and the *model* is random in eval mode.
- `preprocessing-mismatch`: a fixed difference; two evaluations agree with each other.
- `train-mode-eval`: inputs repeat, and dropout or batch statistics are active.

## Sources
- goodfellow-2016-ch7: section 7.4, augmentation as a way to make more *training* examples.
- pytorch-data: `Subset` and `random_split`, which refer to one underlying data set by index.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.causes.data.augmented_eval.items import always_augmented, branch_draws
from sleuth.finding import Evidence
from sleuth.record.questions import at, evaluations, loaders, loss_calls, needed
from sleuth.source.flow import root
from sleuth.source.interpreter.values import Call, Constant, Function, Instance, Table, Value
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.loaders import (
    class_of,
    dataset_of,
    evaluation_loaders,
    given_transform,
    method,
    name_of,
    random_steps,
    role,
    training_loaders,
    transform_of,
)
from sleuth.source.topics.splits import RANDOM_SPLIT, splits_of

if TYPE_CHECKING:
    from sleuth.record.entries import Record

ANSWERS = "validation"
CONSEQUENCE_OF = "dropout-ignores-mode"
LOOKS_LIKE = {"good in training, bad in validation": "usually"}
INVITED_BY = {"augment|RandomCrop|Flip|transforms": 3.0}


FIX = "Give the held-out part its own data set object, with a transform without random steps."

NEEDS = "ransform ugment rand Rand noise flip crop jitter mixup cutmix"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _held_out_sets(program)
    yield from _shared_halves(program)
    yield from _tables(program)
    yield from _switched_on(program)
    yield from _in_every_item(program)
    yield from _applied_in_evaluation(program)


def _held_out_sets(program: Program) -> Iterator[Evidence]:
    """A held-out set made with a random transform."""
    made = [call for call in program.trace if call.receiver is None and given_transform(call) is not None]
    evaluated = [dataset for loader in evaluation_loaders(program) if (dataset := dataset_of(loader))]
    trained = [dataset for loader in training_loaders(program) if (dataset := dataset_of(loader))]
    in_training = {
        id(transform_of(one)) for one in (*made, *trained) if role(one) == "train" or one in trained
    }
    candidates: list[Value] = [call for call in made if role(call) == "held-out"]
    candidates += [one for one in evaluated if one not in candidates and role(one) != "train"]
    for dataset in candidates:
        steps = _random_steps(transform_of(dataset))
        if not steps or any(dataset is one for one in trained):
            continue
        shared = id(transform_of(dataset)) in in_training or not isinstance(dataset, Call)
        yield _report(dataset if shared else steps[0], steps[0], "the held-out set")


def _random_steps(transform: Value | None) -> list[Value]:
    """None where a transform makes several views of a picture: to tell that they belong together is the task
    then, in evaluation as well."""
    made = root(transform)
    definition = method(made.cls, "__call__") if isinstance(made, Instance) else None
    applied = [ast.dump(node) for node in ast.walk(definition) if _views(node)] if definition else []
    return [] if len(set(applied)) < len(applied) else random_steps(transform)


def _views(node: ast.AST) -> bool:
    """`self.view(picture)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "self"
        and len(node.args) == 1
    )


def _report(at: Value, step: Value, whose: str) -> Evidence:
    return clue(
        "proven",
        at,
        f"`{name_of(step)}` ({line_of(step, at)}) is applied to {whose}: the same weights score differently "
        "in every pass, and lower than they should.",
        fix=FIX,
    )


def _shared_halves(program: Program) -> Iterator[Evidence]:
    """`random_split` of one augmented data set: both halves see its transform."""
    if any(True for _ in program.calls("@transform=", "@dataset=")):
        return  # the transform is exchanged afterwards
    for split in splits_of(program).found:
        by_subset = split.call.op not in RANDOM_SPLIT
        for whole in split.whole:
            made = root(whole)
            steps = _random_steps(transform_of(made))
            if not isinstance(made, Call) or not steps or not split.held_out:
                continue
            if by_subset:
                subsets = [
                    part
                    for part in split.held_out
                    if isinstance(part, Call)
                    and part.op.endswith(".Subset")
                    and root(part.argument(0, "dataset")) is made
                ]
                if subsets:
                    yield _report(subsets[0], steps[0], "both parts of the split")
            elif not _is_wrapped(program, split.held_out):
                yield _report(split.call, steps[0], "both parts of the split")
            break


def _is_wrapped(program: Program, parts: tuple[Value, ...]) -> bool:
    """The held-out part goes into a data set of the project, which may transform it in its own way."""
    mine = {id(part) for part in parts}
    return any(
        id(root(argument)) in mine
        for call in program.calls("new")
        for argument in (*call.args, *call.keywords.values())
    )


def _tables(program: Program) -> Iterator[Evidence]:
    """`{"train": Compose(...), "val": Compose(...)}`."""
    seen: set[int] = set()
    for value in program.scene.scope.names.values():
        table = root(value)
        if isinstance(table, Table) and id(table) not in seen and "train" in table.items:
            seen.add(id(table))
            for key in ("val", "valid", "test", "eval", "validation"):
                steps = _random_steps(table.items.get(key))
                if steps:
                    yield _report(steps[0], steps[0], f"the `{key}` data")


def _switched_on(program: Program) -> Iterator[Evidence]:
    """A data set of the project that augments when told to, told to for evaluation."""
    evaluated = [dataset_of(loader) for loader in evaluation_loaders(program)]
    for dataset in evaluated:
        getter = method(class_of(dataset), "__getitem__")
        if not isinstance(dataset, Instance) or getter is None:
            continue
        for branch in ast.walk(getter):
            if isinstance(branch, ast.If) and (flag := _own_flag(branch.test)):
                value = dataset.attributes.get(flag)
                if isinstance(value, Constant) and value.value is True and branch_draws(dataset, branch):
                    yield clue(
                        "proven",
                        dataset,
                        f"This data set is evaluated with `{flag}` on: its examples are changed at random "
                        f"on line {branch.lineno}.",
                        fix=f"Make the held-out data set with `{flag}=False`.",
                    )
                    break


def _in_every_item(program: Program) -> Iterator[Evidence]:
    """A data set of the project that changes each item at random, used for training and for evaluation."""
    trained = {id(class_of(dataset_of(loader))) for loader in training_loaders(program)}
    for loader in evaluation_loaders(program):
        dataset, mixed = dataset_of(loader), root(loader.keywords.get("collate_fn"))
        known = dataset if isinstance(dataset, Instance) and id(dataset.cls) in trained else None
        changed = always_augmented(known) if known is not None else None
        if known is not None and changed is not None:
            yield clue(
                "likely",
                known,
                f"`{known.cls.name}` changes each example at random (returned on line {changed.lineno}) "
                "in every split: the same weights score differently in every evaluation.",
                fix="Augment the training split only: pass a flag to the data set and check it in "
                "`__getitem__`.",
            )
        elif isinstance(mixed, Function) and _mixes_batches(mixed):
            yield _report(loader, mixed, "the batches of an evaluation loader")


def _mixes_batches(function: Function) -> bool:
    """Mixup and its kin draw their share from a beta distribution, whatever the batch is for."""
    if function.definition is None:
        return False
    nodes = list(ast.walk(function.definition))
    names = [node.func for node in nodes if isinstance(node, ast.Call)]
    asks = any(isinstance(node, ast.Attribute) and node.attr == "training" for node in nodes)
    return not asks and any(
        isinstance(name, ast.Attribute) and name.attr in ("beta", "Beta", "betavariate") for name in names
    )


def _own_flag(test: ast.expr) -> str:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        test = test.values[0]
    if isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name) and test.value.id == "self":
        return test.attr
    return ""


def _applied_in_evaluation(program: Program) -> Iterator[Evidence]:
    """A random transform object applied to the inputs of a model inside an evaluation loop."""
    evaluation = {id(loader) for loader in evaluation_loaders(program)}
    for event in program.training.of("forward"):
        context = event.call.context
        if context.grad or not context.loops or not event.call.args or not evaluation:
            continue
        applied = root(event.call.args[0])
        if isinstance(applied, Call) and applied.op == "()" and (steps := _random_steps(applied.receiver)):
            yield _report(applied, steps[0], "the batches of an evaluation loop")


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Evaluation

    needed(record.of(Evaluation), "evaluation passes")
    known = loaders(record)
    # Noise is part of the task for a denoiser and in the codes of a VAE; it is not for a classifier.
    classifies = any("int" in call.target_dtype for call in loss_calls(record))
    first: set[tuple[int, int | None]] = set()
    for (model, _, source), passes in evaluations(record).items():
        # Parts that are called one by one, as a decoder is, get what the first of them made: that changes.
        if (model, source) in first:
            continue
        first.add((model, source))
        loader = known.get(source) if source is not None else None
        # Another order, or data made on the fly, changes the inputs without any augmentation.
        if loader is None or loader.shuffled or loader.examples is None or "Sequential" not in loader.sampler:
            continue
        whole = [seen for seen in passes if seen.rows == loader.examples and seen.fingerprint]
        if len({seen.fingerprint for seen in whole}) < 2:
            continue
        yield Evidence(
            f"{len(whole)} evaluation passes over the same {whole[0].rows} examples in the same order "
            f"received {len({seen.fingerprint for seen in whole})} different sets of values: the "
            "evaluation inputs are augmented at random, so the score is that of a harder task and varies "
            "from pass to pass.",
            telling="likely" if classifies else "open",
            where=at(loader),
            numbers={"passes": len(whole), "rows": whole[0].rows},
            fix="Give the evaluation set its own transform without random steps.",
        )
