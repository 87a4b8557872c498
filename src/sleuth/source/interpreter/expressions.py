"""Expressions of the analysed program: names resolved, calls followed, everything else recorded."""

import ast
import builtins
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sleuth.source import torch_api
from sleuth.source.interpreter import comprehensions
from sleuth.source.interpreter.machine import Machine, merge, settle, unwrapped
from sleuth.source.interpreter.values import (
    Arm,
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Context,
    Deferred,
    External,
    Function,
    Instance,
    Scope,
    Super,
    Table,
    Unknown,
    Value,
    Yielded,
)
from sleuth.source.parsed_file import Source

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Not: "not",
    ast.Invert: "~",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

# What fragments from forums and notebooks leave out: the customary names of imports.
CUSTOMARY = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "np": "numpy",
    "numpy": "numpy",
    "pd": "pandas",
    "plt": "matplotlib.pyplot",
    "DataLoader": "torch.utils.data.DataLoader",
    "Dataset": "torch.utils.data.Dataset",
    "TensorDataset": "torch.utils.data.TensorDataset",
    "tqdm": "tqdm.tqdm",
    "train_test_split": "sklearn.model_selection.train_test_split",
    "StandardScaler": "sklearn.preprocessing.StandardScaler",
    "MinMaxScaler": "sklearn.preprocessing.MinMaxScaler",
    "transforms": "torchvision.transforms",
    "torchvision": "torchvision",
    "models": "torchvision.models",
    "pl": "pytorch_lightning",
    "copy": "copy",
    "gym": "gymnasium",
    "Accelerator": "accelerate.Accelerator",
    "Trainer": "transformers.Trainer",
    "SimpleImputer": "sklearn.impute.SimpleImputer",
    "PCA": "sklearn.decomposition.PCA",
    "SelectKBest": "sklearn.feature_selection.SelectKBest",
    "cross_val_score": "sklearn.model_selection.cross_val_score",
    "GridSearchCV": "sklearn.model_selection.GridSearchCV",
    "TargetEncoder": "sklearn.preprocessing.TargetEncoder",
    "AutoModel": "transformers.AutoModel",
    "get_linear_schedule_with_warmup": "transformers.get_linear_schedule_with_warmup",
    "get_cosine_schedule_with_warmup": "transformers.get_cosine_schedule_with_warmup",
    "SMOTE": "imblearn.over_sampling.SMOTE",
    "jnp": "jax.numpy",
    "jax": "jax",
    "optax": "optax",
}

# One thing, several addresses: names are brought to the one people write.
_RENAMED = (
    ("torch.autograd.variable.", "torch.autograd."),
    ("torch.optim.lr_scheduler.", "torch.optim.lr_scheduler."),
    ("torch.nn.modules.", "torch.nn."),
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.cuda.amp.", "torch.amp."),
    ("torch.special.softmax", "torch.softmax"),
    ("torch.special.log_softmax", "torch.log_softmax"),
    ("torchvision.transforms.v2.", "torchvision.transforms."),
    ("torchvision.transforms.transforms.", "torchvision.transforms."),
)

_BUILTINS = frozenset(dir(builtins))
_EVERYDAY = frozenset("print len str repr isinstance hasattr format round int float abs min max sum".split())


@lru_cache(4096)
def canonical(name: str) -> str:
    """The customary address of a thing that has several."""
    for old, new in _RENAMED:
        if name.startswith(old):
            rest = name[len(old) :]
            # torch.nn.modules.loss.CrossEntropyLoss → torch.nn.CrossEntropyLoss
            return new + (rest.rpartition(".")[2] if old == "torch.nn.modules." else rest)
    return name


def evaluate(machine: Machine, node: ast.expr) -> Value:
    handler = _HANDLERS.get(type(node))
    return handler(machine, node) if handler is not None else machine.unknown(node)


def run_module(machine: Machine, source: Source) -> Scope:
    """The names a local file defines. It is run once; what happens in it is its own file's business."""
    known = machine.project.scopes
    if source in known:
        return known[source]
    scope = known[source] = Scope({})
    outer_scope, outer_context, mark = machine.scope, machine.context, len(machine.trace)
    machine.scope, machine.context = scope, Context(source)
    try:
        _statements().run_block(machine, _definitions(source.tree.body))
    finally:
        machine.scope, machine.context = outer_scope, outer_context
        del machine.trace[mark:]
    return scope


