"""A step that was fitted before a split, moved behind it."""

import ast
import re

from sleuth.quick_dataclass import dataclass
from sleuth.source.edits import Edits, beside, inserted_after, statement_of, taken_out
from sleuth.source.interpreter.values import Call
from sleuth.source.parsed_file import Source
from sleuth.source.program import rewrite
from sleuth.source.topics.splits.division import Split
from sleuth.source.topics.splits.rows import TRAIN_TEST_SPLIT


def split_first(fitted: Call, split: Split) -> Edits:
    """`Z = step.fit_transform(X)` done to both parts behind the split. Not safe: Z may be read in between."""
    source = fitted.context.source
    fitting, dividing = statement_of(fitted.node, source), statement_of(split.call.node, source)
    if fitted.op != ".fit_transform" or beside(split.call.node, fitting, source) is not dividing:
        return ()
    step, parts = _step_taken(fitting, fitted.node, source), _part_names(dividing, split.call)
    if dividing is None or step is None or parts is None or step.given != parts[0]:
        return ()
    _, train, test, train_labels = parts
    told = f", {train_labels}" if step.sees_labels else ""
    lines = [f"{step.name} = {step.made}"] if step.made else []
    lines += [
        f"{train} = {step.name}.fit_transform({train}{told})",
        f"{test} = {step.name}.transform({test})",
    ]
    put = inserted_after(dividing, source, f"\n{' ' * dividing.col_offset}".join(lines))
    renamed = step.taken != step.given
    other = rewrite(_arguments(split.call)[0], source, step.taken, safe=False) if renamed else ()
    return (*taken_out(fitting, source), *put, *other) if put else ()


@dataclass(frozen=True)
class Step:
    """`given = name.fit_transform(taken)`; `made` is the step itself where it has no name yet."""

    name: str
    made: str
    taken: str
    given: str
    sees_labels: bool


def _arguments(call: Call) -> list[ast.expr]:
    return call.node.args if isinstance(call.node, ast.Call) else []


def _step_taken(statement: ast.stmt | None, node: ast.AST | None, source: Source) -> Step | None:
    if not isinstance(statement, ast.Assign) or statement.value is not node or not isinstance(node, ast.Call):
        return None
    target, func = statement.targets[0], node.func
    if (
        not isinstance(target, ast.Name)
        or not isinstance(func, ast.Attribute)
        or len(node.args) not in (1, 2)
    ):
        return None
    given, taken, made = target.id, ast.unparse(node.args[0]), ast.unparse(func.value)
    reads = sum(part.id == given for part in source.of(ast.Name))
    if given != taken and reads > 2:  # where it is made and where it is split; anybody else would miss it
        return None
    if isinstance(func.value, ast.Name | ast.Attribute):
        return Step(made, "", taken, given, len(node.args) == 2)
    name = "step" if re.search(r"\bscaler\b", source.text) else "scaler"
    return Step(name, made, taken, given, len(node.args) == 2)


def _part_names(statement: ast.stmt | None, split: Call) -> tuple[str, str, str, str] | None:
    """X, X_train, X_test and y_train of `X_train, X_test, y_train, y_test = train_test_split(X, y)`."""
    if split.op not in TRAIN_TEST_SPLIT or not isinstance(statement, ast.Assign):
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Tuple) or len(target.elts) != 4 or not _arguments(split):
        return None
    names = [ast.unparse(part) for part in target.elts]
    return ast.unparse(_arguments(split)[0]), names[0], names[1], names[2]
