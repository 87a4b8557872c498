"""The statement that a fault is most likely about, found in the source by what it speaks of."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleuth.finding import Where
from sleuth.source.trees import tree_of


@dataclass(frozen=True)
class Statement:
    """A simple statement, its text, and what stands around it."""

    line: int
    text: str
    targets: str  # what it assigns to
    in_loop: bool
    attends: bool  # in a function that computes attention


Rank = Callable[["Statement"], int | None]  # how well a statement fits what is looked for, 0 best; None: not


def best_statement(rank: Rank, sources: Sequence[Path]) -> Where | None:
    """The statement that fits best; None where nothing in the source speaks of it."""
    ranked = [
        (score, number, Where(str(path), statement.line))
        for number, path in enumerate(sources)
        for statement in _statements(path)
        if (score := rank(statement)) is not None
    ]
    return min(ranked, key=lambda entry: entry[:2])[2] if ranked else None


_HANDS_ON = re.compile(
    r"torch\.(tensor|as_tensor|from_numpy)|TensorDataset|DataLoader|_loss\(|criterion|\bself\(|^\s*for\b"
)


def hands_on(where: Where | None) -> bool:
    """Whether a line only wraps, serves or judges what another made."""
    if where is None or where.path is None or not where.line:
        return True
    try:
        lines = Path(where.path).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return where.line <= len(lines) and bool(_HANDS_ON.search(lines[where.line - 1]))


def _statements(path: Path) -> Iterator[Statement]:
    tree = tree_of(path)
    if tree is None:
        return
    yield from _below(tree, False, False)


def _below(node: ast.AST, in_loop: bool, attends: bool) -> Iterator[Statement]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for one in child.decorator_list:
                yield Statement(one.lineno, f"@{ast.unparse(one)}", "", False, False)
            said = ast.unparse(child).lower()
            yield from _below(child, False, "softmax" in said or "attention" in said or "attn" in said)
        elif isinstance(child, ast.stmt) and hasattr(child, "body"):
            yield from _below(child, in_loop or isinstance(child, (ast.For, ast.While)), attends)
        elif isinstance(child, ast.stmt) and not isinstance(child, (ast.Import, ast.ImportFrom)):
            targets = ", ".join(ast.unparse(target) for target in getattr(child, "targets", ()))
            yield Statement(child.lineno, ast.unparse(child), targets, in_loop, attends)


def chooses_held_out_rows(statement: Statement) -> int | None:
    """Where the evaluation rows are chosen."""
    if re.search(r"train_test_split|random_split|KFold|ShuffleSplit", statement.text):
        return 0
    draws = re.search(
        r"choice\(|sample\(|permutation\(|randperm\(|randint\(|\[.*:.*\]|Subset\(", statement.text
    )
    held_out = re.search(r"test|val|eval|hold", statement.targets, re.IGNORECASE)
    if draws and held_out:
        return 1
    apart = not statement.in_loop and "," in statement.targets and re.search(r"split\w*\(", statement.text)
    if apart:
        return 2
    # `test_set = Patches(archive, "test")`, also one for each part in turn: a class of one's own that chooses
    # rows; then what serves them; then an order that is drawn once, not one of batches.
    made = held_out and not statement.in_loop and re.search(r"= *[(\[]*[\w.]*\b[A-Z]\w+\(", statement.text)
    if made:
        return 4 if "DataLoader(" in statement.text else 3
    drawn = not statement.in_loop and re.search(r"permutation\(|randperm\(", statement.text)
    return 5 if drawn else None


def called_twice(attribute: str, sources: Sequence[Path]) -> Where | None:
    """The statement with the second call of a layer, `self.<attribute>(...)`, inside one function; or of the
    method that calls it."""
    names = [attribute]
    for _ in range(HOPS):
        callers: list[str] = []
        for path in sources:
            for function in _functions(path):
                calls = [
                    s.line for s in _below(function, False, False) for _ in _calls_of(names).findall(s.text)
                ]
                if len(calls) > 1:
                    return Where(str(path), calls[1])
                callers += [function.name] if calls else []
        names = [name for name in callers if name != "forward"]
        if not names:
            return None
    return None


HOPS = 3  # methods between the layer and whoever calls it twice


def _calls_of(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:self|\w*model|\w*net)\.(?:{'|'.join(map(re.escape, names))})\(")


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    tree = tree_of(path)
    if tree is None:
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
