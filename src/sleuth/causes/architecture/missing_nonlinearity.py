"""Linear layers follow each other with nothing between, so depth adds nothing.

## What happens
A product of matrices is a matrix: `Linear(2, 64)`, `Linear(64, 64)`, `Linear(64, 2)` in a row
have 4482 parameters and express exactly what a single 2-by-2 layer with bias does. The model
trains smoothly, gradients look fine, and it stops at the quality of linear or logistic
regression.

On "do the two inputs have the same sign" (XOR on the square), that stack stayed at loss 0.69 and
44 to 63% accuracy over five seeds; with a ReLU after each hidden layer all five reached 100%.
```python
def forward(self, x):
    x = self.fc1(x)
    x = self.fc2(x)          # nothing between fc1 and fc2
    return self.fc3(x)
```
The usual origins: `F.relu(x)` whose result is not assigned, an activation defined in `__init__`
and never called, `conv` followed by `conv`. Some pairs are meant to be linear: the two factors of
a low-rank layer or LoRA, a depthwise and a pointwise convolution, query and key projections
(softmax follows), a bottleneck whose inner size is *smaller* than both ends. Dropout, BatchNorm
in eval mode, mean pooling and reshape are linear too and do not count as a nonlinearity.

## How to tell
- **lint**: two affine layers in sequence (in `nn.Sequential`, in `forward`, or iteration after iteration of
  a loop) with nothing nonlinear between and no narrower middle; a bare call such as `F.relu(x)` as
  a statement.
- **probe**: in eval mode the model is affine: f(a+b) - f(a) - f(b) + f(0) is zero to rounding,
  for random a and b.
- **refuted by**: that expression is clearly different from zero.

## How to fix
```python
def forward(self, x):
    x = torch.relu(self.fc1(x))
    x = torch.relu(self.fc2(x))
    return self.fc3(x)           # none after the last layer
```
If linear is what you wanted, delete the extra layers: they only make optimisation odd.

## Often mistaken for
- `underpowered-model`: also cannot fit, but there are nonlinearities and it is too narrow; here
  more width never helps.
- `output-activation`: adding the missing activation after the *last* layer creates that one.

## Sources
- goodfellow-2016-ch6: the opening XOR example (6.1), why stacked linear maps stay linear, and
  section 6.4.1 on what nonlinear layers add.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, TypeGuard

from sleuth.finding import Evidence, Telling, Where
from sleuth.source.flow import ancestry, keeps_numbers, layer, parents, root, same, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Instance,
    Loop,
    Unknown,
    Value,
)
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.modules import (
    AFFINE,
    BATCH_NORM,
    DROPOUT,
    Affine,
    Uses,
    affine,
    applied,
    contained,
    exact,
    method_of,
    module_around,
    parameter,
    settled,
    uses,
)
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.places.scene import Scene

IS_AN_ABSENCE = True
CONSEQUENCE_OF = "dead-relu softmax-wrong-dim zero-init"
PREDICTS = {"same-batch": "even"}

_ACTIVATIONS = frozenset(
    "relu relu6 leaky_relu elu selu celu gelu silu mish tanh sigmoid softplus hardtanh hardswish".split()
)
_ACTIVATION_LAYERS = Pattern(
    r"^torch\.nn\.(ReLU6?|LeakyReLU|ELU|SELU|CELU|GELU|SiLU|Mish|Tanh|Sigmoid|Softplus|Hard\w+)$"
)
# Linear for a fixed mask, fixed statistics or a fixed window; a mean over positions is linear as well.
_STILL_LINEAR = Pattern(
    r"^(torch\.nn\.(functional\.)?(Adaptive)?(adaptive_)?(Avg_?Pool|avg_pool)[123]d|"
    r"torch\.nn\.functional\.dropout|torch\.dropout|torch\.mean|\.mean)$"
)
_NARROW_WORD = Pattern(r"rank|bottle|latent|code|proj|emb|low|squeeze|reduc|adapt|^r$|^k$", re.IGNORECASE)
_READS_ONLY_THE_SHAPE = (
    ".size",
    "@shape",
    ".dim",
    "@ndim",
    "builtins.print",
    "builtins.len",
    "@dtype",
    "@device",
)


_NEAR = 60  # values that are looked through between an operation and what it reads


def lint(program: Program) -> Iterator[Evidence]:
    wasted = [*_thrown_away(program), *_repeated(program), *_listed(program)]
    yield from wasted
    guilty = {finding.where.line for finding in wasted if finding.where}
    for call in program.calls("()", "@", "torch.matmul", "torch.mm", "torch.nn.functional.linear", ".mm"):
        second = affine(call)
        first, between = _before(second.input) if second is not None else (None, [])
        if second is None or first is None or _before(first.input)[0] is not None:
            continue  # of a longer chain the first pair is told
        telling = None if _joins(program, first, second) else _weighed(first, second, between)
        line = spot(first.call).line or 0
        if first.call.context.function is not call.context.function:
            continue  # a joint between two modules: each may be right by itself
        if telling and not _meant(program, first, second, between):
            if not any(line <= other <= (spot(call).line or 0) for other in guilty if other):
                yield clue(
                    telling,
                    call,
                    f"This linear layer follows the one on line {line} with no nonlinearity between: "
                    "together they compute no more than one linear layer.",
                    fix="Put an activation such as ReLU between them, or drop one of the two.",
                )


def _repeated(program: Program) -> Iterator[Evidence]:
    """A loop that stacks or applies linear layers and nothing else."""
    for call in program.calls("()"):
        one = affine(call)
        turned = settled(one.input) if one is not None else None
        if isinstance(turned, Carried) and turned.loop in call.context.loops:
            again, between = _before(turned.final)
            if (
                again is not None
                and again.call is call
                and not _meant(program, again, again, between, turned.loop)
                and not _read_beside(program, turned, call)
            ):
                yield _told_of_the_loop(call)
    applied = {id(call.receiver) for call in program.calls("()")}
    for stack in program.calls("torch.nn.Sequential"):
        if id(stack) not in applied and any(id(part) in applied for part in stack.args):
            continue  # its layers are taken one by one: what lies between them is not to be seen here
        if id(stack) not in applied and _gone_through(program, stack):
            continue
        if not all(isinstance(part, Call) for part in stack.args[:-1]):
            continue  # one of several activations, or a layer made elsewhere
        if any(isinstance(part, Call) and not is_module(part) for part in stack.args):
            continue  # an activation from elsewhere: `self.act`, `ACTIVATIONS[name]`
        inside = [part for part in stack.args if isinstance(part, Call) and _made_in_a_loop(part, stack)]
        linear = [part for part in inside if AFFINE.match(part.op)]
        others = [part for part in inside if not AFFINE.match(part.op)]
        others += _put_in_again(program, stack, linear)
        if linear and all(BATCH_NORM.match(part.op) or DROPOUT.match(part.op) for part in others):
            yield _told_of_the_loop(linear[0])


def _put_in_again(program: Program, stack: Call, linear: list[Call]) -> list[Call]:
    """The parts that were made before the loop, and that each turn puts beside the layer it makes."""
    turns = {loop for part in linear for loop in part.context.loops[len(stack.context.loops) :]}
    added = [
        item
        for call in program.calls(".append", ".extend", ".insert")
        if turns.intersection(call.context.loops)
        for given in call.args
        for item in contained(given)
    ]
    beside = [part for part in stack.args if isinstance(part, Call) and not AFFINE.match(part.op)]
    return [part for part in beside if any(item is part for item in added)]


def _gone_through(program: Program, stack: Call) -> bool:
    """The class that keeps the stack takes its layers in a loop, and may do more with each than apply it."""
    for call in program.trace:
        if call.op[0] == "@" and call.op[-1] == "=" and call.args and call.args[0] is stack:
            owner = root(call.receiver)
            code = owner.cls.definition if isinstance(owner, Instance) else None
            if code is not None and any(_goes_over(node, call.op[1:-1]) for node in ast.walk(code)):
                return True
    return False


def _goes_over(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.For) and any(
        isinstance(part, ast.Attribute) and part.attr == attribute for part in ast.walk(node.iter)
    )


def _listed(program: Program) -> Iterator[Evidence]:
    """`nn.Sequential(nn.Linear(...), nn.Linear(...))` that nobody here applies: a bare piece of a model."""
    applied = {id(call.receiver) for call in program.calls("()")}
    for stack in program.calls("torch.nn.Sequential"):
        if id(stack) in applied or uses(program).of(stack) or any(id(part) in applied for part in stack.args):
            continue
        for first, second in pairwise(stack.args):
            if not (_is_linear(first) and _is_linear(second)):
                continue
            sizes = [exact(first.argument(0, "in_features")), exact(second.argument(1, "out_features"))]
            middle = exact(first.argument(1, "out_features"))
            if middle is not None and None not in sizes and middle >= min(size or 0 for size in sizes):
                yield clue(
                    "likely",
                    second,
                    f"This linear layer follows the one on line {spot(first).line} with no nonlinearity "
                    "between: together they compute no more than one linear layer.",
                    fix="Put an activation such as ReLU between them, or drop one of the two.",
                )
                break


def _is_linear(value: Value) -> TypeGuard[Call]:
    return isinstance(value, Call) and value.op == "torch.nn.Linear"


def _told_of_the_loop(at: Call) -> Evidence:
    return clue(
        "likely",
        at,
        "The loop applies this linear layer to the output of the previous one with no nonlinearity "
        "between: together they compute no more than one linear layer.",
        fix="Apply an activation in each iteration of the loop.",
    )


def _read_beside(program: Program, turned: Carried, call: Call) -> bool:
    """Something else in the loop works on the value of the turn before: so each turn's counts."""
    return any(
        turned.loop in user.context.loops and _reads(user, {id(call)}) and _reaches(user, turned, call)
        for user in program.trace
    )


