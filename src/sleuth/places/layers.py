"""Where layers were made, and who gave their weights the values they start with."""

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sleuth.finding import Finding, Where
from sleuth.places.scene import Scene, module_of
from sleuth.places.settings import chosen_by_name
from sleuth.record.entries import Layer, Layers, Model, Optimizer, Parameter, Record
from sleuth.source.trees import tree_of


def last_layer(record: Record) -> Where | None:
    """Where the layer that gives the output was made: its bias is what a start far off asks to be set."""
    for model in record.of(Model):
        weighted = {_module(parameter) for parameter in model.parameters}
        layers = [layer for layer in model.layers if layer.name in weighted and layer.line]
        if layers:
            return Where(layers[-1].path or None, layers[-1].line, module=layers[-1].name)
    return None


def idle_part(finding: Finding, record: Record) -> Where | None:
    """Where the largest part was made that takes no part as a whole: its call is what is missing."""
    module = module_of(finding)
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


def made_in_a_row(finding: Finding, record: Record) -> Where | None:
    """Where a layer of a Sequential was made: nothing stands between it and the next one there."""
    named = module_of(finding)
    for model in record.of(Model):
        kinds = {layer.name: layer.type for layer in model.layers} | {"": model.type}
        for layer in model.layers:
            if layer.name == named and layer.line and kinds.get(named.rpartition(".")[0]) == "Sequential":
                return Where(layer.path or None, layer.line, module=named)
    return None


# Units whose slope stays below one and falls to nothing: what a deep stack fades by, before all else.
SQUASHES = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid")


def where_squashed(record: Record, sources: Sequence[Path]) -> Where | None:
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


def where_stacked(finding: Finding, record: Record) -> Where | None:
    """Where most layers of the kind that stands still were made: the depth of the stack is made there."""
    module = module_of(finding)
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


Oddness = Callable[
    [Parameter], float
]  # how far a start is from what a cause would need it to be; 0: ordinary


def odd_scale(parameter: Parameter) -> float:
    """How far the scale of a start is from one that keeps signals alive."""
    if len(parameter.shape) < 2:
        return abs(parameter.mean) if abs(parameter.mean) > 0.5 else 0.0
    gain = parameter.std * math.sqrt(math.prod(parameter.shape[1:]))
    away = abs(math.log(max(gain, 1e-9)))
    return away if away > math.log(2.5) else 0.0


def where_written(finding: Finding, scene: Scene, oddness: Oddness = odd_scale) -> Where | None:
    """The line that set the odd initial values, unless they are the layer's own default."""
    if scene.record is None:
        return None
    by_hand = sorted(_set_by_hand(scene.record), key=lambda p: -oddness(p))
    named = module_of(finding)
    # A modest scale can be the guilty one where a layer is gone through many times: the module says which.
    odd = [p for p in by_hand if oddness(p) > 0 or (named and _module(p) == named)]
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


def where_chosen(record: Record, sources: Sequence[Path]) -> Where | None:
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
