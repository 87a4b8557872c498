"""Work meant for an accelerator runs on the CPU, or tensors travel back and forth.

## What happens
The run is correct and many times too slow, and so it gets stopped early and judged as "does not
learn". The polite one-liner is the usual door:

```python
device = "cuda" if torch.cuda.is_available() else "cpu"     # and nothing says which
```

It picks the CPU when a CPU-only build was installed (then `torch.version.cuda` is None), when the
driver is too old, when the container got no GPU, or when `CUDA_VISIBLE_DEVICES` is empty. On Apple
machines `PYTORCH_ENABLE_MPS_FALLBACK=1` sends single unsupported operations to the CPU, each with a
copy there and back.

Half-way forms: `x.to(device)` without assignment does nothing to `x` (a *module's* `.to` works in
place, a tensor's does not), which raises an error as soon as the model is on the GPU, and stays
silent if the model was forgotten as well. A layer that calls `.cpu().numpy()` in `forward`
computes on the host and, worse, cuts the graph. `.item()`, `print(loss)` and `if loss > best:` in
every step make the GPU wait for the host. And a starved GPU looks the same: loading and
augmentation are simply slower.

## How to tell
- **lint**: a device chosen with a silent `else "cpu"` (common and legal, so a note); a device that
  is chosen and at most printed; a `forward` that computes on the CPU and moves back; a tensor's
  `.to(...)` or `.cuda()` whose result is dropped.
- **watch**: parameters or inputs on the CPU although an accelerator is visible; copies between
  devices in every step; most of the step time spent outside forward and backward.
- **refuted by**: `next(model.parameters()).device` and the batch's device are the accelerator, and
  it is busy.

## How to fix
Say where you run, and make the fallback a decision.

```python
device = torch.device(args.device)                    # "cuda" unless asked otherwise
if device.type == "cuda" and not torch.cuda.is_available():
    raise SystemExit("no GPU visible; pass --device cpu to run anyway")
model.to(device)
x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
```

Read scalars back every hundred steps, not every step. On small models the CPU may well be faster,
and a CPU run for a test is fine: only the silence is the defect.

## Often mistaken for
- `throughput-decay`: starts fast and becomes slow; a fallback is slow from the start.
- `undertrained`: what the slow run looks like when time, not steps, is the budget.
- `detached-graph`: the same `.cpu().numpy()` seen from autograd's side, and the graver finding.

## Sources
- pytorch-tuning: "Avoid unnecessary CPU-GPU synchronization" and creating tensors on the target
  device.
- pytorch-mps-env: the table entry for `PYTORCH_ENABLE_MPS_FALLBACK`.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record.questions import at, needed
from sleuth.source.flow import ancestry, literal, possible
from sleuth.source.interpreter.values import Call, External, Unknown, Value
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.modules import module_around
from sleuth.source.word_search import Pattern

if TYPE_CHECKING:
    from sleuth.record.entries import Record

_MAKES_TENSOR = Pattern(
    r"^torch\.(tensor|as_tensor|from_numpy|zeros|ones|rand|randn|randint|full|arange|linspace|eye|stack|cat)$"
)
# Objects of these libraries move in place.
_MOVE_IN_PLACE = Pattern(r"torch_geometric|transformers|accelerate|lightning|dgl")
_SHOWS = Pattern(r"\b(print|log\w*|info|warn\w*|debug|write|raise|assert)\b", re.IGNORECASE)


# What puts tensors on a device without a `.to` of their own.
_MOVES_ALL = ("torch.set_default_device", "torch.set_default_tensor_type", "torch.cuda.set_device")
_TO_CPU = (".cpu", ".to")
_CUTS = frozenset({".detach", "@data"})  # no gradients go this way: bookkeeping
_WANTS_CPU = Pattern(r"pack_padded_sequence|numpy|scipy|sklearn|linear_sum_assignment|item|tolist")

NEEDS = "cuda device .to( .cpu( mps"


def lint(program: Program) -> Iterator[Evidence]:
    text = program.source.text
    if "cuda" not in text and ".to(" not in text:
        return
    yield from _moved_and_dropped(program)
    yield from _there_and_back(program)
    if "is_available" in text and program.training.of("backward") and not program.training.framework:
        yield from _chosen_device(program)


def _moved_and_dropped(program: Program) -> Iterator[Evidence]:
    """`x.to(device)` as a statement: a tensor's `to` returns a copy, and nobody takes it."""
    moves = [
        call
        for call in program.calls(".to", ".cuda")
        if all(_is_tensor(program, option) for option in possible(call.receiver)) and not _is_dtype(call)
    ]
    if not moves:
        return
    alone = {id(node.value) for node in program.source.of(ast.Expr)}
    for call in moves:
        if call.node is not None and id(call.node) in alone:
            yield clue(
                "likely",
                call,
                f"`{ast.unparse(call.node)}` returns a moved copy that is not used: a tensor stays where "
                "it is (only a module moves in place).",
                fix="Assign the result: `x = x.to(device)`.",
            )


