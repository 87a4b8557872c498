"""Environments: those that gym or gymnasium make, and a program's own."""

import ast
import re

from sleuth.source.flow import root
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.parsed_file import walked
from sleuth.source.program import Program
from sleuth.source.word_search import Pattern

AUTORESET = Pattern(r"vec|Vec|auto_?reset|AutoReset|Autoreset", re.IGNORECASE)


def is_made_by_gym(environment: Value | None) -> bool:
    """One environment (not a vector of them) from `gym.make`, wrapped or not, that does not reset itself."""
    here, depth = root(environment), 0
    while isinstance(here, Call) and here.op.startswith(("gymnasium.", "gym.")) and depth < 8:
        if AUTORESET.search(here.op) or "autoreset" in here.keywords or "**" in here.keywords:
            return False
        if here.op in ("gymnasium.make", "gym.make"):
            return True
        here, depth = root(here.args[0]) if here.args else None, depth + 1
    return False


def never_terminates(program: Program) -> bool:
    """Whether each task is one of the program's own that only a time limit ends: `..., False, cut, {}`."""
    if any(program.calls("gymnasium.make", "gym.make")):
        return False
    answers = [
        part.value
        for source in program.sources
        for task in source.of(ast.ClassDef)
        for method in task.body
        if isinstance(method, ast.FunctionDef) and method.name == "step"
        for part in walked(method)
        if isinstance(part, ast.Return)
    ]
    steps = [answer for answer in answers if isinstance(answer, ast.Tuple) and len(answer.elts) == 5]
    return bool(steps) and all(_is_false(answer.elts[2]) for answer in steps)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
