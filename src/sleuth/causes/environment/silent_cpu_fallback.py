"""Work meant for an accelerator runs on the CPU, or tensors travel back and forth.

## What happens
The run is correct and many times too slow, and so it gets stopped early and judged as "does not
learn". The polite one-liner is the usual door:

```python
device = "cuda" if torch.cuda.is_available() else "cpu"     # and nobody is told which
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
  is chosen and never used; a tensor's `.to(...)` or `.cuda()` whose result is dropped.
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

from sleuth.facts.flow import possible
from sleuth.facts.interpreter.values import Call, External, Unknown, Value
from sleuth.facts.program import Program, clue
from sleuth.finding import Finding

_MAKES_TENSOR = re.compile(
    r"^torch\.(tensor|as_tensor|from_numpy|zeros|ones|rand|randn|randint|full|arange|linspace|eye|stack|cat)$"
)
# Objects of these libraries move in place.
_MOVE_IN_PLACE = re.compile(r"torch_geometric|transformers|accelerate|lightning|dgl")
_SHOWS = re.compile(r"\b(print|log\w*|info|warn\w*|debug|write|raise|assert)\b", re.IGNORECASE)


def lint(program: Program) -> Iterator[Finding]:
    text = program.source.text
    if "cuda" not in text and ".to(" not in text:
        return
    yield from _moved_and_dropped(program)
    if "is_available" in text and program.training.of("backward") and not program.training.framework:
        yield from _chosen_device(program)


def _moved_and_dropped(program: Program) -> Iterator[Finding]:
    """`x.to(device)` as a statement: a tensor's `to` returns a copy, and nobody takes it."""
    moves = [
        call
        for call in program.calls(".to", ".cuda")
        if all(_is_tensor(program, option) for option in possible(call.receiver)) and not _is_dtype(call)
    ]
    if not moves:
        return
    alone = {id(node.value) for node in ast.walk(program.source.tree) if isinstance(node, ast.Expr)}
    for call in moves:
        if call.node is not None and id(call.node) in alone:
            yield clue(
                "warning",
                call,
                f"`{ast.unparse(call.node)}` returns a moved copy that nobody takes: a tensor stays where it "
                "is (only a module moves in place).",
                fix="Assign the result: `x = x.to(device)`.",
            )


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


def _chosen_device(program: Program) -> Iterator[Finding]:
    for node in ast.walk(program.source.tree):
        if not (isinstance(node, ast.Assign) and _is_fallback(node.value)):
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name):
            continue
        place = Value(node, program.source)
        if not _is_read(program, target.id):
            if not any(True for _ in program.calls(".cuda", ".to")):
                yield clue(
                    "warning",
                    place,
                    f"`{target.id}` is chosen here and used nowhere: nothing is ever moved, so everything "
                    "runs on the CPU even where an accelerator is present.",
                    fix=f"Move the model and each batch with `.to({target.id})`.",
                )
        elif not any(
            _SHOWS.search(line) and re.search(rf"\b{target.id}\b", line) for line in program.source.lines
        ):
            yield clue(
                "note",
                place,
                f"`{target.id}` falls back to the CPU without a word: a run without accelerator looks like a "
                "slow one that does not learn.",
                fix="Print the device, or stop when the accelerator that was meant is missing.",
            )


def _is_fallback(value: ast.expr) -> bool:
    """`"cuda" if torch.cuda.is_available() else "cpu"`, alone or inside `torch.device(...)`."""
    choices = [part for part in ast.walk(value) if isinstance(part, ast.IfExp)]
    return (
        len(choices) == 1
        and "is_available" in ast.unparse(choices[0].test)
        and '"cpu"' in ast.unparse(choices[0]).replace("'", '"')
    )


def _is_read(program: Program, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(program.source.tree)
    ) or bool(re.search(rf"__all__.*{name}", program.source.text))
