"""The guilty line, where a detector could only say which numbers are wrong.

Numbers point at a module; the line to change stands elsewhere: where its weights were given their values,
where its mask is made. The record knows who wrote a parameter; the source knows where attention looks.
"""

import ast
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sleuth.facts.step import Model, Parameter, Record
from sleuth.finding import Finding, Where

OF_INITIAL_VALUES = frozenset(
    "bad-init-scale zero-init dead-relu saturated-activations init-loss-off".split()
)


def placed(findings: Iterable[Finding], record: Record | None, sources: list[Path]) -> list[Finding]:
    """Findings with a better line, where there is one."""
    return [_placed(finding, record, sources) for finding in findings]


def _placed(finding: Finding, record: Record | None, sources: list[Path]) -> Finding:
    if finding.technique == "lint":
        return finding
    where = None
    if finding.cause in OF_INITIAL_VALUES and record is not None:
        where = _written(finding, record)
    elif finding.cause == "causal-leak":
        where = next(_looks_ahead(sources), None)
    return finding if where is None else replace(finding, where=where)


def _written(finding: Finding, record: Record) -> Where | None:
    """The line that set the odd initial values, unless they are the layer's own default."""
    odd = sorted(_set_by_hand(record), key=lambda p: -_oddness(finding.cause, p))
    if not odd or _oddness(finding.cause, odd[0]) <= 0:
        return None
    return Where(odd[0].path or None, odd[0].line, module=odd[0].name.rpartition(".")[0] or None)


def _set_by_hand(record: Record) -> Iterator[Parameter]:
    for model in record.of(Model):
        made = {layer.name: layer.line for layer in model.layers}
        for parameter in model.parameters:
            module = parameter.name.rpartition(".")[0]
            if parameter.line and parameter.line != made.get(module, model.line):
                yield parameter


def _oddness(cause: str, parameter: Parameter) -> float:
    """How far a start is from what the cause would need it to be; 0 is ordinary."""
    matrix = len(parameter.shape) >= 2
    if cause == "zero-init":
        return 1.0 if matrix and parameter.std == 0 else 0.0
    if not matrix:
        return abs(parameter.mean) if abs(parameter.mean) > 0.5 else 0.0
    gain = parameter.std * math.sqrt(math.prod(parameter.shape[1:]))
    away = abs(math.log(max(gain, 1e-9)))
    return away if away > math.log(2.5) else 0.0


def _looks_ahead(sources: list[Path]) -> Iterator[Where]:
    """Lines where a sequence model could be kept from its future, the likeliest first."""
    ranked: list[tuple[int, Where]] = []
    for path in sources:
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue
        for function in ast.walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                ranked += [(rank, Where(str(path), line)) for rank, line in _candidates(function)]
    yield from (where for _, where in sorted(ranked, key=lambda entry: entry[0]))


def _candidates(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, int]]:
    text = ast.unparse(function)
    attends = "softmax" in text or "attention" in text.lower() or "attn" in text
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        if hasattr(statement, "body"):
            continue
        said = ast.unparse(statement)
        if "triu" in said or "tril" in said or "is_causal" in said:
            yield 0 if attends else 1, statement.lineno
        elif attends and "mask" in said and isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
            yield 0, statement.lineno
        elif "scaled_dot_product_attention" in said or "attn(" in said or "MultiheadAttention" in said:
            yield 2, statement.lineno
        elif "bidirectional=True" in said or ("Conv1d" in said and "padding" in said):
            yield 3, statement.lineno
        elif attends and "softmax" in said:
            yield 4, statement.lineno
