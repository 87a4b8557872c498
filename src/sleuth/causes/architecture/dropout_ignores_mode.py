"""Dropout stays active after eval(), so predictions are random and worse than the model is.

## What happens
`model.eval()` switches modules, and `F.dropout(x, 0.5)` is not one: its `training` argument
defaults to True. Evaluation then loses half the units at random. Accuracy is lower than it should
be, two evaluations of one checkpoint differ, and the gap is put down to overfitting.
```python
def forward(self, x):
    x = F.dropout(torch.relu(self.fc1(x)), 0.5)      # active for ever
    return self.fc2(x)
```
Relatives: `F.scaled_dot_product_attention(..., dropout_p=0.1)` has no mode and always drops;
`nn.Dropout(0.5)(x)` built inside `forward` is new on each call and thus in train mode; an
`nn.Dropout` in a plain list is never reached by `eval()`; `torch.dropout(x, p, True)`; noise
layers of your own that do not ask `self.training`. `nn.LSTM(dropout=...)` and
`nn.MultiheadAttention(dropout=...)` do obey the mode.

Random forward passes on purpose (MC dropout for uncertainty) average many of them; one pass is
the bug.

## How to tell
- **lint**: functional dropout without `training=`; `dropout_p=` given a constant other than 0; a
  dropout module constructed in `forward` or kept in a list; a mask drawn by hand in a module that
  never asks `self.training`. A literal `training=True` is taken for MC dropout.
- **probe**: in eval mode, the same input twice gives different outputs.
- **watch**: repeated evaluation of unchanged weights gives different losses; evaluation loss
  stays above training loss from the first epoch on by about the same amount.
- **experiment**: corrected from outside, functional dropout is off where gradients are off; two
  evaluations of the same weights agree.
- **refuted by**: two eval-mode passes on one batch are bit-for-bit equal.

## How to fix
```python
self.drop = nn.Dropout(0.5)                                      # in __init__
x = self.drop(x)                                                 # in forward
x = F.dropout(x, 0.5, training=self.training)                    # or functional
p = self.dropout_p if self.training else 0.0
y = F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
```
No retraining is needed: the weights are good, and evaluating them properly is enough.

## Often mistaken for
- `train-mode-eval`: `eval()` was never called; here it was and something ignores it.
- `overfitting`: that gap grows over the run and is the same at each evaluation; this one is there
  from the start and jitters.
- `augmented-eval`: the randomness is in the data, and a fixed batch gives a fixed output.

## Sources
- pytorch-dropout-functional: signature and the `training` argument, on by default.
- pytorch-sdpa: `dropout_p`, and the equivalent code in which it applies in any mode.
- srivastava-2014: section 1, the full network with scaled weights is what should be used at test
  time.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, evaluations
from sleuth.source.edits import Edits, argument_node, keyword_set
from sleuth.source.flow import ancestry, literal, possible
from sleuth.source.interpreter.values import Call, Constant, Either, Unknown, Value
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.topics.modules import (
    DROPOUT,
    applied,
    exact,
    mentions,
    method_of,
    model_code_around,
    module_around,
    plain_containers,
    registered,
    settled,
    trains,
)

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import Evaluation, Record

ANSWERS = "validation"
UNLESS = {"any": "asked-again"}
LOOKS_LIKE = {"good in training, bad in validation": "even"}
INVITED_BY = {"Dropout|BatchNorm": 3.0}
PREDICTS = {"no-regularisation": "even"}

_FUNCTIONAL = tuple(
    f"torch.nn.functional.{name}"
    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
)
_MASKS = frozenset({"torch.bernoulli", "torch.rand", "torch.rand_like", ".bernoulli", ".bernoulli_"})
_ATTENTION = "torch.nn.functional.scaled_dot_product_attention"

NEEDS = "ropout bernoulli rand( rand_like attention"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _functional(program)
    yield from _attention(program)
    yield from _made_on_the_spot(program)
    yield from _in_a_list(program)
    yield from _by_hand(program)


def _functional(program: Program) -> Iterator[Evidence]:
    for call in program.calls(*_FUNCTIONAL):
        if call.argument(2, "training") is not None or "**" in call.keywords or _drops_nothing(call):
            continue
        if _switched_by_the_caller(call):
            continue
        if _belongs_to_a_model(call) and not _asks_for_the_mode(call):
            name = call.op.rpartition(".")[2]
            yield clue(
                "proven",
                call,
                f"`F.{name}` without `training=` keeps dropping units after `eval()`: a function does not "
                "know the module's mode, and `training` defaults to True.",
                fix="Pass `training=self.training`, or use an `nn.Dropout` made in `__init__`.",
                edits=keyword_set(call, "training", "self.training") if _has_self(call) else (),
            )


def _attention(program: Program) -> Iterator[Evidence]:
    for call in program.calls(_ATTENTION):
        chance = settled(call.argument(4, "dropout_p"))
        if chance is None or not _belongs_to_a_model(call) or _asks_for_the_mode(call):
            continue
        if _only_at_zero(call, chance):
            continue
        if _surely_drops(chance) or (_is_own_setting(call) and _may_drop(program, chance)):
            yield clue(
                "proven" if _surely_drops(chance) else "likely",
                call,
                "`scaled_dot_product_attention` drops with `dropout_p` in every mode: nothing here sets it "
                "to 0 after `eval()`.",
                fix="Pass `dropout_p=self.dropout_p if self.training else 0.0`.",
                edits=_in_training_only(call),
            )


def _only_at_zero(call: Call, chance: Value) -> bool:
    """`self.fast = ... and self.rate == 0.0`, and under `if self.fast:` the rate is handed on."""
    tests = [option for arm in call.context.arms if arm.name == "if" for option in possible(arm.test)]
    return any(
        isinstance(test, Call)
        and test.op == "=="
        and any(settled(side) is chance for side in test.args)
        and any(exact(side) == 0 for side in test.args)
        for test in tests
    )


def _switched_by_the_caller(call: Call) -> bool:
    """Under `if dropping:`, where `dropping` came in with the inputs, alone or as one of them."""
    function = call.context.function
    if not isinstance(function, ast.FunctionDef):
        return False
    switches = _came_in(function) - {
        part.id for part in ast.walk(call.node or function) if isinstance(part, ast.Name)
    }
    tests = [arm.node.test for arm in call.context.arms if isinstance(arm.node, ast.If | ast.IfExp)]
    return any(_plain_name(part) in switches for test in tests for part in _all_of(test))


def _came_in(function: ast.FunctionDef) -> set[str]:
    """The parameters of a function, and the parts it takes them apart into."""
    given = {part.arg for part in (*function.args.args, *function.args.kwonlyargs)} - {"self"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _plain_name(node.value) in given:
            parts = [part for target in node.targets for part in ast.walk(target)]
            given |= {part.id for part in parts if isinstance(part, ast.Name)}
    return given


def _all_of(test: ast.expr) -> list[ast.expr]:
    """The conditions that must all hold."""
    both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return list(test.values) if both and isinstance(test, ast.BoolOp) else [test]


def _plain_name(node: ast.expr) -> str:
    """`dropping`, also of `not certain`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return node.id if isinstance(node, ast.Name) else ""


