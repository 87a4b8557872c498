"""The line on which a setting is written: a rate, a length, a weight, a type, a unit chosen by name."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sleuth.finding import Where
from sleuth.record.entries import Optimizer, Record
from sleuth.source.trees import tree_of


def chosen_by_name(path: Path, name: str) -> Iterator[int]:
    """Lines that give the name of a unit as a value: in a call, a default, a config; not where names are
    looked up, which every name on the list is."""
    tree = tree_of(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.keyword):
            values: list[ast.expr | None] = [node.value]
        elif isinstance(node, ast.Dict):
            values = [*node.values]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            values = [node.value]
        elif isinstance(node, ast.arguments):
            values = [*node.defaults, *node.kw_defaults]
        elif isinstance(node, ast.Call):
            values = [*node.args]
        else:
            continue
        for value in values:
            if (
                isinstance(value, ast.Constant)
                and isinstance(value.value, str)
                and value.value.lower() == name
            ):
                yield value.lineno


RATE = r"\blr\b|_lr\b|\blr_|learning.?rate|step.?size|\beta\b|alpha"  # what people write beside a rate


def where_set(name: str, words: str, record: Record | None, sources: Sequence[Path]) -> Where | None:
    """The line that holds the value of a setting, by its name in optimizers and what people write beside it:
    in the call, a constant, a config, a default."""
    if record is None:
        return None
    used = {step.optimizer for step in record.steps}
    for optimizer in record.of(Optimizer):
        value = optimizer.lr if name == "lr" else optimizer.settings.get(name)
        if optimizer.id in used and value:
            for path in sources:
                for line in _written_beside(path, float(value), words):
                    return Where(str(path), line)
    return None


_HALVED = {"bfloat16": {"bfloat16", "bf16"}, "float16": {"float16", "half", "fp16"}}


def where_halved(kind: str, sources: Sequence[Path]) -> Where | None:
    """Where weights are told to be small: not where only the arithmetic is."""
    for path in sources if kind in _HALVED else ():
        lines = path.read_text("utf-8", errors="replace").splitlines()
        named = sorted(number for number, word in _words(path) if word in _HALVED[kind])
        for number in named:
            if "autocast" not in lines[number - 1]:
                return Where(str(path), number)
    return None


def _words(path: Path) -> Iterator[tuple[int, object]]:
    """Lines of names, attributes and values, and what they say."""
    tree = tree_of(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Constant):
            yield node.lineno, node.value


def where_weighed(weight: float, sources: Sequence[Path]) -> Where | None:
    """The line that holds the weight of the term that drowns the others, where it has one."""
    written = float(f"{weight:.3g}")  # told from sums of float32: three digits of it are sure
    if abs(written - 1) < WEIGHED:
        return None
    for path in sources:
        for line in _written_beside(path, written, r"weight|lambda|coef|scale|alpha|beta|\bw_|_w\b|lam\b"):
            return Where(str(path), line)
    return None


WEIGHED = 0.01  # nearer to one, and it is none

_LENGTH = r"epoch|step|iter|pass|round|turn"


def where_length(record: Record, sources: Sequence[Path]) -> Where | None:
    """The number that says how long training goes on: that of the steps themselves, or of the epochs."""
    steps = len({step.n for step in record.steps})
    for path in sources:
        for line in _written_beside(path, steps, _LENGTH):
            return Where(str(path), line)
    for path in sources:
        for epochs in (n for n in range(1, steps + 1) if steps % n == 0):
            for line in _written_beside(path, epochs, r"epoch|passes"):
                return Where(str(path), line)
    return None


def where_unrestrained(record: Record, sources: Sequence[Path]) -> Where | None:
    """A regulariser that is switched off, in the call, a constant, a config; without one, the optimizer,
    whose decay it would be."""
    for path in sources:
        for line in _written_beside(
            path, 0.0, r"dropout|p_?drop|drop_?(p|prob|rate)|decay|\bwd\b|\bl2\b|regular"
        ):
            return Where(str(path), line)
    used = {step.optimizer for step in record.steps}
    made = next((one for one in record.of(Optimizer) if one.id in used and one.line), None)
    return None if made is None else Where(made.path or None, made.line)


def _written_beside(path: Path, value: float, words: str) -> Iterator[int]:
    """Lines on which a number stands beside one of the words."""
    tree = tree_of(path)
    if tree is None:
        return
    lines = path.read_text("utf-8", errors="replace").splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == value:
            if re.search(words, lines[node.lineno - 1], re.IGNORECASE):
                yield node.lineno
