"""A try/except around training code hides failures, and the loop goes on without them.

## What happens
Batches fail without a warning. A handler written against one corrupt image or an occasional
out-of-memory also catches the shape error in your new head, the index out of range in the labels,
the "element 0 of tensors does not require grad". If every batch fails, the epoch takes a second
and the loss prints as 0 or as its last value. If some fail, it is worse: the survivors are not a
random sample. Long sequences run out of memory, rare classes have the broken files, so the model
is trained on what is short and common.

State is the other victim. An exception between `backward()` and `zero_grad()` leaves a gradient
that the next step applies; one between two optimizers updates half a GAN.

Datasets do it too: a `__getitem__` that catches everything and returns a neighbour, zeros, or None
for a `collate_fn` to filter. In scikit-learn a search with its default `error_score` turns a
failed fit into NaN and a warning.

```python
for x, y in loader:
    try:
        train_step(model, optimizer, x, y)
    except Exception:
        continue                      # which exception? how many times?
```

## How to tell
- **lint**: a bare `except`, `except Exception`, `except RuntimeError` or `contextlib.suppress`
  around a forward pass, `backward()`, `step()` or a dataset's item, whose body neither re-raises
  nor counts. Narrow handlers (`StopIteration`, `KeyboardInterrupt`, `OverflowError` around `exp`
  for a perplexity) are fine.
- **refuted by**: deleting the handler, or adding `raise` to it, and a run that completes.

## How to fix
Catch what you expect, around as little as possible, count it, and stop when it is not rare.

```python
try:
    loss = train_step(model, optimizer, x, y)
except torch.OutOfMemoryError:
    skipped += 1
    optimizer.zero_grad()
if skipped > 0.01 * len(loader):
    raise RuntimeError(f"{skipped} batches skipped")
```
Filter broken files once, beforehand, and keep the list. In searches use `error_score="raise"`
while developing. A broad handler at the outermost level that saves a checkpoint and re-raises is
good.

## Often mistaken for
- `update-skipped`: the optimizer declined to act; here it was never reached.
- `too-little-data`: the data exist, and the handler throws them away.
- `missing-step`: no parameter moves in either; remove the handler and see what it hid.

## Sources
- python-errors: "Handling Exceptions"; name the types you mean, let the unexpected ones through.
- sklearn-gridsearch: parameter `error_score`; a fit that raises is scored as NaN by default.
"""

import ast
import re
from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.source import torch_api
from sleuth.source.edits import Edits
from sleuth.source.flow import class_name
from sleuth.source.interpreter.values import Call, Class, Context, External, Function, Loop, Value
from sleuth.source.loop import Event
from sleuth.source.program import Program, clue, rewrite
from sleuth.source.word_search import Pattern

_BROAD = frozenset({"Exception", "BaseException", "RuntimeError", "ValueError"})
_VERY_BROAD = frozenset({"Exception", "BaseException"})
_MODEL = Pattern(r"(model|net|network|policy|encoder|decoder|generator|critic|actor)$", re.IGNORECASE)
_SPEAKS = Pattern(
    r"print|log|warn|info|debug|error|exception|write|traceback|format_exc|echo|critical", re.IGNORECASE
)

NEEDS = "except suppress"


def lint(program: Program) -> Iterator[Evidence]:
    judged: set[int] = set()
    trains = bool(program.training.of("step"))  # backward alone is a test, a benchmark, a saliency map
    events = [*program.training.of("step", "backward", "forward"), *_foreign(program)] if trains else []
    for event in sorted(events, key=lambda event: event.kind != "step"):
        for attempt in event.call.context.tries:
            if id(attempt) not in judged and _belongs_to_training(program, event):
                judged.add(id(attempt))
                yield from _judge(event, attempt)
        yield from _suppressed(event)
    for cls in program.classes:
        yield from _datasets(program, cls)


def _foreign(program: Program) -> Iterator[Event]:
    """Forward passes of a model that is defined elsewhere."""
    for call in program.calls("()"):
        if call.context.tries and isinstance(call.node, ast.Call) and not torch_api.is_module(call.receiver):
            if _MODEL.search(ast.unparse(call.node.func)):
                yield Event("forward", call, call.receiver)


def _belongs_to_training(program: Program, event: Event) -> bool:
    """A forward pass counts when gradients are recorded and the loop around it trains."""
    if event.kind != "forward":
        return True
    loops = event.call.context.loops
    return event.call.context.grad and any(
        backward.inside(loop) for loop in loops for backward in program.training.of("backward")
    )


