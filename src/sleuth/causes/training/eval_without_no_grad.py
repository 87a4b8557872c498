"""Evaluation records graphs that are never used, at the price of memory and time.

## What happens
`model.eval()` changes how layers behave; it does not switch gradient recording off. Evaluate
without `no_grad` and each forward pass keeps the activations for a backward pass that never comes.
The results are right. The bill is memory: as much as a training step's forward pass, so the batch
size you doubled "because evaluation is cheap" does not fit.

It becomes a leak when a tensor outlives its batch. `val_loss += loss` or
`outputs.append(model(x))` keeps the graph of *every* batch alive until the end of the loop, and
memory climbs in a straight line over the validation set. The typical report: training runs for an
hour and dies out of memory in the first evaluation.

There is one way in which it harms results: if evaluation code calls `backward()` (a saliency map,
a gradient penalty logged for interest), gradients add up in the parameters and the next training
step applies them unless it clears first.

```python
model.eval()
for x, y in val_loader:
    val_loss += criterion(model(x), y)        # a graph per batch, all kept
```

## How to tell
- **lint**: a loop over validation or test data that calls the model outside `no_grad` and
  `inference_mode`, with no `backward()`; severe if a raw loss or output is summed or stored.
- **watch**: forward calls in eval mode whose outputs have a `grad_fn` and are never used by a
  backward pass; memory that rises during evaluation and falls after it.
- **refuted by**: `torch.is_grad_enabled()` is False inside the evaluation loop.

## How to fix
```python
@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    total = sum(criterion(model(x), y).item() * len(y) for x, y in loader)
    return total / len(loader.dataset)
```
Use `no_grad` instead of `inference_mode` if the outputs enter a later gradient computation. Keep
recording on when evaluation needs derivatives: adversarial attacks, forces from an energy model,
physics residuals, influence scores. A frozen model whose inputs need no gradient records nothing
anyway.

## Often mistaken for
- `train-mode-eval`: the other switch; it changes the numbers, this one changes the cost.
- `memory-growth`: the symptom; growth during evaluation only points here.
- `loss-not-reset`: the same accumulation of graphs, in the training loop.

## Sources
- pytorch-autograd: "Evaluation Mode"; eval is independent of no-grad and inference mode.
- pytorch-faq: "My model reports cuda runtime error(2): out of memory", on history kept by a sum.
- pytorch-tuning: "Disable gradient calculation for validation or inference".
"""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, needed
from sleuth.source.edits import Edits, around, imported, statement_of, wrapped
from sleuth.source.flow import possible
from sleuth.source.interpreter.values import Call, Instance
from sleuth.source.program import Program, clue, line_of
from sleuth.source.topics.gradients import SHAPE_ONLY, is_cut, trained_by
from sleuth.source.topics.modes import (
    descendants,
    forwards,
    identity,
    judged_by,
    last_mode,
    same_module,
    users,
)
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Record

IS_AN_ABSENCE = True
GIVES_WAY_TO = "anything"
LOOKS_LIKE = {"steps take longer and longer": "rarely"}


# Evaluation that needs derivatives: attacks, forces, residuals, saliency.
_DERIVATIVES = Pattern(
    r"autograd\.grad|requires_grad|\.grad\b|functorch|torch\.func|jacobian|hessian|vjp|jvp"
)
# In the file of a library that may hold anything, only what asks for them itself counts.
_TAKES_DERIVATIVES = Pattern(r"autograd\.grad\(|functorch|torch\.func|jacobian|hessian|vjp|jvp")
_RECORDING = Pattern(r"no_grad|inference_mode|set_grad_enabled|enable_grad")


def lint(program: Program) -> Iterator[Evidence]:
    if program.training.framework or _DERIVATIVES.search(program.source.text):
        return
    learning = [call for _, applied in trained_by(program) for call in applied]
    reached = {id(call) for call in learning}
    for call in _applied(program):
        if not call.context.grad or id(call) in reached or not call.context.loops:
            continue
        if _differentiates(call) or _perhaps_switched_off(call):
            continue
        mode = last_mode(program, call, call.receiver)
        if mode is None or mode.kind != "eval" or not _still_running(mode.call, call):
            continue
        hoarded = _hoarded(program, call)
        if _backward_near(program, call) or (judged_by(program, call) is None and hoarded is None):
            continue
        trained_here = any(same_module(call.receiver, other.receiver) for other in learning)
        if not trained_here and _RECORDING.search(program.source.text):
            continue
        message = (
            "The model is in eval mode, but gradient recording is on: each batch builds a graph that is "
            "never used"
        )
        if hoarded is not None:
            message += f", and {line_of(hoarded, call)} keeps every one of them alive until the loop ends"
        yield clue(
            # a function that nobody here calls may be called inside a scope
            "likely" if trained_here or _called_from_here(call) else "open",
            call,
            message + ".",
            fix="Wrap the evaluation in `with torch.no_grad():` (or decorate it with "
            "`@torch.inference_mode()`).",
            edits=_without_recording(call),
        )