def resolve(machine: Machine, deferred: Deferred) -> Value:
    """What an import means: a value of a local file, that file as a whole, or something from outside."""
    assert deferred.source is not None
    source = machine.project.find(deferred.module, deferred.level, deferred.source)
    if source is not None:
        scope = run_module(machine, source)
        if deferred.name is None:
            return _as_object(deferred, source, scope)
        if deferred.name in scope.names:
            value = scope.names[deferred.name]
            if isinstance(value, Deferred) and value is not deferred:
                scope.names[deferred.name] = machine.unknown(deferred.node)  # a circle of imports ends here
                value = scope.names[deferred.name] = resolve(machine, value)
            return value
    if deferred.name is not None:
        inner = f"{deferred.module}.{deferred.name}" if deferred.module else deferred.name
        if (part := machine.project.find(inner, deferred.level, deferred.source)) is not None:
            return _as_object(deferred, part, run_module(machine, part))
    if deferred.level:
        return machine.unknown(deferred.node, deferred.name or deferred.module)
    full = deferred.module if deferred.name is None else f"{deferred.module}.{deferred.name}"
    return External(deferred.node, deferred.source, canonical(full))


def _as_object(deferred: Deferred, source: Source, scope: Scope) -> Instance:
    return Instance(deferred.node, source, Class(deferred.node, source), scope.names)


def _definitions(body: list[ast.stmt]) -> list[ast.stmt]:
    """An imported file's statements without its main part, its loops and bare calls."""
    return [node for node in body if not isinstance(node, ast.If | ast.For | ast.While | ast.Expr | ast.With)]


def lookup(machine: Machine, node: ast.AST, name: str) -> Value:
    scope: Scope | None = machine.scope
    stars: list[str] = []
    while scope is not None:
        if name in scope.names:
            value = scope.names[name]
            if isinstance(value, Deferred):
                value = scope.names[name] = resolve(machine, value)
            return value
        stars += scope.star_imports
        scope = scope.parent
    if name in _BUILTINS:
        return External(node, machine.context.source, f"builtins.{name}")
    for module in stars:
        if module in ("torch", "torch.nn", "torch.optim", "torch.nn.functional", "numpy"):
            return External(node, machine.context.source, f"{module}.{name}")
    if name in CUSTOMARY:
        return External(node, machine.context.source, CUSTOMARY[name])
    # A name that nobody here defines (fragments, notebooks) still means one and the same object everywhere.
    return machine.undefined.setdefault(name, machine.unknown(node, name))


def _name(machine: Machine, node: ast.Name) -> Value:
    return lookup(machine, node, node.id)


def _constant(machine: Machine, node: ast.Constant) -> Value:
    return Constant(node, machine.context.source, node.value)


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    value = evaluate(machine, node.value)
    owner = unwrapped(value)
    if isinstance(owner, External):
        return External(node, machine.context.source, canonical(f"{owner.name}.{node.attr}"))
    known = attribute_of(machine, owner, node.attr)
    if known is not None:
        return known
    return machine.record(node, f"@{node.attr}", value if isinstance(value, Carried) else owner)


def attribute_of(machine: Machine, owner: Value, name: str) -> Value | None:
    """An attribute or method that the project's own code defines."""
    if isinstance(owner, Instance):
        if name in owner.attributes:
            value = owner.attributes[name]
            if isinstance(value, Deferred):
                value = owner.attributes[name] = resolve(machine, value)
            return value
        member = owner.cls.member(name)
        if isinstance(member, Function):
            return _bound(machine, member, owner)
        return member
    if isinstance(owner, Class):
        return owner.member(name)
    if isinstance(owner, Super) and owner.after is not None:
        for ancestor in list(owner.after.lineage())[1:]:
            if isinstance(ancestor, Class) and isinstance(member := ancestor.members.get(name), Function):
                return Function(member.node, member.source, member.definition, member.scope, owner.instance)
    return None


def _bound(machine: Machine, method: Function, owner: Instance) -> Value:
    definition = method.definition
    decorators = getattr(definition, "decorator_list", [])
    names = {decorator.id for decorator in decorators if isinstance(decorator, ast.Name)}
    if "staticmethod" in names:
        return method
    bound = Function(method.node, method.source, definition, method.scope, owner)
    if "property" in names:
        from sleuth.source.interpreter.calls import follow

        return follow(machine, definition or ast.Pass(), bound, (), {})
    return bound


