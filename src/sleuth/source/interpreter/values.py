"""Abstract values: what can be known of a variable without running the program.

Values form a graph: a `Call` keeps what it was made from, so a detector can ask where a tensor came from.
Identity matters (two optimizers made by the same line are two objects), so values are compared with `is`.
"""

import ast
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass, field
from sleuth.source.parsed_file import Source


@dataclass(slots=True, eq=False, repr=False)
class Loop:
    """A `for` or `while` of the analysed program. `over` is what a `for` iterates; `followed`: each of its
    turns is played by itself."""

    node: ast.For | ast.AsyncFor | ast.While
    over: "Value | None" = None
    followed: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Arm:
    """One side of a branch: the statement, which body (`if`, `else`, `except` ...), and what decides."""

    node: ast.stmt | ast.expr
    name: str
    test: "Value | None" = None


@dataclass(slots=True, eq=False, repr=False)
class Context:
    """Where in the running program something happened, seen through the calls that led there."""

    source: Source
    function: ast.AST | None = None
    loops: tuple[Loop, ...] = ()
    arms: tuple[Arm, ...] = ()
    tries: tuple[ast.Try, ...] = ()
    managers: tuple["Value", ...] = ()
    grad: bool = True
    sites: tuple["Call", ...] = ()

    def inside(
        self,
        loop: Loop | None = None,
        arm: Arm | None = None,
        guard: ast.Try | None = None,
        managers: tuple["Value", ...] = (),
        grad: bool | None = None,
    ) -> "Context":
        """The context one step further in. (Written out: this runs for every branch of every program.)"""
        return Context(
            self.source,
            self.function,
            self.loops if loop is None else (*self.loops, loop),
            self.arms if arm is None else (*self.arms, arm),
            self.tries if guard is None else (*self.tries, guard),
            self.managers + managers,
            self.grad if grad is None else grad,
            self.sites,
        )


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """Nothing known but the place."""

    node: ast.AST | None = None
    source: Source | None = None


@dataclass(slots=True, eq=False, repr=False)
class Unknown(Value):
    """A parameter of a function that nobody here calls, or a name defined elsewhere."""

    name: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Constant(Value):
    """A literal."""

    value: object = None


@dataclass(slots=True, eq=False, repr=False)
class Collection(Value):
    """A list, tuple or set. `open` when there may be more items than those seen."""

    items: list[Value] = field(default_factory=list)
    kind: str = "list"
    open: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Table(Value):
    """A dict with literal keys."""

    items: dict[object, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class External(Value):
    """Something from outside the project, by its full name: `torch.nn.functional.cross_entropy`."""

    name: str = ""


@dataclass(slots=True, eq=False, repr=False)
class Deferred(Value):
    """An import that nobody has used yet. `name` is None where the module itself is meant.

    Most imports of a file are never looked at by the code in question, and a large package imports itself in
    circles: so a name is followed to its file when it is first read.
    """

    module: str = ""
    level: int = 0
    name: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """Variables of a module, function or class body."""

    names: dict[str, Value]
    parent: "Scope | None" = None
    star_imports: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class Function(Value):
    """A function or lambda of the project, with the variables around it and, for a method, its object."""

    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None = None
    scope: Scope | None = None
    bound: Value | None = None

    def text(self) -> str:
        """The function as written."""
        if self.source is None or self.definition is None:
            return ""
        first, last = self.definition.lineno, self.definition.end_lineno or self.definition.lineno
        return "\n".join(self.source.lines[first - 1 : last])


@dataclass(slots=True, eq=False, repr=False)
class Class(Value):
    """A class of the project."""

    definition: ast.ClassDef | None = None
    scope: Scope | None = None
    bases: tuple[Value, ...] = ()
    members: dict[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.definition.name if self.definition else ""

    def lineage(self) -> Iterator["Class | External"]:
        """The class and its ancestors, depth first; what comes from outside ends a line."""
        yield self
        for base in self.bases:
            if isinstance(base, Class):
                yield from base.lineage()
            elif isinstance(base, External):
                yield base

    def member(self, name: str) -> Value | None:
        for ancestor in self.lineage():
            if isinstance(ancestor, Class) and name in ancestor.members:
                return ancestor.members[name]
        return None

    def derives_from(self, *names: str) -> bool:
        return any(isinstance(base, External) and base.name in names for base in self.lineage())


@dataclass(slots=True, eq=False, repr=False)
class Instance(Value):
    """An object of a class of the project."""

    cls: Class = field(default_factory=Class)
    attributes: dict[str, Value] = field(default_factory=dict)
    made_in: Context | None = None


@dataclass(slots=True, eq=False, repr=False)
class Super(Value):
    """`super()` inside a method: the object, and the class whose ancestors come next."""

    instance: Value | None = None
    after: Class | None = None


@dataclass(slots=True, eq=False, repr=False)
class Call(Value):
    """What an operation gave.

    `op` is a full name (`torch.softmax`), a method (`.detach`), an attribute that was read (`@grad`) or set
    (`@grad=`), an operator (`+`, `+=`, `[]`, `[]=`), `next` for the element of an iterable, `()` for calling
    an object, `def` for following a project function, `new` for making an object of a project class.

    `result` is what came back where the called code could be followed (a project module's
    forward, a function, nn.Sequential).
    """

    op: str = ""
    receiver: Value | None = None
    args: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)
    context: Context = field(default_factory=lambda: Context(Source("", "", ast.Module([], []))))
    order: int = 0
    result: Value | None = None

    def argument(self, position: int, name: str) -> Value | None:
        """An argument by place or by name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.args[position] if 0 <= position < len(self.args) else None


@dataclass(slots=True, eq=False, repr=False)
class Either(Value):
    """One of several, depending on a branch."""

    options: tuple[Value, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class Yielded(Value):
    """One item of a generator, among what its function hands back."""

    value: Value | None = None


@dataclass(slots=True, eq=False, repr=False)
class Carried(Value):
    """A variable at the head of a loop that changes it: `initial` first, then `final` of the turn before."""

    name: str = ""
    initial: Value | None = None
    final: Value | None = None
    loop: Loop | None = None
