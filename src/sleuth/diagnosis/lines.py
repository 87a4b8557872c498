"""The guilty line, where a detector could only say which numbers are wrong.

Numbers point at a module; the line to change stands elsewhere: where its weights were given their values,
where its mask is made. The record knows who wrote a parameter; the source knows where attention looks.
"""

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sleuth.facts.prepared import where_input_made, where_target_made
from sleuth.facts.seen import batches, loss_calls
from sleuth.facts.step import Model, Optimizer, Parameter, Record
from sleuth.finding import Finding, Where

OF_INITIAL_VALUES = frozenset(
    "bad-init-scale zero-init dead-relu saturated-activations init-loss-off exploding-gradients".split()
)
OF_INPUTS = frozenset(
    "input-destroyed inputs-constant nonfinite-input inputs-unnormalized input-dtype-overflow target-leakage "
    "preprocessing-mismatch".split()
)
OF_TARGETS = frozenset("labels-constant labels-misaligned labels-out-of-range labels-all-ignored".split())


def placed(findings: Iterable[Finding], record: Record | None, sources: list[Path]) -> list[Finding]:
    """Findings with a better line, where there is one."""
    return [_placed(finding, record, sources) for finding in findings]


def _placed(finding: Finding, record: Record | None, sources: list[Path]) -> Finding:
    if finding.technique == "lint":
        return finding
    where = None
    if finding.cause in OF_INITIAL_VALUES and record is not None:
        where = _written(finding, record)
    elif finding.cause in _RANKS:
        where = _best(finding.cause, sources)
    elif finding.cause in _SETTINGS and record is not None:
        where = _where_set(_SETTINGS[finding.cause], record, sources)
    elif record is not None and (finding.where is None or not finding.where.line):
        where = _where_prepared(finding.cause, record)
    return finding if where is None else replace(finding, where=where)


def _where_prepared(cause: str, record: Record) -> Where | None:
    """The line that made what the model is fed or is to answer, where numbers alone gave a cause away."""
    if cause in OF_INPUTS:
        fed = next((batch.line for batch in batches(record) if batch.line), 0)
        return where_input_made(record, fed)
    calls = [call for call in loss_calls(record) if call.line] if cause in OF_TARGETS else []
    return where_target_made(record, calls[0]) if calls else None


def _written(finding: Finding, record: Record) -> Where | None:
    """The line that set the odd initial values, unless they are the layer's own default."""
    by_hand = sorted(_set_by_hand(record), key=lambda p: -_oddness(finding.cause, p))
    named = finding.where.module if finding.where is not None else None
    # A modest scale can be the guilty one where a layer is gone through many times: the module says which.
    odd = [p for p in by_hand if _oddness(finding.cause, p) > 0 or (named and _module(p) == named)]
    if not odd:
        return None
    return Where(odd[0].path or None, odd[0].line, module=_module(odd[0]) or None)


def _module(parameter: Parameter) -> str:
    return parameter.name.rpartition(".")[0]


def _set_by_hand(record: Record) -> Iterator[Parameter]:
    for model in record.of(Model):
        made = {layer.name: layer.line for layer in model.layers}
        for parameter in model.parameters:
            if parameter.line and parameter.line != made.get(_module(parameter), model.line):
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


# The setting a cause is about, as optimizers call it, and the words people write beside its value.
_SETTINGS = {
    "lr-too-high": ("lr", r"\blr\b|_lr\b|\blr_|learning.?rate|step.?size|\beta\b|alpha"),
    "lr-too-low": ("lr", r"\blr\b|_lr\b|\blr_|learning.?rate|step.?size|\beta\b|alpha"),
    "over-regularized": ("weight_decay", r"decay|\bwd\b|l2|reg"),
}


