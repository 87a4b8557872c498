"""Weights drawn anew: which calls do that to a whole module, and which kinds of layers they reach."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source import torch_api
from sleuth.source.flow import root
from sleuth.source.interpreter.values import Call, Class, Function, Instance, Scope, Value
from sleuth.source.program import Program
from sleuth.source.topics.modes import has_weights, is_model, parts
from sleuth.source.word_search import Pattern

_DRAWS = Pattern(
    r"^((xavier|kaiming|glorot|lecun|he|variance_scaling)_(normal|uniform)_?|lecun_normal_|reset_parameters"
    r"|(trunc_normal|truncated_normal|trunc_normal_tf|orthogonal|sparse|normal|uniform)_)$"
)
_ALL_LAYERS = (".modules", ".named_modules", ".parameters", ".named_parameters")
# Questions that sort layers and tensors by what they are, not by where they stand in the model.
_HAS_PART = frozenset({"weight", "bias", "reset_parameters", "data"})
_TENSOR_SIZE = Pattern(r"^(\w+(\.\w+)*\.(dim\(\)|ndim|ndimension\(\))|len\(\w+(\.\w+)*\.(shape|size\(\))\))$")
_MADE_OF_LINEAR = ("Transformer", "MultiheadAttention")


class Redraw(NamedTuple):
    """A call that draws new weights for all layers of `whole`, or those of the classes in `kinds`."""

    call: Call
    whole: Value
    kinds: tuple[frozenset[str], ...]


def redraws(program: Program) -> list[Redraw]:
    """The places where a module is initialised from end to end, in order."""
    return program.about(_redraws)


def _redraws(program: Program) -> list[Redraw]:
    found = [*_by_apply(program), *_by_loop(program)]
    return sorted(found, key=lambda redraw: redraw.call.order)


def _by_apply(program: Program) -> Iterator[Redraw]:
    """`model.apply(init_weights)`."""
    for call in program.calls(".apply"):
        function = _function(call.args[0]) if call.args else None
        if function is None or function.definition is None or call.receiver is None:
            continue
        kinds = _kinds(function.definition, function.scope)
        if kinds:
            yield Redraw(call, call.receiver, kinds)


def _function(value: Value) -> Function | None:
    """A function of the project, be it with some arguments filled in."""
    settled = root(value)
    if isinstance(settled, Call) and settled.op == "functools.partial" and settled.args:
        settled = root(settled.args[0])
    return settled if isinstance(settled, Function) else None


def _by_loop(program: Program) -> Iterator[Redraw]:
    """`for m in self.modules(): nn.init.xavier_uniform_(m.weight)`."""
    calls = list(program.calls(*_ALL_LAYERS))
    if not calls:
        return
    loops = {node.iter: node for source in program.sources for node in source.of(ast.For)}
    for call in calls:
        loop = loops.get(call.node) if isinstance(call.node, ast.expr) else None
        if loop is not None and call.receiver is not None and (kinds := _kinds(loop, None)):
            yield Redraw(call, call.receiver, kinds)


def _kinds(body: ast.AST, scope: Scope | None) -> tuple[frozenset[str], ...]:
    """For every draw in an initialiser the classes it is meant for (none: all); empty where unclear."""
    if any(isinstance(node, ast.Continue | ast.Break | ast.Raise | ast.Match) for node in ast.walk(body)):
        return ()  # left out for a reason that would have to be understood
    if any(isinstance(node, ast.Return) and node.value is None for node in ast.walk(body)):
        return ()
    local = _local_names(body)
    by_class_name = "__name__" in ast.unparse(body)
    found = (_limits(path, by_class_name) for draw, path in _paths(body, ()) if _draws(draw, local, scope))
    return tuple(kinds for kinds in found if kinds is not None)


def _local_names(body: ast.AST) -> set[str]:
    """Arguments and variables: what is drawn must be one of them or a part of it."""
    names = {
        node.id for node in ast.walk(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return names | ({node.arg for node in ast.walk(body) if isinstance(node, ast.arg)} - {"self"})


Turn = tuple[ast.If | ast.IfExp, bool]  # a branch, and whether its first side was taken


def _paths(node: ast.AST, path: tuple[Turn, ...]) -> Iterator[tuple[ast.Call, tuple[Turn, ...]]]:
    """Every call below a piece of syntax, with the branches that lead there."""
    if isinstance(node, ast.Call):
        yield node, path
    if isinstance(node, ast.If | ast.IfExp):
        yield from _paths(node.test, path)
        for side, taken in ((node.body, True), (node.orelse, False)):
            for part in side if isinstance(side, list) else [side]:
                yield from _paths(part, (*path, (node, taken)))
        return
    for child in ast.iter_child_nodes(node):
        yield from _paths(child, path)


def _draws(call: ast.Call, local: set[str], scope: Scope | None) -> bool:
    """Whether a call draws weights for what the initialiser was given, itself or by a function it names."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if not any(isinstance(node, ast.Name) and node.id in local for node in ast.walk(call)):
        return False
    if _DRAWS.match(name):
        return True
    helper = _named(name, scope) if isinstance(function, ast.Name) else None
    return (
        isinstance(helper, Function)
        and helper.definition is not None
        and bool(_kinds(helper.definition, None))
    )