def _judge(event: Event, attempt: ast.Try) -> Iterator[Evidence]:
    repeats = _goes_round(event.call.context, attempt)
    for handler in attempt.handlers:
        caught = _caught(handler)
        if caught.isdisjoint(_BROAD) or not _swallows(handler):
            continue
        mute = not any(map(_speaks, handler.body))
        leaves = isinstance(handler.body[-1], ast.Return | ast.Break)
        if not repeats and (event.kind != "step" or not mute):
            continue  # one failure ends the run, and it is told or concerns less than an update
        if leaves and not mute:
            continue  # said what happened, and stopped
        certain = mute and repeats and not leaves and not caught.isdisjoint(_VERY_BROAD)
        yield clue(
            "proven" if certain else "likely",
            Value(handler, event.call.source),
            f"`{_title(handler)}` around the {_what(event)} on line {event.line} "
            + ("hides every failure of it" if mute else "continues after any failure")
            + ": batches that break are dropped and training continues without them.",
            fix="Catch only the exception you expect, count it, and let all others through.",
            edits=_let_through(handler, event),
        )


def _let_through(handler: ast.ExceptHandler, event: Event) -> Edits:
    """`raise` in the place of a lone `pass` or `continue`. Not safe: a run that limped on will stop."""
    alone = len(handler.body) == 1 and isinstance(handler.body[0], ast.Pass | ast.Continue)
    return rewrite(handler.body[0], event.call.source, "raise", safe=False) if alone else ()


def _what(event: Event) -> str:
    return {"backward": "backward pass", "step": "optimizer step"}.get(event.kind, "forward pass")


def _title(handler: ast.ExceptHandler) -> str:
    return f"except {ast.unparse(handler.type)}" if handler.type else "except"


def _caught(handler: ast.ExceptHandler) -> set[str]:
    """Names of the classes caught; a bare `except` catches BaseException."""
    if handler.type is None:
        return {"BaseException"}
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(kind).rpartition(".")[2] for kind in kinds}


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether the handler does nothing about the failure, apart from saying so."""
    return all(_is_idle(part) or _speaks(part) or _tidies(part) for part in handler.body)


_TIDYING = ("torch.cuda.empty_cache", "gc.collect", "torch.mps.empty_cache")


def _tidies(statement: ast.stmt) -> bool:
    """Makes room, or clears what a broken pass left behind; the failure itself is not looked at."""
    if isinstance(statement, ast.Delete):
        return True
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    called = ast.unparse(statement.value.func)
    return called in _TIDYING or called.endswith(".zero_grad")


def _is_idle(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is None or isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass | ast.Continue | ast.Break)


def _speaks(statement: ast.stmt) -> bool:
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    return bool(_SPEAKS.search(ast.unparse(statement.value.func)))


def _goes_round(context: Context, attempt: ast.Try) -> bool:
    """Whether the try stands inside the loop over batches, so that the next one follows a failure.

    A try around a whole training loop (one setting of a sweep, say) is left to its author.
    """
    if not context.loops:
        return False
    loop, depth = context.loops[-1], _depth(context, attempt)
    level = _depth(context, loop.node)
    return level < depth or (level == depth and _contains(loop, attempt))


def _contains(loop: Loop, attempt: ast.Try) -> bool:
    return any(node is attempt for node in ast.walk(loop.node))


def _depth(context: Context, node: ast.AST) -> int:
    """In which of the functions that led here (0: module level) a statement stands."""
    found = 0
    for place, site in enumerate(context.sites, 1):
        definition = site.receiver.definition if isinstance(site.receiver, Function) else None
        if definition is not None and any(inner is node for inner in ast.walk(definition)):
            found = place
    return found


def _suppressed(event: Event) -> Iterator[Evidence]:
    """`with contextlib.suppress(Exception):` around a backward pass or a step."""
    if event.kind == "forward":
        return
    for manager in event.call.context.managers:
        if isinstance(manager, Call) and manager.op == "contextlib.suppress":
            names = {part.name.rpartition(".")[2] for part in manager.args if isinstance(part, External)}
            if not names.isdisjoint(_VERY_BROAD):
                yield clue(
                    "proven",
                    manager,
                    f"`suppress` hides every failure of the {_what(event)} on line {event.line}.",
                    fix="Suppress only the exception you expect, and count it.",
                )


def _datasets(program: Program, cls: Class) -> Iterator[Evidence]:
    """A dataset that quietly serves something else when an example cannot be read."""
    if not any("Dataset" in class_name(base) or "Dataset" in getattr(base, "name", "") for base in cls.bases):
        return
    member = cls.members.get("__getitem__")
    definition = member.definition if isinstance(member, Function) else None
    for attempt in ast.walk(definition) if definition is not None else ():
        for handler in attempt.handlers if isinstance(attempt, ast.Try) else ():
            mute = all(
                isinstance(statement, ast.Pass | ast.Return | ast.Continue) for statement in handler.body
            )
            if mute and not _caught(handler).isdisjoint(_VERY_BROAD):
                yield clue(
                    "likely",
                    Value(handler, cls.source),
                    f"`{_title(handler)}` in `{cls.name}.__getitem__` returns something else for every "
                    "example that fails to load, whatever the reason, without a warning.",
                    fix="Catch only read errors, count them, and remove broken files once, beforehand.",
                )