def _reaches(user: Call, turned: Carried, without: Call) -> bool:
    """Whether a value goes into an operation by another way than through one call."""
    queue: list[Value] = list(parents(user))
    seen = {id(without)}
    while queue and len(seen) < _NEAR:
        value = queue.pop(0)
        if value is turned or value is turned.initial:  # an item is taken of what the loop began with
            return True
        if id(value) not in seen:
            seen.add(id(value))
            queue.extend(() if isinstance(value, Carried) else parents(value))
    return False


def _made_in_a_loop(part: Call, stack: Call) -> bool:
    """One of a number of layers: made by a loop, or by a comprehension, that ran before."""
    rest = stack.args[-1]
    if not (isinstance(rest, Collection) and rest.kind == "rest"):
        return False
    built = any(
        isinstance(inner, Collection)
        and isinstance(inner.node, ast.ListComp | ast.GeneratorExp)
        and any(item is part for item in inner.items)
        for inner in rest.items
    )
    return built or len(part.context.loops) > len(stack.context.loops)


def _before(value: Value | None) -> tuple[Affine | None, list[Call]]:
    """The linear map whose output comes in here through linear operations only, and those operations."""
    between: list[Call] = []
    for _ in range(60):
        if isinstance(value, Call) and value.result is not None:
            between.append(value)
            value = value.result
            continue
        value = settled(value)
        if not isinstance(value, Call):
            return None, between
        if (found := affine(value)) is not None:
            return found, between
        between.append(value)
        name = layer(value)
        if keeps_numbers(value) or BATCH_NORM.match(name) or DROPOUT.match(name) or _STILL_LINEAR.match(name):
            value = subject(value)
        elif value.op == "+" and _adds_a_bias(value):
            value = value.args[0]
        else:
            return None, between
    return None, between