def _has_self(call: Call) -> bool:
    """In a method whose first parameter is `self`, not in a function or a lambda inside it."""
    arguments = getattr(call.context.function, "args", None)
    return module_around(call) is not None and bool(
        arguments and arguments.args and arguments.args[0].arg == "self"
    )


def _in_training_only(call: Call) -> Edits:
    written = argument_node(call, 4, "dropout_p")
    if written is None or not _has_self(call):
        return ()
    return rewrite(written, call.source, f"{ast.unparse(written)} if self.training else 0.0", safe=False)


def _made_on_the_spot(program: Program) -> Iterator[Evidence]:
    """`nn.Dropout(0.5)(x)` in forward: a new layer each time, always in train mode."""
    for call in program.calls("()"):
        made = applied(call)
        if made is None or not DROPOUT.match(made.op) or exact(made.argument(0, "p")) == 0:
            continue
        here = method_of(call)
        if here is None or method_of(made) is not here or getattr(here.definition, "name", "") == "__init__":
            continue
        if module_around(call) is not None and not _asks_for_the_mode(call):
            yield clue(
                "proven",
                made,
                f"`{made.op.rpartition('.')[2]}` is created in each forward pass, so it is always in "
                "train mode: `eval()` does not stop its dropout.",
                fix="Create the layer in `__init__` and only call it here.",
            )


def _in_a_list(program: Program) -> Iterator[Evidence]:
    """Dropout layers alone in a plain list (with trained layers among them, that is the greater harm)."""
    for call, owner, held in plain_containers(program):
        known = registered(owner)
        drops = [item for item in held if isinstance(item, Call) and DROPOUT.match(item.op)]
        if drops and not any(trains(item) for item in held) and not any(id(item) in known for item in drops):
            yield clue(
                "proven",
                call,
                f"The dropout layers in `self.{call.op[1:-1]}` are in a plain Python container: `eval()` "
                "does not reach them, so they keep dropping units.",
                fix="Keep them in an `nn.ModuleList`.",
            )


def _by_hand(program: Program) -> Iterator[Evidence]:
    """`x * mask / (1 - p)` with a drawn mask, in a module that never looks at its mode."""
    for call in program.calls("/"):
        if len(call.args) != 2 or not _is_share_kept(call.args[1]) or module_around(call) is None:
            continue
        top = settled(call.args[0])
        # What was drawn before the model was called is data: points at random, noise to start from.
        drawn = [
            value
            for value in ancestry(top, 10)
            if isinstance(value, Call) and value.op in _MASKS and module_around(value) is not None
        ]
        product = any(isinstance(value, Call) and value.op == "*" for value in ancestry(top, 3))
        if drawn and product and not _asks_for_the_mode(call):
            yield clue(
                "proven",
                call,
                "This hand-written dropout draws a mask in every mode: nothing here checks "
                "`self.training`, so it continues after `eval()`.",
                fix="Return the input unchanged when `not self.training`, or use `nn.Dropout`.",
            )


