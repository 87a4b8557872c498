"""The guilty line, where a detector could only say which numbers are wrong.

Numbers point at a module; the line to change stands elsewhere: where its weights were given their values,
where its mask is made. The record knows who wrote a parameter; the source knows where attention looks.
"""

import ast
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sleuth.diagnosis.chance import left_to_chance
from sleuth.diagnosis.piling import where_kept
from sleuth.diagnosis.serving import where_served
from sleuth.diagnosis.settings import (
    SETTINGS,
    chosen_by_name,
    where_halved,
    where_length,
    where_set,
    where_unrestrained,
    where_weighed,
)
from sleuth.diagnosis.statements import BEHIND, LAST_RESORT, RANKS, best_statement, called_twice, hands_on
from sleuth.diagnosis.syntax import tree_of
from sleuth.diagnosis.unguarded import statement_of
from sleuth.facts.prepared import where_input_made, where_target_made
from sleuth.facts.seen import batches, loss_calls
from sleuth.facts.step import Layer, Layers, Model, NonFinite, Optimizer, Parameter, Record
from sleuth.finding import Finding, Where

OF_INITIAL_VALUES = frozenset(
    "bad-init-scale zero-init dead-relu saturated-activations init-loss-off exploding-gradients".split()
)
OF_INPUTS = frozenset(
    "input-destroyed inputs-constant nonfinite-input inputs-unnormalized input-dtype-overflow target-leakage "
    "preprocessing-mismatch raw-units".split()
)
SET_BY_HAND = "set_by_hand"  # the initial values behind a finding are not the layer's own
OF_POLES = frozenset(("unsafe-log-div", "unstable-exp"))
OF_TARGETS = frozenset("labels-constant labels-misaligned labels-out-of-range labels-all-ignored".split())


def placed(findings: Iterable[Finding], record: Record | None, sources: list[Path]) -> list[Finding]:
    """Findings with a better line, where there is one."""
    return [_placed(finding, record, sources) for finding in findings]


def _placed(finding: Finding, record: Record | None, sources: list[Path]) -> Finding:
    if finding.technique == "lint":
        return finding
    where = _from_source(finding, sources)
    if where is None and record is not None:
        where = _from_record(finding, record, sources)
    if finding.cause in BEHIND and hands_on(where or finding.where):
        where = best_statement(finding.cause, sources) or where
    if finding.cause == "init-loss-off" and record is not None and _written(finding, record) is not None:
        finding = replace(finding, numbers={**finding.numbers, SET_BY_HAND: 1.0})
    if where is None and finding.cause in LAST_RESORT and not _has_place(finding):
        where = best_statement(finding.cause, sources)
    return finding if where is None else replace(finding, where=from_here(where))


def from_here(where: Where) -> Where:
    """With its path as one would type it: relative where it lies below the working folder."""
    if where.path is None:
        return where
    relative = os.path.relpath(where.path)
    return where if relative.startswith("..") else replace(where, path=relative)


def _has_place(finding: Finding) -> bool:
    return finding.where is not None and bool(finding.where.line or finding.where.module)


def _from_source(finding: Finding, sources: list[Path]) -> Where | None:
    module = finding.where.module if finding.where is not None else None
    if finding.cause == "shared-layer-misuse" and module:
        return called_twice(module.partition(".")[0], sources)
    if finding.cause == "nondeterminism":
        return left_to_chance(sources)
    if finding.cause == "update-underflow":
        return where_halved(str(finding.numbers.get("dtype", "")), sources)
    if finding.cause == "wrong-reduction" and finding.where is not None and finding.where.line:
        return None  # the call of a loss is known better than a statement can be guessed
    if finding.cause == "loss-saturated" and finding.technique == "probe" and _has_place(finding):
        return None  # it saw the bound itself
    return best_statement(finding.cause, sources) if finding.cause in RANKS else None


def _from_record(finding: Finding, record: Record, sources: list[Path]) -> Where | None:
    if finding.cause in OF_INITIAL_VALUES:
        written = _written(finding, record)
        return written or (_last_layer(record) if finding.cause == "init-loss-off" else None)
    if finding.cause in SETTINGS:
        return where_set(SETTINGS[finding.cause], record, sources)
    if finding.cause in OF_POLES:
        return _at_the_pole(finding, record, sources)
    if finding.cause == "overfitting":
        return where_unrestrained(record, sources)
    if finding.cause == "undertrained":
        return where_length(record, sources)
    if finding.cause == "unused-parameters":
        return _idle_part(finding, record)
    if finding.cause == "missing-nonlinearity":
        return _made_in_a_row(finding, record)
    if finding.cause == "params-not-in-optimizer":
        return _where_chosen(record, sources)
    if finding.cause == "memory-growth":
        return where_kept(record, sources)
    if finding.cause == "loss-terms-imbalanced":
        return where_weighed(float(finding.numbers.get("weight", 1.0)), sources)
    if finding.cause == "vanishing-gradients":
        return _where_squashed(record, sources) or _where_stacked(finding, record)
    if finding.where is None or not finding.where.line:
        return _where_prepared(finding.cause, record)
    if finding.cause in OF_INPUTS and finding.where.line in {batch.line for batch in batches(record)}:
        return where_served(sources)  # the model's call only receives them
    return None