def _call(machine: Machine, node: ast.Call) -> Value:
    from sleuth.source.interpreter.calls import call

    return call(machine, node)


def _binary(machine: Machine, node: ast.BinOp) -> Value:
    left, right = evaluate(machine, node.left), evaluate(machine, node.right)
    op = OPERATORS[type(node.op)]
    if isinstance(left, Constant) and isinstance(right, Constant):
        folded = _fold(op, left.value, right.value)
        if folded is not None:
            return machine.constant(node, folded)
    one, other = settle(left), settle(right)
    if op == "+" and isinstance(one, Collection) and isinstance(other, Collection):
        # `layers = layers + [...]` in a loop adds on every turn.
        is_open = one.open or other.open or one is not left
        return Collection(node, machine.context.source, [*one.items, *other.items], one.kind, is_open)
    if op == "*" and isinstance(one, Collection):
        return Collection(node, machine.context.source, list(one.items), one.kind, True)
    return machine.record(node, op, None, (left, right))


def _fold(op: str, left: object, right: object) -> int | float | None:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    try:
        match op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                return left / right
            case "//":
                return left // right
            case "**" if abs(left) < 1e3 and abs(right) < 64:
                power = left**right
                return power if isinstance(power, int | float) else None
    except (ZeroDivisionError, OverflowError):
        return None
    return None


def _unary(machine: Machine, node: ast.UnaryOp) -> Value:
    value = evaluate(machine, node.operand)
    op = OPERATORS[type(node.op)]
    if isinstance(value, Constant):
        if op == "neg" and isinstance(value.value, int | float):
            return machine.constant(node, -value.value)
        if op == "not" and isinstance(value.value, bool):
            return machine.constant(node, not value.value)
    return machine.record(node, op, None, (value,))


def _compare(machine: Machine, node: ast.Compare) -> Value:
    values = [evaluate(machine, part) for part in (node.left, *node.comparators)]
    op = OPERATORS[type(node.ops[0])]
    if len(values) == 2 and _stays(machine, node.left) and not isinstance(values[0], Carried):
        answer = _known_comparison(op, settle(values[0]), settle(values[1]))
        if answer is not None:
            return machine.constant(node, answer)
    return machine.record(node, op, None, tuple(values))


def _stays(machine: Machine, node: ast.expr) -> bool:
    """A plain variable, or an attribute set at one place: any other may be something else next time."""
    if isinstance(node, ast.Attribute):
        return machine.context.source.attribute_writes[node.attr] == 1
    return isinstance(node, ast.Name)


def _known_comparison(op: str, left: Value, right: Value) -> bool | None:
    """`optimizer is not None` and `phase == "train"`, where the source says what they are."""
    if op in ("is", "is not") and isinstance(right, Constant) and right.value is None:
        if isinstance(left, Constant):
            return (left.value is None) is (op == "is")
        if isinstance(left, Instance | Function | Collection | Table):
            return op == "is not"
        if isinstance(left, Call) and left.op.startswith(("torch.optim.", "torch.nn.", "torch.utils.data.")):
            return op == "is not"
    if op in ("==", "!=") and isinstance(left, Constant) and isinstance(right, Constant):
        return (left.value == right.value) is (op == "==")
    return None


def _boolean(machine: Machine, node: ast.BoolOp) -> Value:
    values = [evaluate(machine, part) for part in node.values]
    decides = isinstance(node.op, ast.Or)  # one True settles an `or`, one False an `and`
    for value in values:
        if isinstance(value, Constant) and isinstance(value.value, bool) and value.value is decides:
            return value
    return merge(values)


def _conditional(machine: Machine, node: ast.IfExp) -> Value:
    test = evaluate(machine, node.test)
    arms = ((Arm(node, "if", test), node.body), (Arm(node, "else", test), node.orelse))
    options = []
    for arm, branch in arms:
        outside, machine.context = machine.context, machine.context.inside(arm=arm)
        options.append(evaluate(machine, branch))
        machine.context = outside
    return merge(options)


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items, unfolded = expand(machine, node.elts)
    # `[*a.parameters(), *b.parameters()]`: one element stands for the many that cannot be counted.
    items += [
        machine.record(node, "next", None, (part,)) for part in unfolded if not isinstance(part, Collection)
    ]
    kind = type(node).__name__.lower()
    return Collection(node, machine.context.source, items, kind, bool(unfolded))


