"""What comes out differently in every process, whatever is seeded: the order of a set of strings, a hash, the
clock, a listing of files, who finishes first, memory that nobody wrote."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from sleuth.finding import Where
from sleuth.source.trees import tree_of

_SETS = frozenset(("set", "frozenset"))
_SET_METHODS = frozenset("union intersection difference symmetric_difference copy".split())
# Whoever calls these does not mind the order; `sorted` makes one.
_ORDERLESS = frozenset("sorted len sum min max any all set frozenset bool isdisjoint issubset update".split())
_TAKES_ORDER = frozenset(
    "list tuple enumerate iter next zip map join array tensor fromkeys sample choice shuffle".split()
)
_OWN_TO_A_PROCESS = frozenset("getpid urandom uuid1 uuid4 SystemRandom token_bytes randbits".split())
_CLOCK = frozenset("time time_ns perf_counter perf_counter_ns monotonic now".split())
_LISTINGS = frozenset("listdir scandir glob iglob rglob iterdir".split())
_RACES = frozenset(("as_completed", "imap_unordered"))
_UNWRITTEN = frozenset(("empty", "empty_like", "new_empty"))
_SEEDS = re.compile(r"seed|default_rng|RandomState|Generator|PRNGKey", re.IGNORECASE)


def left_to_chance(sources: list[Path]) -> Where | None:
    """The statement that is likeliest to make two runs differ; None where there is none."""
    ranked = [
        (rank, number, line, path)
        for number, path in enumerate(sources)
        if (tree := tree_of(path)) is not None
        for rank, line in _candidates(tree)
    ]
    if not ranked:
        return None
    _, _, line, path = min(ranked, key=lambda entry: entry[:3])
    return Where(str(path), line)


def _candidates(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """(rank, line) of everything left to chance, the surest rank first."""
    sets = _names_of_sets(tree)
    ordered = {id(node) for call in ast.walk(tree) for node in _below_orderless(call)}
    for node in ast.walk(tree):
        if id(node) in ordered:
            continue
        if isinstance(node, ast.Call):
            rank = _rank(node, sets)
            if rank is not None:
                yield rank, node.lineno
        elif isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            if any(_is_set(part.iter, sets) for part in node.generators):
                yield 1, node.lineno
        elif isinstance(node, ast.For) and _is_set(node.iter, sets):
            yield 2, node.lineno
        elif isinstance(node, ast.Assign) and _tells_time(node.value):
            if any(_SEEDS.search(ast.unparse(target)) for target in node.targets):
                yield 0, node.lineno


def _below_orderless(node: ast.AST) -> Iterator[ast.AST]:
    """What is handed to a function that does not mind the order, at any depth of calls and comprehensions."""
    if isinstance(node, ast.Call) and _called(node) in _ORDERLESS:
        for argument in node.args:
            yield from ast.walk(argument)
    elif isinstance(node, ast.SetComp):
        yield from ast.walk(node)


def _rank(call: ast.Call, sets: set[str]) -> int | None:
    name = _called(call)
    if name in _OWN_TO_A_PROCESS or (isinstance(call.func, ast.Name) and name == "hash" and call.args):
        return 0
    if _SEEDS.search(name) and any(map(_tells_time, call.args)):
        return 0
    if name in _TAKES_ORDER and any(_is_set(argument, sets) for argument in call.args):
        return 1
    if name in _LISTINGS:
        return 3
    return 4 if name in _RACES else 5 if name in _UNWRITTEN else None


def _tells_time(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) and _called(part) in _CLOCK for part in ast.walk(node))


def _is_set(node: ast.expr, sets: set[str]) -> bool:
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name | ast.Attribute):
        return ast.unparse(node) in sets
    if isinstance(node, ast.BinOp):
        return _is_set(node.left, sets)
    if isinstance(node, ast.Call):
        own = isinstance(node.func, ast.Attribute) and node.func.attr in _SET_METHODS
        if own and isinstance(node.func, ast.Attribute):
            return _is_set(node.func.value, sets)
        return _called(node) in _SETS
    return False


def _names_of_sets(tree: ast.Module) -> set[str]:
    """Names that are given sets and nothing else."""
    given: list[tuple[str, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            given += [(ast.unparse(target), node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            given.append((ast.unparse(node.target), node.value))
    sets: set[str] = set()
    for _ in range(2):  # a set made of another
        sets = {name for name, value in given if _is_set(value, sets)}
    return sets - {name for name, value in given if not _is_set(value, sets)}


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