def _there_and_back(program: Program) -> Iterator[Evidence]:
    """A module that computes on the CPU in each forward pass and sends the result back."""
    seen: set[int] = set()
    for back in program.calls(".to", ".cuda"):
        if module_around(back) is None or not back.context.grad or _is_cpu(back) or _is_dtype(back):
            continue
        here = back.context.sites[-1]
        between = [value for value in ancestry(back.receiver, 40) if isinstance(value, Call)]
        between = [call for call in between if call.context.sites and call.context.sites[-1] is here]
        moved = [call for call in between if call.op in _TO_CPU and _is_cpu(call) and not call.context.arms]
        worked = [call for call in between if call not in moved and call.op.startswith(("torch.", "@"))]
        if not moved or not worked or moved[-1].node is None or id(moved[-1].node) in seen:
            continue
        if any(_WANTS_CPU.search(call.op) or call.op in _CUTS for call in between):
            continue
        seen.add(id(moved[-1].node))
        yield clue(
            "open",  # libraries offload on purpose, and the source does not say why
            moved[-1],
            "Each forward pass copies this to the CPU, computes there and copies the result back on line "
            f"{spot(back).line}: the accelerator waits, without any warning.",
            fix="Compute where the tensors are: remove the `.cpu()`.",
        )


def _is_cpu(call: Call) -> bool:
    if call.op == ".cpu":
        return True
    given = call.args[0] if call.args else call.keywords.get("device")
    made = (
        given
        if not isinstance(given, Call)
        else given.args[0]
        if given.op == "torch.device" and given.args
        else None
    )
    return literal(made) == "cpu"


def _is_tensor(program: Program, value: Value) -> bool:
    """Made by torch, or one of several parts of a loader's batch."""
    if not isinstance(value, Call):
        return False
    if _MAKES_TENSOR.match(value.op):
        return True
    is_part = value.op == "[]" and isinstance(value.node, ast.Tuple)
    batch = value.args[0] if is_part else None
    if not (isinstance(batch, Call) and batch.op == "next" and batch.args):
        return False
    return _is_loader(batch.args[0]) and not _MOVE_IN_PLACE.search(program.source.text)


def _is_loader(value: Value) -> bool:
    for option in possible(value):
        name = option.op if isinstance(option, Call) else option.name if isinstance(option, Unknown) else ""
        if re.search(r"DataLoader$|^@?\w*(loader|_dl)$", name):
            return True
    return False


def _is_dtype(call: Call) -> bool:
    given = (*call.args, *call.keywords.values())
    return "dtype" in call.keywords or any(
        isinstance(option, External) and option.name.startswith("torch.")
        for part in given
        for option in possible(part)
    )


