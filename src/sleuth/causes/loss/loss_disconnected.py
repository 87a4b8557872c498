"""The loss, or one of its terms, has no gradient path to the parameters.

## What happens
The number is right and the gradient is missing. When the *whole* loss is cut off, `backward()`
raises "element 0 of tensors does not require grad", and somebody silences it with
`requires_grad_()` on the loss. Now everything runs and nothing learns. When only *one term* is cut
off there is no error at all: the sum still has a graph, the log still shows the term, and its value
changes because the rest of the model moves it by accident.

Terms lose their path in loss code that leaves the graph: `argmax`, `round`, `>` and other piecewise
constant steps; a trip through NumPy or `.item()`; `torch.tensor(list_of_losses).mean()`, which
copies; a metric used as a loss; a regulariser over `p.data`; a penalty computed inside `no_grad`.

```python
penalty = torch.tensor([p.norm() for p in model.parameters()]).sum()   # copies the values
hits = (out.argmax(1) == y).float().mean()                             # no gradient
loss = F.cross_entropy(out, y) + 0.1 * penalty - hits
```

A constant in a loss is fine where it is meant as one: a detached target, a teacher's output, a
baseline in a policy gradient, a generator's sample in the discriminator's step.

## How to tell
- **probe**: each term is differentiated on its own; a term whose gradient is None or zero for every
  parameter is disconnected. For the whole loss: `loss.grad_fn is None`.
- **watch**: all gradients are None or exactly zero from the first step while the loss is not zero,
  or one logged term never responds when its weight changes.
- **lint**: `argmax`, `.item()`, `.numpy()`, `torch.tensor(...)` or a comparison between the output
  and `backward()`; a term made from a derivative that was taken without `create_graph=True`;
  `loss.requires_grad_()`; `loss = Variable(loss, requires_grad=True)`.
- **refuted by**: a non-zero gradient of every term with respect to at least one parameter.

## How to fix
Keep the values as tensors until after `backward()`, and replace the step function with a smooth
stand-in.

```python
penalty = torch.stack([p.norm() for p in model.parameters()]).sum()
loss = F.cross_entropy(out, y) + 0.1 * penalty
for name, term in {"penalty": penalty}.items():          # a check worth keeping while debugging
    assert term.requires_grad, name
```

Never repair it with `requires_grad_()` on the result: that makes the loss a leaf with no history.

## Often mistaken for
- `detached-graph`: the cut lies inside the model; here the output still has a graph and the loss
  not.
- `no-grad-training`: a context manager removed the graph of the whole forward pass.
- `loss-saturated`: the path exists, and its gradient happens to be zero at this point.

## Sources
- pytorch-autograd: How autograd encodes the history; a value made outside the recorded operations
  has no path back.
- goodfellow-2016-ch8: section 8.1.2, Surrogate Loss Functions; 0-1 loss has no useful derivative.
"""

import re
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, courses, loss_calls, raised, where_loss
from sleuth.source.edits import Edits, without_method
from sleuth.source.flow import ancestry, depends_on, parents, root, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    External,
    Function,
    Instance,
    Unknown,
    Value,
)
from sleuth.source.losses import is_loss_instance, loss_of
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.terms import Objective, Term, objectives, terms
from sleuth.source.torch_api import is_module
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.measure.workbench import Workbench
    from sleuth.record.entries import LossCall, Record
    from sleuth.stuck_metric.answers import Answers

CONSEQUENCE_OF = (
    "bad-init-scale dead-relu frozen-params inputs-constant labels-all-ignored labels-constant "
    "loss-broadcast loss-saturated loss-wrong-for-task missing-backward missing-step no-grad-training "
    "params-not-in-optimizer stale-optimizer-params step-before-backward zero-grad-after-backward "
    "zero-init"
)
LOOKS_LIKE = {"stuck from the start": "usually"}
INVITED_BY = {"detach|\\.item\\(|no_grad": 2.0}
RAISES = {
    "element 0 of tensors does not require grad": (
        "The loss has no gradient path to any parameter: it was computed under no_grad, detached, "
        "or turned into a number and back."
    ),
}
PREDICTS = {"same-batch": "usually", "noise-inputs": "always", "shuffled-labels": "always"}


# Steps whose slope is zero or that leave torch altogether.
_CUTS = frozenset(
    [
        ".item",
        ".tolist",
        ".numpy",
        ".argmax",
        ".argmin",
        ".argsort",
        ".round",
        ".sign",
        ".long",
        ".int",
        ".bool",
        "builtins.float",
        "builtins.int",
        "torch.argmax",
        "torch.argmin",
        "torch.round",
        "torch.sign",
        "torch.tensor",
        "numpy.array",
        "numpy.asarray",
        "numpy.argmax",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        ".eq",
        ".ne",
        ".gt",
        ".lt",
        ".ge",
        ".le",
        "torch.eq",
        "torch.gt",
        "torch.lt",
        "torch.ge",
        "torch.le",
        ".detach",
        "@data",
    ]
)
_ELSEWHERE = ("numpy.", "sklearn.", "scipy.", "math.")
# A factor of such a name is a number from the settings, not a tensor with a history.
_WEIGHT = Pattern(r"alpha|beta|gamma|lambda|\blam|weight|coef|scale|eta|ratio|^w_|_w$", re.IGNORECASE)

