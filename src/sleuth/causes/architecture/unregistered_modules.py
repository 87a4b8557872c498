"""Layers kept in a plain list or dict are invisible to the optimizer and never trained.

## What happens
`nn.Module` registers a child only when it is assigned as an attribute, or held by `ModuleList`,
`ModuleDict` or `Sequential`. Layers in a Python list take part in the forward pass, receive
gradients, and yet `model.parameters()` does not contain them. Whatever *is* registered trains on
top of random features, so the loss falls and the model seems merely mediocre.

A small net with both hidden layers in a list and a registered head reached 83 to 89% on a task
that its repaired twin solves to 100%, five seeds out of five. Its parameter count was 34 instead
of 354.
```python
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [nn.Linear(16, 16) for _ in range(4)]   # a plain list
        self.head = nn.Linear(16, 2)
```
The same omission has more faces: weights missing from `state_dict()` (a reloaded model is random
again), `.to("cuda")` leaves them behind (that at least crashes), `.eval()` does not reach dropout
inside the list, and a `torch.randn(..., requires_grad=True)` attribute is not an `nn.Parameter`.

## How to tell
- **lint**: a list, dict, tuple or comprehension of layers assigned to `self.x` in `__init__`,
  without a later `add_module`, `register_module`, `nn.ModuleList(self.x)` or
  `nn.Sequential(*self.x)`.
- **probe**: after backward, leaf tensors in the graph hold gradients that belong to no entry of
  `model.parameters()`; or modules found in attributes are missing from `model.modules()`.
- **refuted by**: the count of trainable numbers in `model.parameters()` equals the one you
  compute by hand.

## How to fix
```python
self.blocks = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
self.heads = nn.ModuleDict({name: nn.Linear(16, k) for name, k in tasks.items()})
self.scale = nn.Parameter(torch.ones(16))
self.register_buffer("table", torch.arange(16))     # state that is not trained
```
Build the optimizer afterwards. A list is right on purpose when it only *references* layers that
are registered elsewhere, or holds a frozen teacher that must stay out of the checkpoint.

## Often mistaken for
- `params-not-in-optimizer`: there `model.parameters()` is complete and the optimizer got less of
  it.
- `frozen-params`: registered, but with `requires_grad=False`.
- `unused-parameters`: the mirror image, registered but not part of the forward pass.

## Sources
- pytorch-modulelist: first paragraph, on what the container does that a Python list does not.
- pytorch-module: the class description, on submodules assigned as attributes being registered.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.edits import Edits, statement_of
from sleuth.source.flow import ancestry, possible
from sleuth.source.interpreter.values import Call, Class, Instance, Value
from sleuth.source.program import Program, clue, line_of, rewrite
from sleuth.source.topics.modules import (
    contained,
    mentions,
    method_of,
    parameter,
    plain_containers,
    registered,
    trains,
    uses,
)
from sleuth.source.torch_api import is_module

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench

RAISES = {
    "optimizer got an empty parameter list": (
        "The model has no registered parameters: layers in a plain list or dict are invisible to it."
    ),
}
PREDICTS = {"same-batch": "even"}


# Ways to make a module known that do not assign it to an attribute.
_BY_HAND = ("add_module", "register_module", "setattr", "__setattr__", "register_parameter", "_modules")
_PUTS_IN_CHARGE = (".parameters", ".named_parameters", ".requires_grad_", "torch.optim.")

NEEDS = "nn.Module Module requires_grad"


def lint(program: Program) -> Iterator[Evidence]:
    for call, owner, held in plain_containers(program):
        known = registered(owner)
        lost = [
            item
            for item in held
            if trains(item)
            and id(item) not in known
            and _made_by(owner, item)
            and not _cared_for(program, item, call.args[0])
            and not _registered_elsewhere(program, item, call.args[0])
        ]
        if lost and not _registers_by_hand(owner):
            name = call.op[1:-1]
            yield clue(
                "proven",
                call,
                f"`self.{name}` is a plain Python container: the layers in it (made on "
                f"{line_of(lost[0], call)}) are not in `parameters()`, so no optimizer trains them.",
                fix=f"Keep them in `nn.ModuleList` or `nn.ModuleDict`: `self.{name} = nn.ModuleList(...)`.",
                edits=_registered(call),
            )
    yield from _bare_tensors(program)


def _registered(call: Call) -> Edits:
    """The list or dict as written, inside the container that registers. (A dict needs texts for keys.)"""
    statement = statement_of(call.node, call.source)
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, ast.List | ast.ListComp):
        return _wrapped_value(call, "nn.ModuleList", safe=True)
    return _wrapped_value(call, "nn.ModuleDict") if isinstance(value, ast.Dict | ast.DictComp) else ()


def _wrapped_value(call: Call, maker: str, safe: bool = False) -> Edits:
    """`self.x = maker(...)`, where `nn` is what it is called here."""
    statement, source = statement_of(call.node, call.source), call.source
    if not isinstance(statement, ast.Assign) or source is None or not re.search(_NN_IMPORTED, source.text):
        return ()
    text = ast.get_source_segment(source.text, statement.value)
    return rewrite(statement.value, source, f"{maker}({text})", safe) if text else ()


_NN_IMPORTED = r"(?m)^\s*(import torch\.nn as nn|from torch import (.*\b)?nn\b)"


def _made_by(owner: Instance, item: Value) -> bool:
    """The module built the layer itself: a layer handed in may be known, or kept out, elsewhere."""
    made_in = item.made_in if isinstance(item, Instance) else getattr(item, "context", None)
    return made_in is not None and any(
        getattr(site.receiver, "bound", None) is owner for site in made_in.sites
    )


def _registers_by_hand(owner: Instance) -> bool:
    classes = [base.definition for base in owner.cls.lineage() if isinstance(base, Class)]
    return owner.cls.member("parameters") is not None or any(
        definition is not None and mentions(definition, *_BY_HAND) for definition in classes
    )


def _cared_for(program: Program, item: Value, container: Value) -> bool:
    """Its weights are frozen on purpose, or given to an optimizer by another way."""
    return any(
        taker.op.startswith(_PUTS_IN_CHARGE)
        for value in (item, *possible(container))
        for taker in uses(program).of(value)
    )


_REGISTERING = ("torch.nn.ModuleDict", "torch.nn.ModuleList")


def _registered_elsewhere(program: Program, item: Value, container: Value) -> bool:
    """Handed to another module that puts what it gets into a `ModuleDict` or `ModuleList` of its own."""
    # By where they are written: a class of which two objects are made is not followed as far in both.
    handed = {id(value.node) for value in (item, *possible(container)) if value.node is not None}
    put_in = [given for made in program.calls(*_REGISTERING) for given in made.args]
    for write in program.calls("[]=", ".append", ".extend", ".update", ".insert"):
        if any(isinstance(one, Call) and one.op in _REGISTERING for one in possible(write.receiver)):
            put_in += write.args[-1:]
    return any(id(here.node) in handed for given in put_in for here in ancestry(given, 40))


def _bare_tensors(program: Program) -> Iterator[Evidence]:
    """`self.scale = torch.ones(8, requires_grad=True)`: trainable, and not a parameter of the module."""
    for call in program.trace:
        if call.op[0] != "@" or call.op[-1] != "=" or not call.args:
            continue
        leaf = parameter(call.args[0])
        owner = call.receiver
        if leaf is None or leaf.op == "torch.nn.Parameter" or not isinstance(owner, Instance):
            continue
        method = method_of(call)
        inside_init = getattr(getattr(method, "definition", None), "name", "") == "__init__"
        kept = _registers_by_hand(owner) or _listed(program, leaf) or _cancels_out(owner, call.op[1:-1])
        if is_module(owner) and inside_init and not kept:
            yield clue(
                "likely",
                call,
                f"`self.{call.op[1:-1]}` is a tensor with requires_grad=True, not an nn.Parameter: it is "
                "not in `parameters()`, so no optimizer trains it and no checkpoint saves it.",
                fix="Wrap it: `nn.Parameter(...)`.",
                edits=_wrapped_value(call, "nn.Parameter"),
            )


def _listed(program: Program, leaf: Call) -> bool:
    """Somebody hands the tensor itself to an optimizer (or to anything that may be one)."""
    return any(
        any(inner is leaf for given in call.args for inner in contained(given))
        for call in program.trace
        if call.op.startswith("torch.optim.")
    )


def _cancels_out(owner: Instance, name: str) -> bool:
    """`x + self.nothing - self.nothing`: it ties x to a gradient and is not there to learn."""
    definition = owner.cls.definition
    return definition is not None and any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.BinOp)
        and isinstance(node.left.op, ast.Add)
        and f"self.{name}" in ast.unparse(node.right)
        and ast.dump(node.right) in (ast.dump(node.left.left), ast.dump(node.left.right))
        for node in ast.walk(definition)
    )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    gradients = bench.first.gradients
    if gradients.hidden:
        yield Evidence(
            f"{len(gradients.hidden)} modules with parameters are in a plain list or dict "
            f"(`{gradients.hidden[0]}`): model.parameters() does not list them, so no optimizer trains "
            "them and no checkpoint saves them.",
            telling="proven",
            where=Where(module=gradients.hidden[0]),
            numbers={"hidden": len(gradients.hidden), "unlisted_tensors": len(gradients.strangers)},
            fix="Use nn.ModuleList or nn.ModuleDict.",
        )
    elif gradients.strangers:
        yield Evidence(
            f"{len(gradients.strangers)} trainable tensors that the loss depends on, such as one of shape "
            f"{gradients.strangers[0]}, belong neither to the model's parameters nor to an optimizer.",
            telling="likely",
            numbers={"unlisted_tensors": len(gradients.strangers)},
            fix="Register them: nn.Parameter as an attribute, layers in nn.ModuleList.",
        )