def _adds_a_bias(call: Call) -> bool:
    """`x @ w + b`: a trainable leaf is added to a hand-made product."""
    product, bias = (settled(part) for part in call.args)
    return affine(product) is not None and parameter(bias) is not None


def _weighed(first: Affine, second: Affine, between: list[Call]) -> Telling | None:
    """How sure it is that the pair was not meant: a narrow middle makes a low-rank map on purpose."""
    if first.weight is second.weight or not _plain(first) or not _plain(second):
        return None
    pooled = any(_STILL_LINEAR.match(layer(call)) and "drop" not in layer(call) for call in between)
    ends = [size for size in (first.inner, second.outer) if size is not None]
    if first.outer is None or not ends:
        return "likely" if not pooled and _sizes_look_hidden(first, second) else None
    if _is_convolution(first):
        wide = first.inner is not None and first.outer >= first.inner
    else:  # as wide as one end: the pair can be any matrix, so it is one
        wide = first.outer >= min(ends)
    sure = first.biased or any(BATCH_NORM.match(layer(call)) for call in between)
    return None if not wide else "proven" if sure and not pooled else "likely"


def _joins(program: Program, first: Affine, second: Affine) -> bool:
    """One module ends in a linear layer, the next begins with one, and other layers stand before: a joint.

    An encoder that ends in its code, and a head on the code, are such; a `Sequential` counts as a module.
    """
    within = _stack_of(program, first)
    apart = within is not None and within is not _stack_of(program, second)
    if module_around(first.call) is module_around(second.call) and not apart:
        return False
    return any(applied(value) is not None for value in ancestry(first.input, 300))


def _stack_of(program: Program, one: Affine) -> Call | None:
    """The `Sequential` that holds a layer."""
    stacks = program.calls("torch.nn.Sequential") if one.made is not None else ()
    return next((stack for stack in stacks if any(part is one.made for part in stack.args)), None)