_NUMBERS = frozenset(f"{home}.{name}" for home in ("torch", "math", "numpy") for name in ("pi", "e", "inf"))

NEEDS = "backward"


def lint(program: Program) -> Iterator[Evidence]:
    for objective in objectives(program):
        if not objective.certain:
            continue
        parts = [part for part in terms(objective.value) if not isinstance(part.value, Constant)]
        links = [_Link().of(part.value) for part in parts]
        cut = [(part, link) for part, link in zip(parts, links, strict=True) if isinstance(link, Call)]
        if parts and len(cut) == len(parts):
            yield _whole(objective, cut[0][1])
        elif any(link == "on" for link in links):
            yield from (_one_term(part, link) for part, link in cut if not _swaps_values(part, link))


class _Link:
    """Whether a gradient finds its way to parameters: "on", "off", "unknown", or the call that cuts it."""

    def __init__(self) -> None:
        self._known: dict[int, str | Call] = {}

    def of(self, value: Value | None, depth: int = 0) -> str | Call:
        if value is None or depth > 80:
            return "unknown"
        if id(value) not in self._known:
            self._known[id(value)] = "off"  # round a loop: what the first turn says decides
            self._known[id(value)] = self._work_out(value, depth + 1)
        return self._known[id(value)]

    def _work_out(self, value: Value, depth: int) -> str | Call:
        if isinstance(value, Call):
            return self._call(value, depth)
        if isinstance(value, Unknown):
            return "off" if _WEIGHT.search(value.name) else "unknown"
        if isinstance(value, Constant) or (isinstance(value, External) and value.name in _NUMBERS):
            return "off"
        if isinstance(value, Collection) and not value.items:
            return "unknown"
        parts = parents(value)
        return self._joined(parts, depth) if parts or isinstance(value, Carried) else "unknown"

    def _call(self, call: Call, depth: int) -> str | Call:
        if _inside_a_model(call):
            return "on" if call.context.grad else "off"
        if call.op in _CUTS or call.op.startswith(_ELSEWHERE) or _makes_a_leaf(call) or _keeps_no_graph(call):
            return self._cut(call, depth)
        if call.op == ".requires_grad_" and _is_a_place(call.receiver):
            return "off"
        if call.op in ("next", "builtins.next"):
            return "on" if self.of(call.args[0], depth) == "on" else "off"
        if call.op in (".parameters", ".named_parameters", "torch.nn.Parameter") or _asks_for_grad(call):
            return "on"
        if (use := loss_of(call)) is not None:
            given, aim = self.of(use.input, depth), self.of(use.target, depth)
            return given if isinstance(given, Call) and aim != "on" else self._joined(call.args, depth)
        if call.op == "()" and not is_loss_instance(call.receiver):
            return "on" if call.context.grad else "off"
        if call.result is not None:
            return self.of(call.result, depth)
        if call.op[:1] == "@" and _WEIGHT.search(call.op):
            return "off"
        return self._joined(parents(call), depth)

    def _cut(self, call: Call, depth: int) -> str | Call:
        parts = parents(call)
        found = [self.of(part, depth) for part in parts]
        if any(link == "on" for link in found) and call.context.grad:
            return call
        # Numbers that met something unknown, made into a tensor that asks for a slope: meant as the loss.
        asks = "requires_grad" in call.keywords
        remade = (self._known.get(id(part)) for part in (ancestry(call, 60) if asks else ()))
        behind = (*found, *remade)
        return next((link for link in behind if isinstance(link, Call)), "off")

    def _joined(self, values: tuple[Value, ...], depth: int) -> str | Call:
        found = [self.of(part, depth) for part in values]
        for link in ("on", "unknown"):
            if link in found:
                return link
        return next((link for link in found if isinstance(link, Call)), "off")


def _inside_a_model(call: Call) -> bool:
    """Cuts inside a model's own forward have a name of their own."""
    for site in call.context.sites:
        function = site.receiver
        if isinstance(function, Function) and getattr(function.definition, "name", "") == "forward":
            owner = function.bound
            if isinstance(owner, Instance) and is_module(owner) and not is_loss_instance(owner):
                return True
    return False


def _makes_a_leaf(call: Call) -> bool:
    return call.op.endswith("autograd.Variable") and "requires_grad" in call.keywords


