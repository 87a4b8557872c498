"""Calls of the analysed program: project code is followed into, modules are applied, the rest is recorded."""

import ast

from sleuth.quick_dataclass import replace
from sleuth.source import torch_api
from sleuth.source.interpreter.expressions import attribute_of, evaluate, expand
from sleuth.source.interpreter.interest import WORTH_FOLLOWING, WORTH_FOLLOWING_ABROAD
from sleuth.source.interpreter.machine import MAX_DEPTH, MAX_VISITS, Machine, element, merge, settle
from sleuth.source.interpreter.statements import grad_after, run_block
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Context,
    Either,
    External,
    Function,
    Instance,
    Scope,
    Super,
    Table,
    Value,
    Yielded,
)
from sleuth.source.word_search import Pattern

Arguments = tuple[tuple[Value, ...], dict[str, Value]]


def call(machine: Machine, node: ast.Call) -> Value:
    """The value of a call expression."""
    if isinstance(node.func, ast.Attribute):
        return _method_call(machine, node, node.func)
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(machine, node)
    target = settle(evaluate(machine, node.func))
    args, keywords = _arguments(machine, node)
    return apply(machine, node, target, args, keywords)


def _arguments(machine: Machine, node: ast.Call) -> Arguments:
    items, unfolded = expand(machine, node.args)
    if unfolded:
        items.append(Collection(node, machine.context.source, unfolded, "rest", True))
    keywords = {entry.arg: evaluate(machine, entry.value) for entry in node.keywords if entry.arg is not None}
    for entry in node.keywords:
        if entry.arg is None:
            keywords["**"] = spread = evaluate(machine, entry.value)
            if isinstance(known := settle(spread), Table):  # "**" stays: it may hold more than was seen
                keywords |= {key: value for key, value in known.items.items() if isinstance(key, str)}
    return tuple(items), keywords


def _super(machine: Machine, node: ast.Call) -> Value:
    instance = machine.scope.names.get("self")
    owner = machine.scope.names.get("__class__")
    return Super(node, machine.context.source, instance, owner if isinstance(owner, Class) else None)


def _method_call(machine: Machine, node: ast.Call, func: ast.Attribute) -> Value:
    value = evaluate(machine, func.value)
    owner = settle(value)
    args, keywords = _arguments(machine, node)
    if isinstance(owner, External) and owner.name == "torch.optim" and func.attr in _OPTIMIZER_METHODS:
        # A fragment whose optimizer is called like the module that optimizers come from.
        owner = value = machine.undefined.setdefault("optim", machine.unknown(func.value, "optim"))
    if isinstance(owner, External):
        from sleuth.source.interpreter.expressions import canonical

        name = canonical(f"{owner.name}.{func.attr}")
        return apply(machine, node, External(func, machine.context.source, name), args, keywords)
    member = attribute_of(machine, owner, func.attr)
    if member is None and func.attr == "eval" and torch_api.is_module(owner):
        # torch's `eval` is `train(False)`, and a class may have a `train` of its own.
        member = attribute_of(machine, owner, "train")
        args = (Constant(node, machine.context.source, False),)
    if member is not None:
        return apply(machine, node, settle(member), args, keywords)
    held = torch_api.held_layers(owner) if func.attr in ("append", "extend", "insert") else None
    if isinstance(held, Collection) and args:
        added = settle(args[-1])
        held.items.extend(added.items if isinstance(added, Collection) else [added])
        # A list that each turn makes anew does not grow from turn to turn.
        held.open |= len(machine.context.loops) > _loops_around(owner)
    elif isinstance(owner, Collection) and func.attr in ("append", "add") and args:
        owner.items.append(args[0])
        owner.open = owner.open or _may_come_again(machine.context)
    elif isinstance(owner, Collection) and func.attr == "pop" and owner.items:
        last = not args and not owner.open and not machine.context.loops
        popped = owner.items.pop() if last else merge(list(owner.items))
        owner.open |= not last
        return popped
    elif isinstance(owner, Collection) and func.attr in ("extend", "insert") and args:
        added = settle(args[-1])
        owner.items.extend(added.items if isinstance(added, Collection) else [added])
        owner.open = True
    elif isinstance(owner, Table) and func.attr == "get" and args and isinstance(args[0], Constant):
        if args[0].value in owner.items:
            return owner.items[args[0].value]
    if func.attr == "apply" and isinstance(owner, Instance) and owner.cls.derives_from("flax.linen.Module"):
        return _apply_flax(machine, node, owner, args, keywords)
    if func.attr == "forward" and torch_api.is_module(owner):
        return call_module(machine, node, owner, args, keywords)
    if func.attr == "save_hyperparameters" and isinstance(owner, Instance) and not args:
        # Lightning's: what `__init__` was given is read back as `self.hparams.lr`.
        given = {name: value for name, value in machine.scope.names.items() if value is not owner}
        owner.attributes.setdefault("hparams", _namespace(machine, node, given))
    if func.attr == "step":
        _run_callbacks(machine, node, args, keywords)  # LBFGS runs its closure inside the step
    # That a value is carried round a loop matters to who asks; which list or module it is, is settled above.
    receiver = value if isinstance(value, Carried) else owner
    if isinstance(func.value, ast.Name) and func.value.id == "self" and _NETWORK.search(func.attr):
        network = machine.record(func, f"@{func.attr}", receiver)
        return machine.record(node, "()", network, args, keywords)
    recorded = machine.record(node, f".{func.attr}", receiver, args, keywords)
    return owner if torch_api.hands_back_itself(func.attr, owner) else recorded


