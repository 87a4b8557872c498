"""What a data set of the project does to each item: which parts of it are changed at random."""

import ast
import re
from collections.abc import Iterable

from sleuth.quick_dataclass import dataclass, field
from sleuth.source.flow import root
from sleuth.source.interpreter.values import Constant, Instance
from sleuth.source.topics.loaders import draws_at_random, is_draw, method
from sleuth.source.word_search import Pattern

# Whoever writes these makes the random numbers repeat, or asks which split it is.
_SETTLED = Pattern(r"seed|generator|default_rng|RandomState|PRNGKey", re.IGNORECASE)


@dataclass(frozen=True)
class _Known:
    """What a value was made from (other values, attributes of the object), and whether by chance."""

    origins: frozenset[object] = frozenset()
    drawn: bool = False

    def __or__(self, other: "_Known") -> "_Known":
        return _Known(self.origins | other.origins, self.drawn or other.drawn)


@dataclass
class _Reader:
    """Reads `__getitem__` from top to bottom. `lost` when more than chance decides."""

    dataset: Instance
    names: dict[str, _Known] = field(default_factory=dict)
    returned: list[ast.expr] = field(default_factory=list)
    values: list[list[_Known]] = field(default_factory=list)
    lost: bool = False

    def block(self, body: Iterable[ast.stmt], by_chance: bool = False) -> None:
        for statement in body:
            self._statement(statement, by_chance)

    def _statement(self, node: ast.stmt, by_chance: bool) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, by_chance)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._bind(node.target, node.value, by_chance)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, ast.BinOp(node.target, node.op, node.value), by_chance)
        elif isinstance(node, ast.If):
            chance = self.read(node.test).drawn
            if branch_draws(self.dataset, node) and not _is_chance(node.test):
                self.lost = True  # a flag decides: who set it decides what is right
            self.block(node.body, by_chance or chance)
            self.block(node.orelse, by_chance or chance)
        elif isinstance(node, ast.With):
            self.block(node.body, by_chance)
        elif isinstance(node, ast.Return) and node.value is not None:
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            if isinstance(node.value, ast.Dict):
                parts = node.value.values
            self.returned += parts
            self.values.append([self.read(part) for part in parts])
        elif any(is_draw(part) for part in ast.walk(node)):
            self.lost = True

    def _bind(self, target: ast.expr, value: ast.expr, by_chance: bool) -> None:
        known = self.read(value)
        if isinstance(target, ast.Tuple | ast.List):
            # the parts of an item are different things, wherever the item is kept
            for part in target.elts:
                self._name(part, _Known(frozenset(), known.drawn), by_chance)
        else:
            self._name(target, known, by_chance)

    def _name(self, target: ast.expr, known: _Known, by_chance: bool) -> None:
        while isinstance(target, ast.Subscript):
            known |= self.read(target.value)
            target = target.value
        if isinstance(target, ast.Name):
            before = self.names.get(target.id, _Known()) if by_chance else _Known()
            mine = frozenset({(target.id, target.lineno, target.col_offset)})
            self.names[target.id] = _Known(mine, by_chance) | known | before

    def read(self, node: ast.expr) -> _Known:
        """What an expression is made from."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, _Known())
        if isinstance(node, ast.Attribute) and _is_self(node.value):
            return _Known(frozenset({node.attr}))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            whole = self.read(node.value)
            # `item["image"]` and `item["label"]` are different things
            return _Known(frozenset((origin, node.slice.value) for origin in whole.origins), whole.drawn)
        if isinstance(node, ast.IfExp) and branch_draws(self.dataset, node):
            self.lost = self.lost or not _is_chance(node.test)
        self.lost = self.lost or self._is_scaled(node)
        known = _Known(frozenset(), is_draw(node) or self._augments(node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr | ast.keyword):
                known |= self.read(child.value if isinstance(child, ast.keyword) else child)
        return known

    def _augments(self, node: ast.expr) -> bool:
        """`self._augment(x)`: a method of the data set that draws, whatever the split."""
        definition = _drawing_method(self.dataset, node)
        if definition is None:
            return False
        asks = [part.test for part in ast.walk(definition) if isinstance(part, ast.If | ast.IfExp)]
        scaled = any(self._is_scaled(part) for part in ast.walk(definition))
        self.lost = self.lost or scaled or not all(_is_chance(test) for test in asks)
        return True

    def _is_scaled(self, node: ast.AST) -> bool:
        """`self.noise * torch.randn(...)`, `random() < self.p`: a setting of the object, which may be 0."""
        if isinstance(node, ast.BinOp):
            operands = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        else:
            operands = (
                [*node.args, *(entry.value for entry in node.keywords)]
                if isinstance(node, ast.Call) and is_draw(node)
                else []
            )
        settings = [
            part.attr for part in operands if isinstance(part, ast.Attribute) and _is_self(part.value)
        ]
        if not settings or not any(is_draw(part) for part in ast.walk(node)):
            return False
        values = [root(self.dataset.attributes.get(name)) for name in settings]
        return not all(isinstance(value, Constant) and value.value for value in values)


def _drawing_method(dataset: Instance, node: ast.AST) -> ast.AST | None:
    """The method of the data set's own that a call names, where it draws."""
    func = node.func if isinstance(node, ast.Call) else None
    if not (isinstance(func, ast.Attribute) and _is_self(func.value) and func.attr != "__getitem__"):
        return None
    definition = method(dataset.cls, func.attr)
    return definition if definition is not None and draws_at_random(definition) else None


def branch_draws(dataset: Instance, node: ast.AST) -> bool:
    """Whether a piece of `__getitem__` draws at random, itself or by a method of the data set."""
    return any(is_draw(part) or _drawing_method(dataset, part) is not None for part in ast.walk(node))


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_chance(test: ast.expr) -> bool:
    """Random numbers alone decide a branch: `random() < 0.5`."""
    if isinstance(test, ast.BoolOp):
        return all(_is_chance(part) for part in test.values)
    return any(is_draw(part) for part in ast.walk(test))


def always_augmented(dataset: Instance) -> ast.expr | None:
    """The part of each item that `__getitem__` changes at random whatever the split, its label left alone.

    None where nothing is, or where it may be the task itself: the clean part is handed out too (denoising),
    the label is drawn along (pairs, masked tokens), there are two random views, or a flag decides.
    """
    getter = method(dataset.cls, "__getitem__")
    if getter is None or not any(is_draw(node) or _is_own_call(node) for node in ast.walk(getter)):
        return None
    if any(_SETTLED.search(word) for node in ast.walk(getter) for word in _words(node)):
        return None
    reader = _Reader(dataset)
    reader.block(getter.body)
    if reader.lost or len(reader.values) != 1 or len(reader.values[0]) < 2:
        return None
    drawn = [n for n, known in enumerate(reader.values[0]) if known.drawn]
    if len(drawn) != 1 or not reader.values[0][drawn[0]].origins:
        return None
    changed = reader.values[0][drawn[0]].origins
    others = [known for n, known in enumerate(reader.values[0]) if n != drawn[0]]
    if any(known.origins & changed for known in others) or not any(known.origins for known in others):
        return None
    return reader.returned[drawn[0]]


def _is_own_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def _words(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    return (node.arg or "",) if isinstance(node, ast.keyword) else ()