def _where_set(setting: tuple[str, str], record: Record, sources: list[Path]) -> Where | None:
    """The line that holds the value of a setting: in the call, a constant, a config, a default."""
    name, words = setting
    used = {step.optimizer for step in record.steps}
    for optimizer in record.of(Optimizer):
        value = optimizer.lr if name == "lr" else optimizer.settings.get(name)
        if optimizer.id in used and value:
            for path in sources:
                for line in _written_beside(path, float(value), words):
                    return Where(str(path), line)
    return None


def _written_beside(path: Path, value: float, words: str) -> Iterator[int]:
    """Lines on which a number stands beside one of the words."""
    try:
        text = path.read_text("utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError, OSError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == value:
            if re.search(words, lines[node.lineno - 1], re.IGNORECASE):
                yield node.lineno


@dataclass(frozen=True)
class _Statement:
    """A simple statement, its text, and what stands around it."""

    line: int
    text: str
    targets: str  # what it assigns to
    in_loop: bool
    attends: bool  # in a function that computes attention


def _best(cause: str, sources: list[Path]) -> Where | None:
    """The statement that the cause is most likely about; None where nothing in the source speaks of it."""
    rank = _RANKS[cause]
    ranked = [
        (score, number, Where(str(path), statement.line))
        for number, path in enumerate(sources)
        for statement in _statements(path)
        if (score := rank(statement)) is not None
    ]
    return min(ranked, key=lambda entry: entry[:2])[2] if ranked else None


def _statements(path: Path) -> Iterator[_Statement]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return
    yield from _below(tree, False, False)


def _below(node: ast.AST, in_loop: bool, attends: bool) -> Iterator[_Statement]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            said = ast.unparse(child).lower()
            yield from _below(child, False, "softmax" in said or "attention" in said or "attn" in said)
        elif isinstance(child, ast.stmt) and hasattr(child, "body"):
            yield from _below(child, in_loop or isinstance(child, (ast.For, ast.While)), attends)
        elif isinstance(child, ast.stmt) and not isinstance(child, (ast.Import, ast.ImportFrom)):
            targets = ", ".join(ast.unparse(target) for target in getattr(child, "targets", ()))
            yield _Statement(child.lineno, ast.unparse(child), targets, in_loop, attends)


def _mask(statement: _Statement) -> int | None:
    """Where a sequence model could be kept from its future."""
    text = statement.text
    if "triu" in text or "tril" in text or "is_causal" in text:
        return 0 if statement.attends else 1
    if statement.attends and "mask" in text and not text.startswith("return"):
        return 0
    if "scaled_dot_product_attention" in text or "attn(" in text or "MultiheadAttention" in text:
        return 2
    if "bidirectional=True" in text or ("Conv1d" in text and "padding" in text):
        return 3
    return 4 if statement.attends and "softmax" in text else None


def _criterion(statement: _Statement) -> int | None:
    """Where the loss is made, or called."""
    if re.search(r"\b(CrossEntropyLoss|NLLLoss|BCE\w*Loss)\(", statement.text):
        return 0
    return 1 if re.search(r"\b(cross_entropy|nll_loss|binary_cross_entropy\w*)\(", statement.text) else None


def _split(statement: _Statement) -> int | None:
    """Where the evaluation rows are chosen."""
    if re.search(r"train_test_split|random_split|KFold|ShuffleSplit", statement.text):
        return 0
    draws = re.search(
        r"choice\(|sample\(|permutation\(|randperm\(|randint\(|\[.*:.*\]|Subset\(", statement.text
    )
    held_out = re.search(r"test|val|eval|hold", statement.targets, re.IGNORECASE)
    return 1 if draws and held_out else None


def _first_batch_again(statement: _Statement) -> int | None:
    return 0 if statement.in_loop and "next(iter(" in statement.text else None


_RANKS: Mapping[str, Callable[[_Statement], int | None]] = {
    "causal-leak": _mask,
    "class-imbalance": _criterion,
    "split-overlap": _split,
    "repeated-batch": _first_batch_again,
}