def _may_come_again(context: Context) -> bool:
    """Whether what is added here may be added more than once, or not at all: a loop that is followed turn by
    turn adds each thing once, unless a branch in it decides."""
    return any(not loop.followed or context.arms for loop in context.loops)


def _loops_around(made: Value) -> int:
    return len(made.context.loops) if isinstance(made, Call) else 0


def _apply_flax(
    machine: Machine, node: ast.Call, owner: Instance, args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """`model.apply(params, x)`: what `__call__` makes of x. With `mutable` a pair comes back."""
    applied = machine.record(node, "()", owner, args[1:], keywords)
    method = attribute_of(machine, owner, "__call__")
    if isinstance(method, Function) and args and not {"mutable", "method"} & keywords.keys():
        given = {
            name: value for name, value in keywords.items() if name not in ("rngs", "capture_intermediates")
        }
        applied.result = follow(machine, node, method, args[1:], given)
    return applied


def apply(
    machine: Machine,
    node: ast.AST,
    target: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """Call a value with arguments."""
    if isinstance(target, Function):
        return follow(machine, node, target, args, keywords)
    if isinstance(target, Class):
        return instantiate(machine, node, target, args, keywords)
    if isinstance(target, External):
        return _external(machine, node, target, args, keywords)
    if isinstance(target, Instance):
        if torch_api.is_module(target):
            return call_module(machine, node, target, args, keywords)
        method = attribute_of(machine, target, "__call__")
        if isinstance(method, Function):
            return follow(machine, node, method, args, keywords)
    if isinstance(target, Either):
        return merge([apply(machine, node, option, args, keywords) for option in target.options])
    if isinstance(target, Call) and target.op == "functools.partial" and target.args:
        return apply(
            machine,
            node,
            settle(target.args[0]),
            (*target.args[1:], *args),
            {**target.keywords, **keywords},
        )
    if isinstance(target, Call) and target.op == "collections.namedtuple" and not args:
        return _namespace(machine, node, keywords)
    if isinstance(target, Call) and target.op in TRANSFORMS and target.args:
        return _transformed(machine, node, target, args, keywords)
    if torch_api.is_module(target):
        return call_module(machine, node, target, args, keywords)
    if isinstance(target, Call) and target.op.startswith("@") and target.receiver is not None:
        return _handed_on(machine, node, target, target.receiver, args, keywords)
    return machine.record(node, "()", target, args, keywords)


def _handed_on(
    machine: Machine,
    node: ast.AST,
    method: Call,
    owner: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """`set_mode = model.train`, called under its new name."""
    name = method.op[1:]
    if name == "step":
        _run_callbacks(machine, node, args, keywords)
    recorded = machine.record(node, f".{name}", owner, args, keywords)
    return owner if torch_api.hands_back_itself(name, settle(owner)) else recorded


# `self.net(x)` in a class or method pasted without what made it: a network is applied, no method called.
_NETWORK = Pattern(
    r"(^|_)(model|net|network|actor|critic|encoder|decoder|generator|discriminator|backbone|classifier|student"
    r"|teacher)(_?\d|_local|_target)?$"
)

_OPTIMIZER_METHODS = frozenset("step zero_grad state_dict load_state_dict add_param_group".split())

# The model with weights handed along: what it does to its input is the same.
_FUNCTIONAL_CALLS = frozenset(
    f"torch.{home}.functional_call" for home in ("func", "nn.utils.stateless", "nn.utils")
)

# Functions of functions: what comes out is called like what went in.
TRANSFORMS = frozenset(
    f"{home}.{name}"
    for home in ("jax", "torch.func", "torch")
    for name in ("jit", "vmap", "pmap", "checkpoint", "grad", "value_and_grad", "grad_and_value")
)


def _transformed(
    machine: Machine, node: ast.AST, made: Call, args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """`jax.value_and_grad(loss)(params, x)`: the function is followed, its gradient is something new."""
    value = apply(machine, node, settle(made.args[0]), args, keywords)
    name = made.op.rpartition(".")[2]
    if "grad" not in name:
        return value
    gradient = machine.record(node, "()", made, args, keywords)
    if name == "grad":
        return gradient
    pair = [value, gradient] if name == "value_and_grad" else [gradient, value]
    return Collection(node, machine.context.source, pair, "tuple")


def _external(
    machine: Machine,
    node: ast.AST,
    target: External,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    if target.name == "torch.nn.ModuleList" and not args:
        args = (Collection(node, machine.context.source, [], "list"),)
    recorded = machine.record(node, target.name, None, args, keywords)
    if target.name in torch_api.WRAPPERS and args:
        return args[0]
    if target.name in ("types.SimpleNamespace", "argparse.Namespace") and not args:
        return _namespace(machine, node, keywords)
    if target.name in ("builtins.map", "builtins.filter") and len(args) > 1 and isinstance(args[0], Function):
        if target.name == "builtins.map" and (mapped := _mapped(machine, node, args)) is not None:
            return mapped
        apply(machine, node, args[0], (element(machine, node, settle(args[1])),), {})
    if (
        target.name in ("builtins.list", "builtins.tuple")
        and args
        and isinstance(settle(args[0]), Collection)
    ):
        return settle(args[0])
    if target.name == "torch.utils.checkpoint.checkpoint" and args:
        return apply(machine, node, settle(args[0]), args[1:], {})
    if target.name in _FUNCTIONAL_CALLS and len(args) > 2:
        given = settle(args[2])
        given_args = tuple(given.items) if isinstance(given, Collection) else (args[2],)
        return apply(machine, node, settle(args[0]), given_args, {})
    if target.name == "torch.set_grad_enabled":
        machine.context = replace(machine.context, grad=grad_after(recorded, machine.context.grad))
    if target.name == "builtins.dict" and not args:
        return Table(node, machine.context.source, _by_name(keywords))
    _run_callbacks(machine, node, args, keywords)
    return recorded


MOST_MAPPED = 6  # items that a function is applied to one by one; `train, val, test` are three


def _mapped(machine: Machine, node: ast.AST, args: tuple[Value, ...]) -> Value | None:
    """`map(prepare, (train, val, test))`, one by one: what comes out is not one thing made of all three."""
    rows = settle(args[1]) if len(args) == 2 else None
    if not isinstance(rows, Collection) or rows.open or not 0 < len(rows.items) <= MOST_MAPPED:
        return None
    made = [apply(machine, node, args[0], (item,), {}) for item in rows.items]
    return Collection(node, machine.context.source, made, "list")


def _namespace(machine: Machine, node: ast.AST, settings: dict[str, Value]) -> Value:
    """Settings by name, as configurations are often kept."""
    source = machine.context.source
    return Instance(node, source, Class(node, source), dict(settings), machine.context)


def _run_callbacks(
    machine: Machine, node: ast.AST, args: tuple[Value, ...], keywords: dict[str, Value]
) -> None:
    """Functions handed to a library run somewhere inside it."""
    for argument in (*args, *keywords.values()):
        if isinstance(argument, Function) and argument.definition is not None:
            if isinstance(argument.definition, ast.Lambda) or not argument.definition.args.args:
                follow(machine, node, argument, (), {})


def follow(
    machine: Machine,
    node: ast.AST,
    function: Function,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """Run a project function with these arguments and return what it returns."""
    definition = function.definition
    if definition is None:
        return machine.unknown(node)
    site = machine.record(node, "def", function, args, keywords)
    if (
        definition in machine.active
        or len(machine.active) >= MAX_DEPTH
        or machine.visits.get(definition, 0) >= (MAX_SWITCHES if _switches_mode(function) else MAX_VISITS)
        or not _is_worth_following(machine, function)
    ):
        return site
    machine.visits[definition] = machine.visits.get(definition, 0) + 1
    site.result = _run_function(machine, function, site, args, keywords)
    return site.result


MAX_SWITCHES = 30  # a mode that is missed looks like one that nobody set


def _switches_mode(function: Function) -> bool:
    """A module's own `train` or `eval`: short, and called wherever a model is used."""
    named = getattr(function.definition, "name", "") in ("train", "eval")
    return named and torch_api.is_module(function.bound)


def _is_worth_following(machine: Machine, function: Function) -> bool:
    definition = function.definition
    assert definition is not None
    known = machine.worth.get(definition)
    if known is None:
        at_home = machine.trace_of is function.source
        words = WORTH_FOLLOWING if at_home else WORTH_FOLLOWING_ABROAD
        known = isinstance(definition, ast.Lambda) or words.within(function.text())
        machine.worth[definition] = known
    return known


def _run_function(
    machine: Machine,
    function: Function,
    site: Call,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    definition = function.definition
    assert definition is not None
    assert function.source is not None
    scope = Scope(_bind_parameters(machine, function, args, keywords), function.scope)
    before = (machine.scope, machine.context)
    machine.scope = scope
    grad = machine.context.grad
    for decorator in getattr(definition, "decorator_list", []):
        if isinstance(decorator, ast.Call | ast.Attribute):
            grad = grad_after(evaluate(machine, decorator), grad)
    context = machine.context
    machine.context = Context(
        function.source,
        definition,
        context.loops,
        context.arms,
        context.tries,
        context.managers,
        grad,
        (*context.sites, site),
    )
    machine.active.append(definition)
    machine.returns.append([])
    try:
        if isinstance(definition, ast.Lambda):
            return evaluate(machine, definition.body)
        run_block(machine, definition.body)
        returned = machine.returns[-1]
    finally:
        machine.active.pop()
        machine.returns.pop()
        machine.scope, machine.context = before
    if any(isinstance(value, Yielded) for value in returned):
        items = [value.value for value in returned if isinstance(value, Yielded) and value.value is not None]
        return Collection(site.node, function.source, items, "generator", True)
    return merge(returned) if returned else machine.constant(site.node, None)


def _bind_parameters(
    machine: Machine, function: Function, args: tuple[Value, ...], keywords: dict[str, Value]
) -> dict[str, Value]:
    definition = function.definition
    assert definition is not None
    spec = definition.args
    names = [*spec.posonlyargs, *spec.args]
    given = list(args)
    bound: dict[str, Value] = {}
    if function.bound is not None and names:
        given.insert(0, function.bound)
        if isinstance(function.bound, Instance):
            bound["__class__"] = _defining_class(function.bound.cls, definition)
    rest_is_open = bool(given) and isinstance(given[-1], Collection) and given[-1].kind == "rest"
    if rest_is_open:
        rest = given.pop()
        given = given[: len(given) - _behind_a_star(rest.node)]
    for parameter, value in zip(names, given, strict=False):
        bound[parameter.arg] = value
    defaults = dict(zip([parameter.arg for parameter in names[::-1]], spec.defaults[::-1], strict=False))
    defaults |= {
        parameter.arg: default
        for parameter, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        if default is not None
    }
    for parameter in (*names, *spec.kwonlyargs):
        name = parameter.arg
        if name in keywords:
            bound[name] = keywords[name]
        elif name not in bound:
            default = defaults.get(name)
            known = default is not None and not rest_is_open and "**" not in keywords
            bound[name] = (
                evaluate(machine, default) if known and default else machine.unknown(parameter, name)
            )
    if spec.vararg:
        extra = given[len(names) :]
        bound[spec.vararg.arg] = Collection(definition, function.source, extra, "tuple", rest_is_open)
    if spec.kwarg:
        used = {parameter.arg for parameter in (*names, *spec.kwonlyargs)}
        left = {key: value for key, value in keywords.items() if key not in used}
        bound[spec.kwarg.arg] = Table(definition, function.source, _by_name(left))
    return bound


def _behind_a_star(node: ast.AST | None) -> int:
    """Arguments after `*parts` of unknown length: nobody knows which parameter they are for."""
    given = node.args if isinstance(node, ast.Call) else []
    star = next((place for place, part in enumerate(given) if isinstance(part, ast.Starred)), len(given))
    return sum(not isinstance(part, ast.Starred) for part in given[star:])


def _defining_class(cls: Class, definition: ast.AST) -> Class:
    for ancestor in cls.lineage():
        if isinstance(ancestor, Class):
            for member in ancestor.members.values():
                if isinstance(member, Function) and member.definition is definition:
                    return ancestor
    return cls


def instantiate(
    machine: Machine, node: ast.AST, cls: Class, args: tuple[Value, ...], keywords: dict[str, Value]
) -> Value:
    """Make an object of a project class; its `__init__` is followed."""
    instance = Instance(node, machine.context.source, cls, {}, machine.context)
    machine.instances.append(instance)
    machine.record(node, "new", instance, args, keywords)
    constructor = cls.member("__init__")
    if isinstance(constructor, Function):
        method = Function(
            constructor.node,
            constructor.source,
            constructor.definition,
            constructor.scope,
            instance,
        )
        follow(machine, node, method, args, keywords)
    elif cls.definition is not None:
        _fill_fields(machine, cls, instance, args, keywords)
    return instance


def _fill_fields(
    machine: Machine,
    cls: Class,
    instance: Instance,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> None:
    """Dataclasses and named tuples: annotated names are filled in order."""
    assert cls.definition is not None
    fields = [
        entry.target.id
        for entry in cls.definition.body
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name)
    ]
    instance.attributes |= {name: cls.members[name] for name in fields if name in cls.members}
    instance.attributes |= dict(zip(fields, args, strict=False))
    instance.attributes |= {name: value for name, value in keywords.items() if name in fields}


def call_module(
    machine: Machine,
    node: ast.AST,
    module: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:
    """Apply an nn.Module: project classes by their forward, nn.Sequential layer by layer."""
    applied = machine.record(node, "()", module, args, keywords)
    if isinstance(module, Instance):
        forward = attribute_of(machine, module, "forward")
        if isinstance(forward, Function):
            applied.result = follow(machine, node, forward, args, keywords)
    elif isinstance(module, Call) and module.op == "torch.nn.Sequential" and args:
        layers = torch_api.layers_of(module)
        if layers:
            value = args[0]
            outside = machine.context
            for layer in layers:
                # The place to look at is the line that put the layer there, not the call of the whole stack.
                machine.context = replace(outside, source=layer.source or outside.source)
                value = apply(machine, layer.node or node, settle(layer), (value,), {})
            machine.context = outside
            applied.result = value
    return applied


def _by_name(keywords: dict[str, Value]) -> dict[object, Value]:
    return dict(keywords.items())
