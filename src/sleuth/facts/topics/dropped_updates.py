"""`p.sub(lr * g)` as a statement: the moved weights are made and thrown away."""

import ast
from collections.abc import Iterator

from sleuth.facts.source import Source
from sleuth.facts.words import Pattern
from sleuth.records import dataclass

_STEP_SIZE = Pattern(r"(?<![a-z])(lr|rate|eta|step size|velocity|momentum|grads?|gradient)(?![a-z])")


@dataclass(frozen=True)
class Dropped:
    """The call whose result nobody takes; `in_optimizer`: a step of one's own calls it."""

    call: ast.Call
    name: str
    in_optimizer: bool


def dropped_updates(source: Source) -> Iterator[Dropped]:
    for node in source.of(ast.Expr) if source.holds(".sub(") or source.holds("alpha=") else ():
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        scaled = call.func.attr == "add" and any(word.arg == "alpha" for word in call.keywords)
        given = " ".join(ast.unparse(part) for part in (*call.args, *(word.value for word in call.keywords)))
        if (scaled or call.func.attr == "sub") and _STEP_SIZE.search(given.replace("_", " ")):
            name = f"{ast.unparse(call.func.value)}.{call.func.attr}"
            yield Dropped(call, name, _in_optimizer(source, call))


def _in_optimizer(source: Source, call: ast.Call) -> bool:
    """Inside a class that torch's loop knows as an optimizer: it is stepped, whatever it does then."""
    return any(
        one.lineno <= call.lineno <= (one.end_lineno or one.lineno)
        and any(ast.unparse(base).rpartition(".")[2].endswith("Optimizer") for base in one.bases)
        for one in source.of(ast.ClassDef)
    )