def _named(name: str, scope: Scope | None) -> Value | None:
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    return None


def _limits(path: tuple[Turn, ...], by_class_name: bool) -> frozenset[str] | None:
    """The classes that the branches on the way ask for; None where they ask for something else."""
    kinds: set[str] = set()
    for place, (branch, taken) in enumerate(path):
        asked = _asked(branch.test, by_class_name)
        if asked is None:
            return None
        if taken:
            kinds |= asked
        elif asked and place == len(path) - 1:
            return None  # the last `else`: all classes but those named
    return frozenset(kinds)


def _asked(test: ast.expr, by_class_name: bool) -> set[str] | None:
    """The classes named in a question about a layer; empty for one about its tensors; None for any other."""
    if isinstance(test, ast.BoolOp):
        parts_of = [_asked(part, by_class_name) for part in test.values]
        known = [part for part in parts_of if part is not None]
        return set().union(*known) if len(known) == len(parts_of) else None
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and len(test.args) == 2:
        if test.func.id == "isinstance":
            return _class_words(test.args[1])
        if test.func.id == "hasattr":
            part = test.args[1]
            return set() if isinstance(part, ast.Constant) and part.value in _HAS_PART else None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test.left, test.ops[0], test.comparators[0], by_class_name)
    return None


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr, by_class_name: bool) -> set[str] | None:
    written = ast.unparse(left)
    if isinstance(op, ast.IsNot) and isinstance(left, ast.Attribute) and left.attr in _HAS_PART:
        return set()  # `m.bias is not None`
    if isinstance(op, ast.Gt | ast.GtE) and _TENSOR_SIZE.match(written):
        return set()
    if isinstance(op, ast.Eq | ast.Is | ast.In) and re.match(r"type\(\w+\)$", written):
        return _class_words(right)
    if isinstance(op, ast.In) and isinstance(left, ast.Constant) and isinstance(left.value, str):
        if left.value in _HAS_PART:  # `"weight" in name`
            return set()
        return {left.value} if by_class_name and re.match(r"[A-Z]", left.value) else None
    searched = re.match(r"\w+(?:\.__class__\.__name__)?\.find\('(\w+)'\)$", written)
    if searched and by_class_name and isinstance(op, ast.NotEq | ast.Gt | ast.GtE):
        return {searched[1]}
    return None


def _class_words(node: ast.expr) -> set[str]:
    """`Linear`, `Conv` of `(nn.Linear, nn.modules.conv._ConvNd)`."""
    listed = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    if isinstance(node, ast.BinOp):
        return _class_words(node.left) | _class_words(node.right)
    words = [ast.unparse(part).rpartition(".")[2] for part in listed]
    return {word.removeprefix("_").removesuffix("Nd") for word in words}


def reaches(kinds: frozenset[str], module: Value) -> bool | None:
    """Whether a module has a layer that such a draw changes; None where its layers are not all known."""
    known = isinstance(module, Instance) or torch_api.is_module(module)
    for piece in parts(module):
        if isinstance(piece, Instance):
            if not kinds.isdisjoint(_lineage(piece.cls)):
                return True
        elif has_weights(piece) and isinstance(piece, Call):
            if _is_meant(kinds, piece.op.rpartition(".")[2]):
                return True
        elif is_model(piece) and not torch_api.is_module(piece):
            known = False  # a library's network
    return False if known else None


def _is_meant(kinds: frozenset[str], layer: str) -> bool:
    if not kinds or "Module" in kinds:
        return True
    return any(kind in layer for kind in kinds) or ("Linear" in kinds and layer.startswith(_MADE_OF_LINEAR))


def _lineage(cls: Class) -> set[str]:
    return {base.name for base in cls.lineage() if isinstance(base, Class)}
