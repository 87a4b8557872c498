"""Training and held-out rows of one table, each taken from a draw of its own: some rows are in both."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import literal, possible
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.program import Program
from sleuth.source.topics.modes import identity, same_module
from sleuth.source.topics.splits import TRAIN_TEST_SPLIT, bare, first_key

# Generators of their own may be set to the same start; these two go on from where they are.
_PERMUTATIONS = ("numpy.random.permutation", "torch.randperm")
_SEEDS = ("numpy.random.seed", "torch.manual_seed", ".seed", ".manual_seed", "random.seed")
_SCORES = (".score", ".predict", ".predict_proba", ".decision_function")


@dataclass(frozen=True)
class Drawn:
    """Rows of a table, and the draw that took them."""

    by: Call
    table: Value


@dataclass(frozen=True)
class TwoDraws:
    """The draw that a model was fitted with, and the other one that it is judged with."""

    fitted: Call
    judged: Call


def two_draws(program: Program) -> Iterator[TwoDraws]:
    if sum(1 for _ in program.calls(*_SEEDS)) > 1:  # two draws from one start are one
        return
    told: set[int] = set()
    for scored in program.calls(*_SCORES):
        fit = _last_fit(program, scored)
        one, other = _drawn(fit), _drawn(scored)
        if one is None or other is None or id(other.by) in told or one.by is other.by:
            continue
        if identity(one.table) == identity(other.table) and _independent(one.by, other.by):
            told.add(id(other.by))
            yield TwoDraws(one.by, other.by)


def _last_fit(program: Program, scored: Call) -> Call | None:
    """The fit that the model judged here had last, in the same turn of the same loops."""
    before = [
        fit
        for fit in program.calls(".fit")
        if fit.order < scored.order
        and fit.context.loops == scored.context.loops
        and same_module(fit.receiver, scored.receiver)
    ]
    return before[-1] if before and not before[-1].context.arms else None


def _drawn(call: Call | None) -> Drawn | None:
    """What a model is fitted or judged with, if it is cut out by a draw and by nothing else."""
    item = _only(call.argument(0, "X") if call is not None else None)
    if not isinstance(item, Call) or item.op != "[]" or len(item.args) != 2:
        return None
    held = _only(item.args[0])
    if isinstance(held, Call) and held.op in TRAIN_TEST_SPLIT:
        place = literal(item.args[1])
        arrays = held.args
        if isinstance(place, int) and 0 <= place < 2 * len(arrays):
            return Drawn(held, arrays[place // 2])
        return None
    part = bare(first_key(item.args[1]))
    if not isinstance(part, Call) or part.op != "[]" or held is None:
        return None
    order, cut = bare(_only(part.args[0])), part.args[1]
    if isinstance(order, Call) and order.op in _PERMUTATIONS and _is_slice(cut):
        return Drawn(order, held)
    return None


def _is_slice(cut: Value) -> bool:
    return isinstance(cut, Collection) and isinstance(cut.node, ast.Slice)


def _only(value: Value | None) -> Value | None:
    options = possible(value)
    return options[0] if len(options) == 1 else None


def _independent(one: Call, other: Call) -> bool:
    """Neither draw repeats the other: no start is given, or two different ones."""
    if one.op != other.op or any(
        "shuffle" in call.keywords or "**" in call.keywords for call in (one, other)
    ):
        return False
    if one.op in _PERMUTATIONS:
        return not one.keywords and not other.keywords
    starts = [call.keywords.get("random_state") for call in (one, other)]
    if starts == [None, None]:
        return True
    numbers = [start.value for start in starts if isinstance(start, Constant)]
    return len(numbers) == 2 and None not in numbers and numbers[0] != numbers[1]
