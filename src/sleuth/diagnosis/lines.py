"""The guilty line, where a detector could only say which numbers are wrong.

Numbers point at a module; the line to change stands elsewhere: where its weights were given their values,
where its mask is made. The record knows who wrote a parameter; the source knows where attention looks.
"""

import ast
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from sleuth.diagnosis.chance import left_to_chance
from sleuth.diagnosis.statements import BEHIND, LAST_RESORT, RANKS, best_statement, called_twice, hands_on
from sleuth.diagnosis.syntax import tree_of
from sleuth.diagnosis.unguarded import statement_of
from sleuth.facts.prepared import where_input_made, where_target_made
from sleuth.facts.seen import batches, loss_calls
from sleuth.facts.step import Keeper, Layer, Layers, Model, NonFinite, Optimizer, Parameter, Record
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
        return _where_halved(str(finding.numbers.get("dtype", "")), sources)
    if finding.cause == "wrong-reduction" and finding.where is not None and finding.where.line:
        return None  # the call of a loss is known better than a statement can be guessed
    return best_statement(finding.cause, sources) if finding.cause in RANKS else None


def _from_record(finding: Finding, record: Record, sources: list[Path]) -> Where | None:
    if finding.cause in OF_INITIAL_VALUES:
        written = _written(finding, record)
        return written or (_last_layer(record) if finding.cause == "init-loss-off" else None)
    if finding.cause in _SETTINGS:
        return _where_set(_SETTINGS[finding.cause], record, sources)
    if finding.cause in OF_POLES:
        return _at_the_pole(finding, record, sources)
    if finding.cause == "overfitting":
        return _where_unrestrained(record, sources)
    if finding.cause == "undertrained":
        return _where_length(record, sources)
    if finding.cause == "unused-parameters":
        return _idle_part(finding, record)
    if finding.cause == "missing-nonlinearity":
        return _made_in_a_row(finding, record)
    if finding.cause == "params-not-in-optimizer":
        return _where_chosen(record, sources)
    if finding.cause == "memory-growth":
        return _where_kept(record, sources)
    if finding.cause == "loss-terms-imbalanced":
        return _where_weighed(finding, sources)
    if finding.cause == "vanishing-gradients":
        return _where_squashed(record, sources) or _where_stacked(finding, record)
    if finding.where is None or not finding.where.line:
        return _where_prepared(finding.cause, record)
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
        for line in _chosen_by_name(path, kind.lower()):
            return Where(str(path), line)
    return _most_often([layer for layer in made if layer.type == kind])


DEEP = 3  # fewer squashing units are gates, or the end of a network, and fade nothing


def _chosen_by_name(path: Path, name: str) -> Iterator[int]:
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


_HALVED = {"bfloat16": {"bfloat16", "bf16"}, "float16": {"float16", "half", "fp16"}}


def _where_halved(kind: str, sources: list[Path]) -> Where | None:
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


def _where_weighed(finding: Finding, sources: list[Path]) -> Where | None:
    """The line that holds the weight of the term that drowns the others, where it has one."""
    weight = float(finding.numbers.get("weight", 1.0))
    written = float(f"{weight:.3g}")  # told from sums of float32: three digits of it are sure
    if abs(written - 1) < WEIGHED:
        return None
    for path in sources:
        for line in _written_beside(path, written, r"weight|lambda|coef|scale|alpha|beta|\bw_|_w\b|lam\b"):
            return Where(str(path), line)
    return None


WEIGHED = 0.01  # nearer to one, and it is none

_LENGTH = r"epoch|step|iter|pass|round|turn"


def _where_length(record: Record, sources: list[Path]) -> Where | None:
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


def _where_unrestrained(record: Record, sources: list[Path]) -> Where | None:
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


def _where_kept(record: Record, sources: list[Path]) -> Where | None:
    """The line that puts more into what holds most tensors: `total = ... + value`, `history.append(x)`."""
    keeper = next(iter(record.of(Keeper)), None)
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", keeper.name)) if keeper is not None else []
    for path in sources if words else ():
        for node in _statements_of(path):
            if re.search(rf"\b{words[-1]}\b", ast.unparse(node)) and _adds(node, words[-1]):
                return Where(str(path), node.lineno)
    return None if words else _where_memoised(sources)


_MEMOISED = re.compile(r"@(functools\.)?cache\s*$|\blru_cache\(\s*(maxsize\s*=\s*)?None\s*\)")


def _where_memoised(sources: list[Path]) -> Where | None:
    """A memory of answers without an end, which nobody can look into."""
    for path in sources:
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if _MEMOISED.search(line.partition("#")[0]):
                return Where(str(path), number)
    return None


def _statements_of(path: Path) -> Iterator[ast.stmt]:
    tree = tree_of(path)
    yield from (
        (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr))
        if tree
        else ()
    )


def _adds(node: ast.stmt, name: str) -> bool:
    """Whether a statement makes what goes by a name larger by something that comes from elsewhere."""
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target).rpartition(".")[2].partition("[")[0] == name
    if isinstance(node, ast.Assign):
        onto = [ast.unparse(target).rpartition(".")[2] for target in node.targets]
        again = re.search(rf"\b{name}\b", ast.unparse(node.value)) is not None
        return (name in onto and again) or any(target.startswith(f"{name}[") for target in onto)
    return (
        re.search(rf"\b{name}(\[.*?\])?\.(append|appendleft|extend|add|update|insert)\(", ast.unparse(node))
        is not None
    )


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
