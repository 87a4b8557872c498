"""Moved weights that are thrown away: `p.sub(lr * g)` as a statement, `p[rows].sub_(lr * g)` on a copy."""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import Source
from sleuth.source.word_search import Pattern

_STEP_SIZE = Pattern(r"(?<![a-z])(lr|rate|eta|step size|velocity|momentum|grads?|gradient)(?![a-z])")


@dataclass(frozen=True)
class Dropped:
    """The call whose result nobody takes; `in_optimizer`: a step of one's own calls it."""

    call: ast.Call
    message: str
    fix: str
    in_optimizer: bool


def dropped_updates(source: Source) -> Iterator[Dropped]:
    for call in _statements(source):
        assert isinstance(call.func, ast.Attribute)
        given = " ".join(ast.unparse(part) for part in (*call.args, *(word.value for word in call.keywords)))
        if not _STEP_SIZE.search(given.replace("_", " ")):
            continue
        method, within = call.func.attr, _in_optimizer(source, call)
        scaled = method == "add" and any(word.arg == "alpha" for word in call.keywords)
        if scaled or method == "sub":
            name = f"{ast.unparse(call.func.value)}.{method}"
            told = f"`{name}` returns the updated weights and does not change the old ones"
            yield Dropped(call, told, f"Update them in place: `{name}_(...)`.", within)
        elif method in ("sub_", "add_") and (picked := _picked_copy(source, call)) is not None:
            name = ast.unparse(picked)
            told = f"`{name}` selects rows by index, which makes a copy, and only the copy is updated"
            sign = "-" if method == "sub_" else "+"
            yield Dropped(call, told, f"Write into the weights: `{name} {sign}= ...`.", within)


def _statements(source: Source) -> Iterator[ast.Call]:
    """Method calls that stand alone, and whose result is not written into `out=` either."""
    if not any(source.holds(piece) for piece in (".sub(", "alpha=", "].sub_(", "].add_(", "].mul_(")):
        return
    for node in source.of(ast.Expr):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if not any(word.arg == "out" for word in call.keywords):
                yield call


def _in_optimizer(source: Source, call: ast.Call) -> bool:
    """Inside a class that torch's loop knows as an optimizer: it is stepped, whatever it does then."""
    return any(
        _holds(one, call)
        and any(ast.unparse(base).rpartition(".")[2].endswith("Optimizer") for base in one.bases)
        for one in source.of(ast.ClassDef)
    )


def _holds(outer: ast.stmt, call: ast.Call) -> bool:
    return outer.lineno <= call.lineno <= (outer.end_lineno or outer.lineno)


def _picked_copy(source: Source, call: ast.Call) -> ast.Subscript | None:
    """The rows at which a chain of writes in place begins, where picking them surely made a copy."""
    here: ast.expr = call
    while (
        isinstance(here, ast.Call) and isinstance(here.func, ast.Attribute) and here.func.attr.endswith("_")
    ):
        here = here.func.value
    if not isinstance(here, ast.Subscript):
        return None
    return here if _by_number(source, here.slice, call) else None


# Their results are numbers of rows: what is picked by them is a copy, where a slice is a view.
_NUMBERS = frozenset("nonzero unique argsort topk randperm flatnonzero multinomial randint".split())
_SAME = frozenset("squeeze flatten view reshape long clone to tolist".split())
_DEEP = 4  # names to follow


def _by_number(source: Source, index: ast.expr, before: ast.Call, deep: int = _DEEP) -> bool:
    """Whether an index is a list or tensor of row numbers, or a mask, for sure."""
    if isinstance(index, ast.Compare | ast.List):
        return True
    if isinstance(index, ast.Tuple):
        return any(_by_number(source, part, before, deep) for part in index.elts)
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.Invert):
        return _by_number(source, index.operand, before, deep)
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute):
        again = index.func.attr in _SAME and _by_number(source, index.func.value, before, deep)
        return index.func.attr in _NUMBERS or again
    if isinstance(index, ast.Name) and deep:
        made = _last_value(source, index.id, before)
        return made is not None and _by_number(source, made, before, deep - 1)
    return False


def _last_value(source: Source, name: str, before: ast.Call) -> ast.expr | None:
    """What was last assigned to a name above a call, in the functions around it."""
    around = [one for one in source.of(ast.FunctionDef) if _holds(one, before)]
    inside = around[-1] if around else None
    values = [
        node.value
        for node in source.of(ast.Assign)
        if node.lineno < before.lineno
        and (inside is None or inside.lineno <= node.lineno)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    return values[-1] if values else None