def _differentiates(call: Call) -> bool:
    """The model, or code beside the evaluation, takes derivatives by itself: without a graph it fails."""
    made = [option.cls.source for option in possible(call.receiver) if isinstance(option, Instance)]
    sources = {source for source in (call.context.source, *made) if source is not None}
    return any(_TAKES_DERIVATIVES.search(source.text) for source in sources)


# What decorators of other libraries do is known well enough; torch's own are seen in the context.
_LEAVES_GRADIENTS = Pattern(
    r"^(torch|functools|contextlib|abc|typing|hydra|click|typer|pytest|unittest|ray|wandb|beartype|jaxtyping|"
    r"staticmethod|classmethod|property|lru_cache|cache|wraps|override|overload|abstractmethod|record|"
    r"contextmanager|jit|njit|app|cli|main)\b"
)


def _perhaps_switched_off(call: Call) -> bool:
    """A function on the way has a decorator of unknown make, which may switch recording off."""
    functions = (call.context.function, *(site.context.function for site in call.context.sites))
    return any(
        not _LEAVES_GRADIENTS.search(ast.unparse(decorator))
        for function in functions
        for decorator in getattr(function, "decorator_list", ())
    )


def _without_recording(call: Call) -> Edits:
    """The loop of the evaluation (or, in a helper, the statement) put under `torch.no_grad()`."""
    source = call.context.source
    inner = list(around(call.node, source))
    loop = next((node for node in inner if node is call.context.loops[-1].node), None)
    statement = loop if isinstance(loop, ast.stmt) else statement_of(call.node, source)
    wrap = wrapped(statement, source, "with torch.no_grad():", safe=True)
    return (*wrap, *imported("torch", source, safe=True)) if wrap else ()


def _applied(program: Program) -> Iterator[Call]:
    """The applications of models, among them objects made in unknown ways that have a mode."""
    known = {id(call) for call in forwards(program)}
    with_mode = {
        identity(option) for event in program.training.of("eval", "train") for option in possible(event.about)
    }
    for call in program.calls("()"):
        if id(call) in known or (isinstance(call.receiver, Call) and identity(call.receiver) in with_mode):
            yield call


def _still_running(mode: Call, call: Call) -> bool:
    """Whether the mode was set in the function of the call, or in one that (indirectly) called it."""
    if mode.context.function is call.context.function:
        return True
    callers = call.context.sites[: len(mode.context.sites)]
    return len(callers) == len(mode.context.sites) and all(
        one is other for one, other in zip(callers, mode.context.sites, strict=True)
    )


def _called_from_here(call: Call) -> bool:
    """The whole way to a call is known: it starts at module level, not in a function that nobody calls."""
    sites = call.context.sites
    return not sites or isinstance(sites[0].node, ast.Call)


def _backward_near(program: Program, call: Call) -> bool:
    """A backward call in the same loop, or one that this output reaches: not a mere evaluation."""
    if any(event.inside(call.context.loops[-1]) for event in program.training.of("backward")):
        return True
    return any(after.op in (".backward", "torch.autograd.backward") for after in descendants(program, call))


def _hoarded(program: Program, call: Call) -> Call | None:
    """Where the output, or what is computed from it with its graph, is stored or summed up over the loop."""
    frontier: list[Call] = [call]
    seen = {id(call)}
    while frontier and len(seen) < 40:
        value = frontier.pop(0)
        for user in users(program).get(id(value), ()):
            if user.op in ("+=", ".append"):
                if any(option is value for given in user.args for option in possible(given)):
                    return user
            elif id(user) not in seen and _keeps_graph(user):
                seen.add(id(user))
                frontier.append(user)
    return None


def _keeps_graph(user: Call) -> bool:
    """A tensor made from tensors, history included; sizes, indices and plain numbers are not."""
    return (
        user.context.grad
        and user.op not in SHAPE_ONLY
        and not is_cut(user)
        and user.op != "def"
        and (user.op in ("()", "[]", "+", "-", "*", "/", "@") or user.op.startswith(("torch.", ".")))
    )


CALLS = 3  # forward passes; a single look at an output is no evaluation


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Evaluation

    passes = needed(record.of(Evaluation), "evaluation passes")
    graphs = [seen for seen in passes if seen.gradients and not seen.training and seen.calls >= CALLS]
    if graphs:
        seen = graphs[0]
        yield Evidence(
            f"{sum(entry.calls for entry in graphs)} evaluation calls built graphs that no backward used "
            f"(first after step {seen.n}): the results are right, but time and memory are wasted.",
            telling="open",
            where=at(seen),
            numbers={"passes": len(graphs), "calls": sum(entry.calls for entry in graphs)},
            fix="Wrap the evaluation in `with torch.no_grad():`.",
        )
