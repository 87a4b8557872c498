"""Shapes of the values of one program, each worked out once."""

import ast

from sleuth.source.flow import root
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Either,
    Function,
    Unknown,
    Value,
)
from sleuth.source.program import Program
from sleuth.source.topics.shapes.calls import shape_of_call
from sleuth.source.topics.shapes.datasets import cut_from
from sleuth.source.topics.shapes.shape import SCALAR, Shape, Size, Symbol, agreed
from sleuth.source.topics.shapes.sizes import measured, sizes_given

DEEPEST = 120  # operations followed back; beyond, a shape is not worth the time (and the stack) it takes


class Shapes:
    """Shapes of the values of one program, each worked out once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._memory: dict[int, tuple[Value, Shape | None]] = {}
        self._depth = 0
        self._items: dict[ast.AST, Value] | None = None
        self._staged: set[int] | None = None

    def of(self, value: Value | None) -> Shape | None:
        """The shape of a value; None when the number of its axes is not known."""
        if value is None or self._depth > DEEPEST:
            return None
        if id(value) in self._memory:
            return self._memory[id(value)][1]
        self._depth += 1
        self._memory[id(value)] = (value, None)  # a value that needs itself has no known shape
        try:
            found = self._work_out(value)
        finally:
            self._depth -= 1
        self._memory[id(value)] = (value, found)
        return found

    def size(self, value: Value | None) -> Size:
        """The length a number written as a size stands for."""
        settled = root(value)
        if isinstance(settled, Constant):
            usable = isinstance(settled.value, int) and settled.value >= 0 and not self._is_staged(settled)
            return settled.value if usable and isinstance(settled.value, int) else None
        if isinstance(settled, Unknown) and settled.name:
            return Symbol(settled.name)
        if isinstance(settled, Call):
            return measured(self, settled)
        return None

    def target_sizes(self, call: Call) -> tuple[Size, ...] | None:
        """The sizes (or, for `permute`, the places of the axes) that a reshaping call names."""
        return sizes_given(
            self, call.args if call.receiver is not None else call.args[1:], call.keywords.get("shape")
        )

    def data(self, value: Value | None) -> Value | None:
        """The tensor of the whole data set that a batch, a split or a slice of rows was cut from."""
        for _ in range(30):
            settled = root(value)
            cut = cut_from(self, settled) if isinstance(settled, Call) else None
            if cut is None:
                return settled
            value = cut
        return root(value)

    def _work_out(self, value: Value) -> Shape | None:
        if isinstance(value, Constant):
            return SCALAR if isinstance(value.value, int | float) else None
        if isinstance(value, Either):
            return agreed(self.of(option) for option in value.options)
        if isinstance(value, Carried):
            return self._carried(value)
        if isinstance(value, Collection):
            return self._listed(value)
        if isinstance(value, Call):
            return self.of(value.result) if value.result is not None else shape_of_call(self, value)
        if isinstance(value, Unknown):
            return SCALAR if value.name == "index" and isinstance(value.node, ast.For) else None
        return None

    def _carried(self, value: Carried) -> Shape | None:
        start = self.of(value.initial)
        self._memory[id(value)] = (value, start)
        if value.final is None or start is None:
            return start
        end = self.of(value.final)
        if end is not None and end.rank == start.rank:
            return start
        return None

    def _listed(self, value: Collection) -> Shape | None:
        """`[1.0, 2.0]`: as an array it would have one axis more than its items."""
        inner = self.of(value.items[0]) if value.items and value.kind in ("list", "tuple") else None
        if inner is None:
            return None
        return Shape((None if value.open else len(value.items), *inner.sizes), inner.sure)

    def returned(self, definition: ast.AST) -> Value | None:
        if self._items is None:
            self._items = {
                call.receiver.definition: call.result
                for call in self.program.calls("def")
                if isinstance(call.receiver, Function)
                and call.receiver.definition is not None
                and call.result is not None
            }
        return self._items.get(definition)

    def _is_staged(self, constant: Constant) -> bool:
        """Whether a number is only the default of a function or class that this file never calls itself."""
        if self._staged is None:
            self._staged = set()
            for call in self.program.calls("def"):
                function = call.receiver
                if isinstance(call.node, ast.FunctionDef | ast.ClassDef) and isinstance(function, Function):
                    spec = getattr(function.definition, "args", None)
                    if spec is not None:
                        self._staged |= {
                            id(node) for node in (*spec.defaults, *spec.kw_defaults) if node is not None
                        }
        return id(constant.node) in self._staged


def shapes(program: Program) -> "Shapes":
    """The algebra of a program, made once."""
    return program.about(Shapes)