def _chosen_device(program: Program) -> Iterator[Evidence]:
    tree = program.source.tree
    alone = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _is_fallback(node.value)]
    for node in (*alone, *_branched(tree)):
        name = _device_name(node.targets[0], tree)
        if not name:
            continue
        spot = Value(node, program.source)
        if not _is_put_to_use(program, name):
            if not any(True for _ in program.calls(".cuda", ".to", *_MOVES_ALL)):
                yield clue(
                    "likely",
                    spot,
                    f"`{name}` is chosen here and nothing is ever moved to it: everything "
                    "runs on the CPU even where an accelerator is present.",
                    fix=f"Move the model and each batch with `.to({name})`.",
                )
        elif node in alone and not any(
            _SHOWS.search(line) and re.search(rf"\b{name}\b", line) for line in program.source.lines
        ):
            yield clue(
                "open",
                spot,
                f"`{name}` falls back to the CPU without a warning: a run without an accelerator is only "
                "slower, and goes unnoticed.",
                fix="Print the device, or stop when the accelerator is missing.",
            )


def _branched(tree: ast.Module) -> Iterator[ast.Assign]:
    """`if torch.cuda.is_available(): device = "cuda"`, with the other device in the else branch."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "is_available" in ast.unparse(node.test) and node.orelse:
            first = node.body[0]
            if isinstance(first, ast.Assign) and re.search(r"['\"](cuda|mps)", ast.unparse(first.value)):
                yield first


def _device_name(target: ast.expr, tree: ast.Module) -> str:
    """`device`, or `self.device` where no base class may use it."""
    if isinstance(target, ast.Name):
        return target.id
    derived = any(isinstance(node, ast.ClassDef) and node.bases for node in ast.walk(tree))
    return ast.unparse(target) if isinstance(target, ast.Attribute) and not derived else ""


def _is_fallback(value: ast.expr) -> bool:
    """`"cuda" if torch.cuda.is_available() else "cpu"`, alone or inside `torch.device(...)`."""
    choices = [part for part in ast.walk(value) if isinstance(part, ast.IfExp)]
    return (
        len(choices) == 1
        and "is_available" in ast.unparse(choices[0].test)
        and '"cpu"' in ast.unparse(choices[0]).replace("'", '"')
    )


def _is_put_to_use(program: Program, name: str) -> bool:
    """Whether the device goes anywhere but into what people read: prints, logs, names of runs."""
    if re.search(rf"__all__.*{name}", program.source.text):
        return True
    wanted = ast.dump(ast.parse(name, mode="eval").body)
    shown: set[int] = set()
    for node in program.source.nodes:
        # a comparison is a question: `if device.type == "cpu": warn(...)`
        if isinstance(node, ast.JoinedStr | ast.Compare) or (
            isinstance(node, ast.Call) and _only_shows(node.func)
        ):
            shown |= {id(inner) for inner in ast.walk(node)}
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and id(node) not in shown
        and ast.dump(node) == wanted
        for node in program.source.nodes
    )


def _only_shows(func: ast.expr) -> bool:
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return bool(re.fullmatch(r"print|info|debug|warn|warning|log|format|get_device_name", name))


def watch(record: "Record") -> Iterator[Evidence]:
    from sleuth.record.entries import Model, Run

    needed(record.of(Run), "description of the machine")
    if not record.run.accelerator:
        return
    models = [model for model in record.of(Model) if model.devices and model.parameters]
    for model in models:
        if set(model.devices) == {"cpu"}:
            yield Evidence(
                f"{model.type} runs on the CPU although an accelerator is available: the results are "
                "right, but slow.",
                telling="likely",
                where=at(model),
                fix='Move model and batches: `device = torch.device("cuda")`, `model.to(device)`.',
            )
            return
        if "cpu" in model.devices:
            yield Evidence(
                f"{model.type} is on {', '.join(model.devices)}: tensors are copied between devices in "
                "each step.",
                telling="open",
                where=at(model),
                fix="Put all of the model on one device, unless it does not fit.",
            )