def _keeps_no_graph(call: Call) -> bool:
    """A derivative that is a plain number afterwards: `create_graph` is off unless it is asked for."""
    if call.op != "torch.autograd.grad" or "**" in call.keywords:
        return False
    asked = call.argument(4, "create_graph")
    return asked is None or (isinstance(asked, Constant) and asked.value is False)


def _asks_for_grad(call: Call) -> bool:
    return "requires_grad" in call.keywords or (call.op == ".requires_grad_" and _is_leaf(call.receiver))


def _is_a_place(value: Value | None) -> bool:
    """A copy of data at which a derivative is asked for, not something that learns."""
    made = root(value)
    return isinstance(made, Call) and made.op in (".clone", ".detach", "torch.clone")


def _is_leaf(value: Value | None) -> bool:
    return not isinstance(root(value), Call) or not any(
        isinstance(part, Call) and part.op == "()" for part in parents(root(value))
    )


def _swaps_values(term: Term, cut: Call) -> bool:
    """`a + (b - a).detach()`: the value of b with the gradient of a."""
    inner = root(subject(cut))
    return cut.op == ".detach" and isinstance(inner, Call) and inner.op == "-"


def _verb(cut: Call) -> str:
    if cut.op == "torch.autograd.grad":
        return "`grad` without `create_graph=True`"
    name = cut.op.lstrip(".@").removeprefix("builtins.")
    return f"`{name}`" if name[:1].isalpha() else f"the comparison `{name}`"


def _kept_in_the_graph(cut: Call, loss: Value) -> Edits:
    """The cut taken away, where that leaves a tensor and no other cut. Not safe: somebody wrote it."""
    others = [here for here in ancestry(loss, 300) if isinstance(here, Call) and here is not cut]
    again = any((here.op in _CUTS or _makes_a_leaf(here)) and depends_on(here, cut) for here in others)
    leaves = any("requires_grad" in here.keywords and depends_on(here, cut) for here in others)
    plain = cut.op in (".item", ".detach", "@data")
    return without_method(cut.node, cut.source) if plain and not again and not leaves else ()


def _whole(objective: Objective, cut: Call) -> Evidence:
    there = line_of(objective.at, cut)
    return clue(
        "proven",
        cut,
        f"{_verb(cut)[:1].upper()}{_verb(cut)[1:]} here ends the graph, and the whole loss of {there} is "
        "computed from it: `backward` reaches no parameter.",
        fix="Compute the loss from the model's output itself; keep this value for reports only.",
        edits=_kept_in_the_graph(cut, objective.value),
    )


def _one_term(term: Term, cut: Call) -> Evidence:
    there = line_of(term.joined or term.value, cut)
    return clue(
        "proven",
        cut,
        f"{_verb(cut)[:1].upper()}{_verb(cut)[1:]} here ends the graph, and a term of the loss of {there} "
        "is computed from it: the term changes the value of the loss and gives no gradient.",
        fix="Pass `create_graph=True`, so that the derivative itself can be differentiated."
        if cut.op == "torch.autograd.grad"
        else "Add the tensor itself to the loss; take `.item()` copies for the log afterwards.",
        edits=_kept_in_the_graph(cut, term.value),
    )


def probe(bench: "Workbench") -> Iterator[Evidence]:
    first = bench.first
    trained = [p for p in first.gradients.parameters if p.trainable]
    nobody = bool(trained) and all(p.gradient is None for p in trained) and not first.gradients.strangers
    if not first.gradients.loss_has_graph or nobody:
        yield Evidence(
            f"The loss ({first.loss:.4g}) has no gradient path to any parameter: `backward` will fail or "
            "change nothing.",
            telling="proven",
            numbers={"loss": first.loss},
            fix="Keep tensors from the model's output to the loss: no `.item()`, `argmax`, `.numpy()` or "
            "`tensor(...)`.",
        )
        return
    for use in first.losses:
        if use.orphans:
            yield Evidence(
                f"The {use.name} computed here ({use.value:.4g}) is not part of the loss that is "
                f"minimised, and {len(use.orphans)} parameters such as `{use.orphans[0]}` get no gradient "
                "from anything else.",
                telling="proven",
                where=use.where,
                numbers={"value": use.value, "orphans": len(use.orphans)},
                fix="Add the tensor itself to the total, not its `.item()` or a detached copy.",
            )
    for term in first.loose:
        yield Evidence(
            f"A term of the loss ({term.value:.4g}) is computed from the model's output and has no graph: "
            "it changes the value of the loss and gives no gradient.",
            telling="proven",
            where=term.where,
            numbers={"value": term.value},
            fix="Compute the term from the output itself; no comparison, rounding, `argmax`, `.item()` "
            "or `.detach()` in between.",
        )
    effect = bench.wiring.target_effect
    if effect == 0.0 and any(p.distinct != 1 for p in first.data.tensors if p.role == "target"):
        yield Evidence(
            "The loss stays exactly the same when the targets are shuffled between examples: it does not "
            "depend on the targets.",
            telling="likely",
            numbers={"effect": 0.0},
            unless=("several-losses",),  # one of two losses need not read them
            fix="Follow the target from the batch to the loss; look for a mask of zeros or an "
            "overwritten variable.",
        )