def _sizes_look_hidden(first: Affine, second: Affine) -> bool:
    """Sizes are arguments: two biased layers of one class on its input, not mirrored, not a bottleneck."""
    if first.made is None or second.made is None or "Linear" not in first.made.op + second.made.op:
        return False
    ends = (first.made.argument(0, "in_features"), second.made.argument(1, "out_features"))
    middle = root(first.made.argument(1, "out_features"))
    return (
        first.biased
        and second.biased
        and isinstance(root(first.input), Unknown)
        and method_of(first.made) is not None
        and method_of(first.made) is method_of(second.made)
        and isinstance(middle, Unknown)
        and not _NARROW_WORD.search(middle.name)
        and not same(*ends)
    )


def _is_convolution(one: Affine) -> bool:
    return one.made is not None and "Conv" in one.made.op


def _plain(one: Affine) -> bool:
    """Not a depthwise, pointwise or stretched convolution: those come in linear pairs by design."""
    if one.made is None or not _is_convolution(one):
        return True
    kernel, groups = settled(one.made.argument(2, "kernel_size")), one.made.keywords.get("groups")
    if groups is not None and exact(groups) != 1:
        return False
    if isinstance(kernel, Collection):
        return all(exact(side) not in (None, 1) for side in kernel.items)
    return exact(kernel) not in (None, 1)


def _meant(
    program: Program, first: Affine, second: Affine, between: list[Call], within: Loop | None = None
) -> bool:
    """The middle is used elsewhere, too (features, a second head, a residual), so it stands for itself, or
    one of the two has the weights of another layer and must have its shape."""
    if any(root(call.receiver) in (first.made, second.made) for call in program.calls("@weight=")):
        return True
    users = uses(program)
    chain = {id(first.call), id(second.call), *(id(call) for call in between)}
    return any(
        (within is None and users.handed_back(value))
        or any(_reads(user, chain) for user in users.of(value) if within in (None, *user.context.loops))
        for value in (first.call, *between)
    )


def _reads(user: Call, chain: set[int]) -> bool:
    passes_on = user.result is not None or user.op == "def"
    return id(user) not in chain and user.op not in _READS_ONLY_THE_SHAPE and not passes_on


def _thrown_away(program: Program) -> Iterator[Evidence]:
    """`F.relu(x)` as a statement: computed, and its result dropped."""
    candidates = [call for call in program.calls("()", *_functional_names()) if _could_be_statement(call)]
    if not candidates:
        return
    statements = {id(node.value) for node in program.source.of(ast.Expr)}
    users: Uses = uses(program)
    for call in candidates:
        given = subject(call)
        if id(call.node) not in statements or given is None:
            continue
        later = [user for user in users.of(given) if user.order > call.order and affine(user) is not None]
        if later:
            yield clue(
                "proven",
                call,
                f"The result of this activation is thrown away; the layer on line {spot(later[0]).line} "
                "gets the values from before the activation.",
                fix="Assign the result: `x = F.relu(x)`.",
            )


def _functional_names() -> Iterator[str]:
    for name in sorted(_ACTIVATIONS):
        yield from (f"torch.{name}", f"torch.nn.functional.{name}", f".{name}")


def _could_be_statement(call: Call) -> bool:
    """An activation at the start of a line that does not work in place."""
    if call.op == "()" and not _ACTIVATION_LAYERS.match(layer(call)):
        return False
    made = call.receiver if call.op == "()" else call
    options = (*getattr(made, "keywords", {}).values(), *getattr(made, "args", ()))
    if any(isinstance(option, Constant) and option.value is True for option in options):
        return False
    line = call.source.line(getattr(call.node, "lineno", 0)) if call.source else ""
    return not line[: getattr(call.node, "col_offset", 0)].strip()


ROUNDING = 1e-4  # relative; float32 leaves some 1e-6


def probe(bench: "Workbench") -> Iterator[Evidence]:
    layers = [layer for layer in bench.first.activations.layers if layer.depth > 1]
    if not layers:
        return
    seen = bench.affine
    if seen.residue < ROUNDING:
        stacked = next((layer.where for layer in layers if layer.follows_layer), layers[0].where)
        yield Evidence(
            f"With {seen.layers} weight layers in a row the model is still one linear map: f(a+b) - f(a) "
            f"- f(b) + f(0) is {seen.residue:.1e} of f. Depth adds nothing.",
            telling="proven",
            where=stacked,
            numbers={"residue": seen.residue, "layers": seen.layers},
            fix="Put an activation such as ReLU between the layers.",
        )


def place(finding: Evidence, scene: "Scene") -> Where | None:
    from sleuth.places.layers import made_in_a_row

    return None if scene.record is None else made_in_a_row(finding, scene.record)
