"""Evaluation runs in train mode: dropout is active and batch norm uses the batch at hand.

## What happens
Your validation score is too low, and it changes when you ask twice. With dropout active each
evaluation is a lottery: a small network with dropout 0.5 that scores 88.7% in eval mode gave 83%
to 87% in five repeats in train mode. Model selection then picks the luckiest draw.

Batch norm does worse. A prediction depends on which other examples share its batch, so scores
change with batch size and order; sorted evaluation data (all cats, then all dogs) can collapse.
And every evaluation batch writes into the running statistics: ten batches whose mean is 3 pull a
running mean of 0 to 1.95. Evaluation data thereby leaks into the model you ship. A batch of one
raises "Expected more than 1 value per channel when training", the only loud sign.

`torch.no_grad()` does not help. It stops gradients, not dropout and not the statistics.

```python
with torch.no_grad():                 # looks like evaluation
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
```

## How to tell
- **lint**: an evaluation function or `no_grad` loop over validation data without `eval()` before
  it, on a model that has dropout or batch norm; loaded weights judged in a script that never
  calls `eval()`.
- **watch**: forward calls without a following backward pass, recording off, and `module.training`
  True; `num_batches_tracked` advances during evaluation; one batch given twice yields different
  outputs.
- **experiment**: corrected from outside, models are in eval mode whenever gradients are off; the
  same weights score differently.
- **refuted by**: two evaluations of the same weights on the same data that agree to the last digit
  and leave all buffers unchanged.

## How to fix
```python
model.eval()
with torch.inference_mode():
    for x, y in val_loader:
        correct += (model(x).argmax(1) == y).sum().item()
model.train()
```
Call `eval()` before exporting or loading for inference as well. Train mode at test time is
deliberate in Monte-Carlo dropout (many samples, averaged), in test-time adaptation, and when
batch-norm statistics are re-estimated on *training* data after weight averaging.

## Often mistaken for
- `dropout-ignores-mode`: there `eval()` is called and a functional dropout does not listen.
- `overfitting`: a gap between training and validation loss too, but it survives `eval()`.
- `augmented-eval`: the noise comes from the inputs, not from the model.

## Sources
- karpathy-2018: second item of the opening post.
- pytorch-saving: "Saving & Loading Model for Inference"; why eval must be called first.
- ioffe-2015: section 3.1; at inference an output should depend on its own input only.
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from sleuth.finding import Evidence, Telling
from sleuth.record.questions import at, evaluations, in_each_step, needed
from sleuth.source.edits import Edits, around, inserted_after, inserted_before, statement_of
from sleuth.source.flow import ancestry
from sleuth.source.interpreter.values import Call, Unknown, Value
from sleuth.source.parsed_file import called, walked
from sleuth.source.program import Program, clue, line_of, rewrite
from sleuth.source.topics.gradients import trained_by
from sleuth.source.topics.modes import (
    base,
    descendants,
    forwards,
    handed_over,
    identity,
    is_model,
    judged_by,
    last_mode,
    mode_events,
    mode_matters,
    named_only,
    same_module,
)

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.record.entries import Record

UNDONE_EXACTLY = True
ANSWERS = "validation"
IS_AN_ABSENCE = True
LOOKS_LIKE = {"good in training, bad in validation": "usually", "metric apart from loss": "usually"}
INVITED_BY = {"Dropout|BatchNorm": 3.0}


# What gathers several draws of one input: Monte-Carlo dropout keeps train mode on purpose.
GATHERS = frozenset({"torch.stack", "torch.cat", "numpy.stack", "numpy.mean", "builtins.sum"})

NEEDS = "eval ropout BatchNorm train load_state_dict"


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework:
        return
    if not program.training.of("backward"):
        yield from _loaded_and_judged(program)
        return
    learning = [call for _, applied in trained_by(program) for call in applied]
    reached = {id(call) for call in learning}
    for call in forwards(program):
        if id(call) in reached or not any(same_module(call.receiver, other.receiver) for other in learning):
            continue
        telling = None if _under_an_eval_block(program, call) else _in_train_mode(program, call)
        if telling is None or not _judges_other_data(program, call, learning):
            continue
        if judged_by(program, call) is None or _several_draws(program, call):
            continue
        named = named_only(program, "eval", call)
        if named is not None:
            yield clue(
                telling,
                named,
                "`eval` is written here without parentheses, so it is not called: the model is in train "
                f"mode when {line_of(call, named)} evaluates it.",
                fix="Write `model.eval()`.",
                edits=rewrite(named.node, named.source, f"{ast.unparse(named.node)}()") if named.node else (),
            )
            continue
        yield clue(
            telling,
            call,
            "The model is evaluated here while still in train mode: dropout is active, and batch norm "
            "uses (and learns from) the evaluation batch.",
            fix="Call `model.eval()` before the evaluation and `model.train()` before training goes on.",
            edits=() if _mode_blocks(program, call) else _switched(program, call),
        )


def _loaded_and_judged(program: Program) -> Iterator[Evidence]:
    """A script that only evaluates: weights are loaded into a new model, and a new model is in train mode."""
    if program.holds("eval()", "train(False)", ".fit(", ".train("):
        return
    loads = list(program.calls(".load_state_dict"))
    for call in forwards(program) if loads else ():
        model = call.receiver
        loaded = [load for load in loads if load.order < call.order and same_module(load.receiver, model)]
        if call.context.grad or not loaded or not is_model(model) or not mode_matters(model, program):
            continue
        if handed_over(program, model, 0, call.order) or _several_draws(program, call):
            continue
        if judged_by(program, call) is not None:
            yield clue(
                "proven",
                call,
                f"The weights loaded on {line_of(loaded[-1], call)} are evaluated in train mode, the "
                "default of every new model: dropout is active, and batch norm uses the statistics of "
                "each batch.",
                fix="Call `model.eval()` after loading the weights.",
                edits=_switched(program, call),
            )


def _switched(program: Program, call: Call) -> Edits:
    """`model.eval()` before the outermost statement of the evaluation and, in a loop that trains, back after.

    Not safe: where the switch belongs is the author's to say.
    """
    source, node = call.context.source, call.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return ()
    name = ast.unparse(node.func)
    outermost = _evaluation(program, call)
    first = inserted_before(outermost, source, f"{name}.eval()")
    steps = program.training.of("step")
    trains_on = any(step.inside(loop) for loop in call.context.loops for step in steps)
    back = inserted_after(outermost, source, f"{name}.train()") if trains_on else ()
    return (*first, *back)


def _evaluation(program: Program, call: Call) -> ast.stmt | None:
    """The widest statement around a judging call, in its function, that no training step stands in."""
    source = call.context.source
    steps = {id(event.call.node) for event in program.training.of("step", "backward")}
    widest = statement_of(call.node, source)
    for node in around(call.node, source):
        holds_step = any(id(inner) in steps for inner in ast.walk(node))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module | ast.Lambda) or holds_step:
            break
        widest = node if isinstance(node, ast.For | ast.With | ast.While) else widest
    return widest


def _in_train_mode(program: Program, call: Call) -> Telling | None:
    """Proven where the model has dropout or batch norm; likely where nothing ever calls eval()."""
    matters = mode_matters(call.receiver, program)
    deciding = last_mode(program, call, call.receiver)
    if matters is False or (deciding is not None and deciding.kind == "eval"):
        return None
    events = mode_events(program, call.receiver, call)
    if matters and is_model(call.receiver):
        return "proven" if deciding is not None or not any(event.kind == "eval" for event in events) else None
    if (
        deciding is not None
        and ".eval(" not in program.source.text
        and "train(False)" not in program.source.text
    ):
        return "likely"
    return None


def _under_an_eval_block(program: Program, call: Call) -> bool:
    """`with mode(model, False):`, where a generator of the project switches before it yields. What it does
    after that is read as if it came before the body of the block."""
    return any(
        not any(isinstance(part, ast.Constant) and part.value is True for part in block.args)
        for block in _mode_blocks(program, call)
    )


def _mode_blocks(program: Program, call: Call) -> list[ast.Call]:
    """The blocks of the project around a call that set the mode; what is set before them does not last."""
    return [
        manager.node
        for manager in call.context.managers
        if isinstance(manager.node, ast.Call) and _switches_mode(program, called(manager.node))
    ]


def _switches_mode(program: Program, name: str) -> bool:
    return any(
        function.name == name
        and any(isinstance(part, ast.Yield) for part in walked(function))
        and any(isinstance(part, ast.Call) and called(part) in ("train", "eval") for part in walked(function))
        for source in (program.sources if name else ())
        for function in source.of(ast.FunctionDef)
    )


def _judges_other_data(program: Program, call: Call, learning: list[Call]) -> bool:
    """Not the batch, loader or tensor that the model is trained on: that is a training metric."""
    if not call.args:
        return False
    data = base(call.args[0])
    trained_on = {
        identity(base(other.args[0]))
        for other in learning
        if other.args and same_module(other.receiver, call.receiver)
    }
    if data is None or identity(data) in trained_on:
        return False
    # With recording on, only a loop over something that is not trained on tells evaluation from training.
    return not call.context.grad or not (isinstance(data, Unknown) or _feeds_backward(program, call))


def _feeds_backward(program: Program, call: Call) -> bool:
    return any(
        after.op in (".backward", "torch.autograd.grad", "torch.autograd.backward")
        for after in descendants(program, call)
    )


def _several_draws(program: Program, call: Call) -> bool:
    """The same input again and again, the outputs gathered: the spread of dropout is what is wanted."""
    gathered = any(after.op in GATHERS for after in descendants(program, call, 20))
    uncertain = any(
        after.op in (".std", ".var", "numpy.std", "numpy.var", "torch.std")
        for after in descendants(program, call, 40)
    )
    return uncertain or (gathered and (_again_in_a_list(call) or _again_in_a_loop(program, call)))


def _again_in_a_loop(program: Program, call: Call) -> bool:
    loop = call.context.loops[-1] if call.context.loops else None
    if loop is None or not isinstance(loop.over, Call) or loop.over.op != "builtins.range":
        return False
    items = [value for given in call.args for value in ancestry(given, 200) if _is_item(value)]
    if any(item.node is loop.node for item in items):
        return False
    # Epochs are counted as draws are; in one that trains, a comprehension over data is its evaluation.
    walks_data = any(not isinstance(item.node, ast.stmt) for item in items)
    return not (walks_data and any(step.inside(loop) for step in program.training.of("step")))


def _again_in_a_list(call: Call) -> bool:
    """`[model(x) for _ in range(20)]`: what is counted does not enter the model."""
    if call.node is None:
        return False
    for node in around(call.node, call.context.source):
        if isinstance(node, ast.stmt | ast.Lambda):
            return False
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            turn = node.generators[-1]
            counts = isinstance(turn.iter, ast.Call) and called(turn.iter) == "range"
            return counts and not _names_in(turn.target) & _names_in(call.node)
    return False


def _is_item(value: Value) -> TypeGuard[Call]:
    return isinstance(value, Call) and value.op == "next"


def _names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in walked(tree) if isinstance(node, ast.Name)}


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.evaluated_in_eval_mode(world)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Evaluation, Model

    needed(record.of(Evaluation), "evaluation passes")
    matters = {model.id for model in record.of(Model) if model.mode_matters}
    for (model, _, loader), passes in evaluations(record).items():
        wrong = [seen for seen in passes if seen.training and seen.trained and not seen.inside]
        if model not in matters or not wrong or in_each_step(passes):
            continue
        seen = wrong[0]
        # A pass that measures something; one without may renew the statistics of batch norm, or draw samples.
        measured = seen.loss is not None or seen.correct is not None
        serious = not seen.gradients or measured
        real = serious and (measured or (loader is not None and seen.calls > 1) or not seen.gradients)
        yield Evidence(
            f"{len(wrong)} of {len(passes)} evaluation passes ran with the model in train mode (first "
            f"after step {seen.n}): dropout is active and batch norm uses, and learns from, the "
            "evaluation batch.",
            telling="proven" if measured else "likely" if real else "open",
            where=at(seen),
            numbers={"passes": len(wrong), "rows": seen.rows},
            fix="Call `model.eval()` before evaluating, and `model.train()` after.",
        )