FIRST = 10  # steps; a gradient that is exactly zero for so long has no path


def watch(record: "Record") -> Iterator[Evidence]:
    yield from _refused(record)
    for course in courses(record) if record.steps else ():
        begin = [step for step in course.steps[:FIRST] if step.backwards]
        none = [step for step in begin if not step.grad_norm and step.grad_norm_at_step in (None, 0.0)]
        measured = [step for step in none if step.grad_norm is not None or step.update_norm == 0.0]
        moved = any(step.grad_norm or step.update_norm for step in course.steps[:100])
        # A loss that is NaN may have no slope by itself: that of |NaN| is zero.
        if len(measured) < 3 or moved or not any(step.loss and isfinite(step.loss) for step in begin):
            continue
        yield Evidence(
            f"The loss is {begin[0].loss or 0:.4g} and backward runs, but the gradient of every parameter "
            "is zero at every measured step: the loss does not depend on the parameters through any "
            "differentiable path.",
            telling="proven",
            where=where_loss(begin[0]),
            numbers={"steps": len(measured), "loss": begin[0].loss or 0.0},
            fix="Compute the loss from the model's own output; no `argmax`, `round`, comparison or new "
            "tensor in between.",
        )
    yield from _terms(record)


def _refused(record: "Record") -> Iterator[Evidence]:
    where = raised(record, "does not require grad and does not have a grad_fn")
    attached = [call for call in loss_calls(record) if call.requires_grad]
    if where is not None and attached and len(attached) == len(loss_calls(record)):
        yield Evidence(
            f"backward failed: the loss has no graph, although `{attached[-1].function}` on line "
            f"{attached[-1].line} returned one with a graph. It was cut on the way to backward.",
            telling="proven",
            where=where,
            fix="Keep the loss as a tensor: no `.item()`, `.detach()`, `float()` or `torch.tensor(loss)`.",
        )


def _terms(record: "Record") -> Iterator[Evidence]:
    """A loss function called in training without a graph, beside others that have one."""
    calls = loss_calls(record)
    loose = [call for call in calls if not call.requires_grad and call.value]
    if not loose or not any(call.requires_grad for call in calls):
        return
    counted = _part_of_total(record, loose[0])
    yield Evidence(
        f"`{loose[0].function}` has no graph in training"
        + (
            ", and its value is part of the loss: that term can never be learned."
            if counted
            else "; fine for a number that is only logged."
        ),
        telling="likely" if counted else "aside",
        where=at(loose[0]),
        numbers={"value": loose[0].value or 0.0},
        fix="Compute the term from outputs with a graph, if it is meant to be learned.",
    )


def _part_of_total(record: "Record", loose: "LossCall") -> bool:
    step = next((step for step in record.steps if step.n == loose.n), None)
    if step is None or step.loss is None or not loose.value or step.backwards != 1:
        return False
    others = sum(call.value or 0.0 for call in loss_calls(record) if call.n == loose.n and call.requires_grad)
    whole = others + loose.value
    return (
        others != 0
        and abs(step.loss - whole) < 1e-4 * abs(whole)
        and abs(step.loss - others) > 1e-3 * abs(whole)
    )


def stuck(answers: "Answers") -> Iterator[Evidence]:
    care, reach = answers.care, answers.reach
    if not care.connected:
        yield Evidence(
            f"The loss ({care.loss:.4g}) has no gradient path to the metric ({care.metric:.4g}): whatever "
            "the metric does, no parameter hears of it.",
            "proven",
            numbers={"loss": care.loss, "metric": care.metric, "slope": 0.0},
            fix="Compute the loss from the metric's tensor itself: look for detach, item, numpy, argmax or a "
            "comparison between the two.",
        )
    elif care.cares and not reach.moves and answers.path_is_cut:
        yield Evidence(
            f"The metric moves by {reach.redrawn:.1%} when the parameters are shaken, but its gradient by "
            f"them is {reach.promised:.2g}: the path from metric to parameters is cut or goes through a step "
            "(round, argmax).",
            "proven",
            numbers={"redrawn": reach.redrawn or 0.0, "promised": reach.promised},
            fix="Replace the step by a smooth stand-in, and keep the values as tensors until after backward.",
            confirmed_by=("strong perturbation of the parameters",),
        )