def _is_share_kept(value: Value) -> bool:
    """`1 - p`, or a number below 1."""
    known = settled(value)
    if isinstance(known, Call) and known.op == "-" and len(known.args) == 2:
        return exact(known.args[0]) == 1
    number = exact(known)
    return number is not None and 0 < number < 1


def _belongs_to_a_model(call: Call) -> bool:
    """In a module's method; or in a function that also runs without gradients, as evaluation does."""
    return module_around(call) is not None or not call.context.grad


def _asks_for_the_mode(call: Call) -> bool:
    """Somewhere on the way here the code looks at the mode (or is told it)."""
    return any(
        mentions(definition, "training", "train", "mc_dropout") for definition in model_code_around(call)
    )


def _drops_nothing(call: Call) -> bool:
    return exact(call.argument(1, "p")) == 0 or isinstance(settled(call.argument(1, "p")), Either)


def _surely_drops(chance: Value) -> bool:
    if isinstance(chance, Constant):
        return isinstance(chance.value, int | float) and chance.value > 0
    return (
        isinstance(chance, Call)
        and chance.op == "@p"
        and any(
            isinstance(option, Call) and DROPOUT.match(option.op) and literal(option.argument(0, "p")) != 0
            for option in possible(chance.receiver)
        )
    )


def _may_drop(program: Program, chance: Value) -> bool:
    """A rate from outside: an argument, or an entry of a configuration whose default is not 0."""
    if isinstance(chance, Unknown):
        return True
    if not isinstance(chance, Call) or not (chance.op[:1] == "@" or chance.op == "[]"):
        return False
    given = possible(chance.receiver if chance.op[:1] == "@" else chance.args[0])
    if not all(isinstance(option, Unknown) for option in given):
        return False
    defaults = [cls.members.get(chance.op[1:]) for cls in program.classes]
    return not any(isinstance(known, Constant) and not known.value for known in defaults)


def _is_own_setting(call: Call) -> bool:
    """The chance is written `self.something`: a setting of the module, not an argument of the call."""
    written = next(
        (entry.value for entry in getattr(call.node, "keywords", []) if entry.arg == "dropout_p"), None
    )
    if not isinstance(written, ast.Attribute | ast.Subscript):
        return False
    while isinstance(written, ast.Attribute | ast.Subscript):
        written = written.value
    return isinstance(written, ast.Name)


def probe(bench: "Workbench") -> Iterator[Evidence]:
    seen = bench.modes
    if seen.repeatable:
        return  # it was another model that dropped, a teacher in train mode: this one answers the same twice
    for dropout in seen.awake:
        yield Evidence(
            f"`{dropout.operation}` drops with p={dropout.probability:g} although the model is in eval "
            "mode; two passes "
            f"over one batch differ by up to {seen.difference:.2g}, so predictions are random.",
            telling="proven",
            where=dropout.where,
            numbers={"p": dropout.probability, "difference": seen.difference},
            fix="Use nn.Dropout, or pass training=self.training.",
        )


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.dropout_follows_mode(world)


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Dropout

    resting = {(d.path, d.line) for d in record.of(Dropout) if not d.active and not d.module_training}
    for seen in record.of(Dropout):
        if seen.active and not seen.module_training and seen.p > 0:
            meant = (seen.path, seen.line) in resting  # one line, both ways: samples drawn on demand
            yield Evidence(
                f"Dropout with p = {seen.p:g} was active while its module was in eval mode: predictions are "
                + ("random in those calls, not in others." if meant else "random and the score is too low."),
                telling="aside" if meant else "proven",
                where=at(seen, seen.module or None),
                numbers={"p": seen.p},
                fix="Pass `training=self.training`, or use an `nn.Dropout` layer.",
            )
    for passes in evaluations(record).values():
        for one, other in pairwise(passes):
            if _differ(one, other) and not any(d.active for d in record.of(Dropout)):
                yield Evidence(
                    f"Two passes over the same data with the same weights gave {one.loss:.5g} and "
                    f"{other.loss:.5g} in eval mode: something in the model is still random.",
                    telling="likely",
                    where=at(other),
                    numbers={"one": one.loss or 0.0, "other": other.loss or 0.0},
                    fix="Look for `F.dropout` without `training=self.training`, or for noise drawn in "
                    "forward.",
                )
                return


def _differ(one: "Evaluation", other: "Evaluation") -> bool:
    """Same step, same weights, same inputs, eval mode, and another loss beyond rounding."""
    if (
        one.n != other.n
        or one.weights != other.weights
        or one.fingerprint != other.fingerprint
        or not one.fingerprint
    ):
        return False
    if one.loss is None or other.loss is None or one.training or other.training or one.rows != other.rows:
        return False
    return one.loss_function == other.loss_function and abs(one.loss - other.loss) > 1e-3 * abs(one.loss)