def _at_the_pole(finding: Finding, record: Record, sources: list[Path]) -> Where | None:
    """Where only the graph of the loss gave the operation away, its line is that of the backward pass."""
    seen = next(iter(record.of(NonFinite)), None)
    passes = {step.loss_line for step in record.steps}
    if seen is None or finding.where is None or finding.where.line not in passes:
        return None
    return statement_of(seen.operation, finding.where.line, sources)


def _last_layer(record: Record) -> Where | None:
    """Where the layer that gives the output was made: its bias is what a start far off asks to be set."""
    for model in record.of(Model):
        weighted = {_module(parameter) for parameter in model.parameters}
        layers = [layer for layer in model.layers if layer.name in weighted and layer.line]
        if layers:
            return Where(layers[-1].path or None, layers[-1].line, module=layers[-1].name)
    return None


def _idle_part(finding: Finding, record: Record) -> Where | None:
    """Where the largest part was made that takes no part as a whole: its call is what is missing."""
    module = finding.where.module if finding.where is not None else None
    moved = {name for layers in record.of(Layers) for name, slope in layers.gradients.items() if slope}
    if not module or not moved:
        return None
    for model in record.of(Model):
        made = {layer.name: layer for layer in model.layers}
        while (above := module.rpartition(".")[0]) and not any(
            name.startswith(f"{above}.") for name in moved
        ):
            module = above
        if module in made and made[module].line:
            return Where(made[module].path or None, made[module].line, module=module)
    return None


def _made_in_a_row(finding: Finding, record: Record) -> Where | None:
    """Where a layer of a Sequential was made: nothing stands between it and the next one there."""
    named = finding.where.module if finding.where is not None else None
    for model in record.of(Model):
        kinds = {layer.name: layer.type for layer in model.layers} | {"": model.type}
        for layer in model.layers:
            if layer.name == named and layer.line and kinds.get(named.rpartition(".")[0]) == "Sequential":
                return Where(layer.path or None, layer.line, module=named)
    return None


# Units whose slope stays below one and falls to nothing: what a deep stack fades by, before all else.
SQUASHES = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid")


def _where_squashed(record: Record, sources: list[Path]) -> Where | None:
    """Where the squashing units of a deep stack are chosen by name; else where most of them were made."""
    made = [layer for model in record.of(Model) for layer in model.layers if layer.type in SQUASHES]
    if len(made) < DEEP:
        return None
    kind = Counter(layer.type for layer in made).most_common(1)[0][0]
    for path in sources:
        for line in chosen_by_name(path, kind.lower()):
            return Where(str(path), line)
    return _most_often([layer for layer in made if layer.type == kind])


DEEP = 3  # fewer squashing units are gates, or the end of a network, and fade nothing


def _where_stacked(finding: Finding, record: Record) -> Where | None:
    """Where most layers of the kind that stands still were made: the depth of the stack is made there."""
    module = finding.where.module if finding.where is not None else None
    layers = [layer for model in record.of(Model) for layer in model.layers]
    kind = next((layer.type for layer in layers if layer.name == module), None)
    return _most_often([layer for layer in layers if layer.type == kind])


def _most_often(made: list[Layer]) -> Where | None:
    """The line of the user's that made most of some layers, named after the first of them."""
    places = Counter((layer.path, layer.line) for layer in made if layer.line)
    if not places:
        return None
    (path, line), _ = places.most_common(1)[0]
    first = next(layer for layer in made if (layer.path, layer.line) == (path, line))
    return Where(path or None, line, module=first.name)


def _where_prepared(cause: str, record: Record) -> Where | None:
    """The line that made what the model is fed or is to answer, where numbers alone gave a cause away."""
    if cause in OF_INPUTS:
        fed = next((batch.line for batch in batches(record) if batch.line), 0)
        return where_input_made(record, fed)
    calls = [call for call in loss_calls(record) if call.line] if cause in OF_TARGETS else []
    return where_target_made(record, calls[0], moved=cause == "labels-misaligned") if calls else None


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


def _where_chosen(record: Record, sources: list[Path]) -> Where | None:
    """The last filter that parameters go through on their way to an optimizer, in the function that makes it;
    without one, where it is made."""
    used = {step.optimizer for step in record.steps}
    made = next((one for one in record.of(Optimizer) if one.id in used and one.line), None)
    path = next((one for one in sources if made is not None and one.name == Path(made.path).name), None)
    if made is None or path is None:
        return None
    tree = tree_of(path)
    if tree is None:
        return Where(str(path), made.line)
    return Where(str(path), max(_filters(_around(tree, made.line), made.line), default=made.line))


def _around(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around a line, or the whole file."""
    inside: list[ast.AST] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(inside, key=lambda node: getattr(node, "lineno", 0), default=tree)


def _filters(body: ast.AST, before: int) -> Iterator[int]:
    """`[p for name, p in named if ...]`, and `if` in a loop over named parameters."""
    for node in _own(body):
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
            if any(part.ifs for part in node.generators) and node.lineno <= before:
                yield node.lineno
        elif isinstance(node, ast.For) and "parameters" in ast.unparse(node.iter):
            yield from (
                part.lineno for part in ast.walk(node) if isinstance(part, ast.If) and part.lineno <= before
            )


def _own(body: ast.AST) -> Iterator[ast.AST]:
    """The syntax of a function or file, without that of functions and classes inside it."""
    for node in ast.iter_child_nodes(body):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
            yield from _own(node)