def expand(machine: Machine, nodes: list[ast.expr]) -> tuple[list[Value], list[Value]]:
    """Values of a list display or argument list, `*parts` unfolded where their items are known.

    The second list holds the parts that could not be unfolded, or not completely.
    """
    if not any(isinstance(part, ast.Starred) for part in nodes):
        return [evaluate(machine, part) for part in nodes], []
    items: list[Value] = []
    unfolded: list[Value] = []
    for part in nodes:
        if isinstance(part, ast.Starred):
            inner = settle(evaluate(machine, part.value))
            if isinstance(inner, Collection):
                items += inner.items
            if not isinstance(inner, Collection) or inner.open:
                unfolded.append(inner)
        else:
            items.append(evaluate(machine, part))
    return items, unfolded


def _dict(machine: Machine, node: ast.Dict) -> Value:
    items: dict[object, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        held = evaluate(machine, value)
        if key is None:
            continue
        name = evaluate(machine, key)
        if isinstance(name, Constant):
            items[name.value] = held
    return Table(node, machine.context.source, items)


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    container = unwrapped(evaluate(machine, node.value))
    container = torch_api.held_layers(container) or container
    key = evaluate(machine, node.slice)
    if isinstance(key, Constant):
        if isinstance(container, Table) and key.value in container.items:
            return container.items[key.value]
        if isinstance(container, Collection) and isinstance(key.value, int) and not container.open:
            if -len(container.items) <= key.value < len(container.items):
                return container.items[key.value]
    if isinstance(container, Collection) and isinstance(node.slice, ast.Slice):
        if (part := _literal_slice(container, node.slice)) is not None:
            return Collection(node, machine.context.source, part, container.kind)
    elif isinstance(container, Collection) and container.items:
        return merge(list(container.items))
    return machine.record(node, "[]", None, (container, key))


def _literal_slice(container: Collection, node: ast.Slice) -> list[Value] | None:
    """The items of `xs[a:b]` where all of them and both ends are known."""
    ends: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        if part is None:
            ends.append(None)
        elif isinstance(part, ast.Constant) and isinstance(part.value, int):
            ends.append(part.value)
        elif (
            isinstance(part, ast.UnaryOp)
            and isinstance(part.op, ast.USub)
            and isinstance(part.operand, ast.Constant)
            and isinstance(part.operand.value, int)
        ):
            ends.append(-part.operand.value)
        else:
            return None
    return None if container.open else container.items[slice(*ends)]


def _slice(machine: Machine, node: ast.Slice) -> Value:
    parts = [evaluate(machine, part) for part in (node.lower, node.upper, node.step) if part is not None]
    return Collection(node, machine.context.source, parts, "slice")


def _lambda(machine: Machine, node: ast.Lambda) -> Value:
    return Function(node, machine.context.source, node, machine.scope)


def _formatted(machine: Machine, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            evaluate(machine, part.value)
    return machine.unknown(node)


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = evaluate(machine, node.value)
    _statements().bind(machine, node.target, value)
    return value


def _inner(machine: Machine, node: ast.Await | ast.Starred) -> Value:
    return evaluate(machine, node.value)


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    value = evaluate(machine, node.value) if node.value is not None else machine.constant(node, None)
    if machine.returns:
        machine.returns[-1].append(Yielded(node, machine.context.source, value))
    return machine.unknown(node)


def _statements() -> Any:
    """Statements hold expressions and expressions (a function's body) statements: tied here, at run time."""
    from sleuth.source.interpreter import statements

    return statements


_HANDLERS: dict[type[ast.expr], Callable[[Machine, Any], Value]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.ListComp: comprehensions.listing,
    ast.SetComp: comprehensions.listing,
    ast.GeneratorExp: comprehensions.listing,
    ast.DictComp: comprehensions.mapping,
    ast.Lambda: _lambda,
    ast.JoinedStr: _formatted,
    ast.NamedExpr: _walrus,
    ast.Await: _inner,
    ast.Starred: _inner,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}

__all__ = ["Call", "Class", "Unknown", "evaluate", "expand", "lookup", "run_module"]
