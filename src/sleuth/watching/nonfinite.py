"""The first non-finite value: its step is played again, and the operation that made it is named."""

import time
from dataclasses import dataclass, field
from typing import Any

from sleuth.record.entries import NonFinite, Values
from sleuth.watching.place import NOWHERE, Place
from sleuth.watching.state import State
from sleuth.watching.tensors import describe, tensors

# Operations that put infinities in on purpose, as masks do.
ON_PURPOSE = frozenset(
    "masked_fill masked_fill_ full full_like fill_ fill where new_full triu tril scalar_tensor".split()
)
SILENT = frozenset("empty empty_like empty_strided new_empty _to_copy copy_ clone detach view t".split())


@dataclass
class Last:
    """What a training forward was fed, to play it again: values without their graphs.

    The forward's own graph holds it, so it goes when the script drops the graph; the recorder does so only
    from the backward pass to the end of the step.
    """

    module: Any = None
    entry: Any = None
    args: Any = ()
    kwargs: Any = field(default_factory=dict)
    random: Any = None
    output_gradient: Any = None
    loss: tuple[str, Place, Any, Any, Any] | None = None  # the last loss call; tensors as weak references


@dataclass
class Culprit:
    """The operation that first gave a non-finite value from finite ones."""

    operation: str = ""
    place: Place = NOWHERE
    module: str = ""
    backward: bool = False
    inputs: tuple[Values, ...] = ()


def bad_loss(state: State, loss: Any) -> None:
    """The loss handed to backward is not finite."""
    if state.nonfinite_told:
        return
    state.nonfinite_told = True
    found = _in_weights(state) or _in_forward(state) or _in_loss(state, loss)
    _tell(state, "loss", found)


def bad_gradient(state: State) -> None:
    """The loss was finite and the gradient norm is not."""
    if state.nonfinite_told:
        return
    state.nonfinite_told = True
    _tell(state, "gradient", _in_backward(state))


def _tell(state: State, where: str, found: Culprit | None) -> None:
    if found is None:
        path, line = state.window.loss_place
        state.put(NonFinite(state.n, where, line=line, path=path))
        state.writer.flush()
        return
    state.put(
        NonFinite(
            n=state.n,
            where_seen=where,
            module=found.module,
            operation=found.operation,
            line=found.place[1],
            path=found.place[0],
            backward=found.backward,
            inputs=found.inputs,
            replayed=True,
        )
    )
    state.writer.flush()


def _in_weights(state: State) -> Culprit | None:
    """Weights that are broken already: an earlier update did it."""
    module = _module(state)
    if module is None:
        return None
    for name, part in module.named_parameters():
        if part.is_floating_point() and not _finite(part.detach()):
            path, line = state.window.loss_place
            return Culprit("weights", (path, line), name.rpartition(".")[0], True)
    return None


def _in_forward(state: State) -> Culprit | None:
    last = state.last()
    if last is None:
        return None
    for path, tensor in [*tensors(last.args), *tensors(last.kwargs)]:
        if tensor.is_floating_point() and not _finite(tensor):
            return Culprit("input", state.window.loss_place, "", False, (describe(path, tensor, "input"),))
    seen = _replay(state, backward=False)
    return seen.culprit if seen is not None else None


def _in_loss(state: State, loss: Any) -> Culprit | None:
    last = state.last()
    called = last.loss if last is not None else None
    if called is not None:
        name, place, scores, target, value = called[0], called[1], *(part() for part in called[2:])
        if value is None or not _finite(value.detach()):
            given = tuple(
                describe(path, part.detach(), role)
                for path, part, role in (("input", scores, "input"), ("target", target, "target"))
                if part is not None
            )
            return Culprit(name, place, "", False, given)
    return _in_graph(loss.grad_fn, state.window.loss_place)


def _in_graph(node: Any, place: Place) -> Culprit | None:
    """Behind a hand-written loss: the first saved value that is not finite, deepest first."""
    order: list[Any] = []
    seen = {node}
    front = [node] if node is not None else []
    while front and len(order) < 500:
        at = front.pop(0)
        order.append(at)
        for following, _ in at.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                front.append(following)
    for at in reversed(order):
        if reason := _poles(at):
            return Culprit(reason, place)
    return None


def _poles(node: Any) -> str:
    import torch

    name = type(node).__name__.removesuffix("0").removesuffix("Backward").lower()
    for attribute in ("_saved_self", "_saved_other", "_saved_result"):
        try:
            saved = getattr(node, attribute, None)
        except RuntimeError:  # already freed
            continue
        if not isinstance(saved, torch.Tensor) or not saved.is_floating_point():
            continue
        if attribute == "_saved_self" and name.startswith("log") and bool((saved <= 0).any()):
            return name
        if attribute == "_saved_other" and name == "div" and bool((saved == 0).any()):
            return name
        if attribute == "_saved_result" and not _finite(saved):
            return name
    return ""


def _in_backward(state: State) -> Culprit | None:
    last = state.last()
    if last is None:
        return None
    gradient = last.output_gradient
    if gradient is not None and not _finite(gradient):
        called = last.loss
        place = called[1] if called is not None else state.window.loss_place
        return Culprit(called[0] if called is not None else "loss", place, "", True)
    seen = _replay(state, backward=True)
    if seen is not None and seen.culprit is not None:
        culprit: Culprit = seen.culprit
        culprit.backward = True
        return culprit
    return None


def _module(state: State) -> Any:
    last = state.last()
    return last.module() if last is not None else None


def _finite(tensor: Any) -> bool:
    import torch

    return bool(torch.isfinite(tensor).all())


def _replay(state: State, backward: bool) -> Any:
    """Run the last training forward again in the same random state, and leave no trace."""
    import torch

    last, module = state.last(), _module(state)
    if last is None or module is None:
        return None
    started = time.perf_counter()
    # Buffers are swapped, not restored: writing to them would spoil the script's own backward pass.
    buffers = {name: part.detach().clone() for name, part in module.named_buffers()}
    watcher = _watcher(state, last.entry)
    state.paused = True
    try:
        with torch.random.fork_rng(devices=[]), torch.autograd.set_detect_anomaly(backward, check_nan=False):
            if last.random is not None:
                torch.set_rng_state(last.random)
            with torch.set_grad_enabled(backward), watcher:
                output = torch.func.functional_call(module, buffers, last.args, last.kwargs)
                if backward:
                    _pull(module, output, last.output_gradient, watcher)
    except Exception:  # whatever the script's own code does on a second call, it must not reach the script
        return None
    finally:
        state.paused = False
        state.own_s += time.perf_counter() - started
    return watcher


def _pull(module: Any, output: Any, gradient: Any, watcher: Any) -> None:
    import torch

    scores = next((part for _, part in tensors(output) if part.grad_fn is not None), None)
    wanted = [part for part in module.parameters() if part.requires_grad]
    if scores is None or gradient is None or not wanted:
        return
    watcher.culprit = watcher.infinite = None
    watcher.pulling = True
    torch.autograd.grad(scores, wanted, gradient, allow_unused=True)


def _watcher(state: State, entry: Any) -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    mode: Any = TorchDispatchMode

    class FirstBad(mode):  # type: ignore[misc]
        """Sees every operation, and keeps the first that made a non-finite value of finite ones."""

        culprit: Culprit | None = None
        infinite: Culprit | None = None
        pulling = False

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            if self.culprit is None:
                self.look(func, args, result)
            return result

        def look(self, func: Any, args: Any, result: Any) -> None:
            name = func.overloadpacket.__name__
            made = [part for _, part in tensors(result) if part.is_floating_point()]
            if name in SILENT or all(_finite(part) for part in made):
                return
            nan = any(bool(torch.isnan(part).any()) for part in made)
            given = [part for _, part in tensors(args) if part.is_floating_point()]
            clean = all(_finite(part) for part in given)
            if name in ON_PURPOSE or not (clean or nan):
                return
            found = self.describe(name, given)
            if nan or self.pulling:
                # An infinity made before it is the root, unless it was put there on purpose.
                self.culprit = self.infinite or found
            elif self.infinite is None:
                self.infinite = found

        def describe(self, name: str, given: list[Any]) -> Culprit:
            place, module = _forward_place(state, entry) if not self.pulling else _from_node(state)
            inputs = tuple(describe(str(number), part.detach()) for number, part in enumerate(given[:3]))
            return Culprit(name, place, module, False, inputs)

        def __exit__(self, *details: Any) -> None:
            self.culprit = self.culprit or self.infinite
            super().__exit__(*details)

    return FirstBad()


def _forward_place(state: State, entry: Any) -> tuple[Place, str]:
    """The user's line that is running, and the innermost module whose method runs."""
    import sys

    import torch

    frame: Any = sys._getframe(3)
    module = ""
    while frame is not None and not module:
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module) and id(owner) in entry.modules:
            module = entry.modules[id(owner)] or type(owner).__name__
        frame = frame.f_back
    return state.places.here(), module


def _from_node(state: State) -> tuple[Place, str]:
    """The line of the forward operation whose backward is running, as anomaly mode kept it."""
    import re

    import torch

    node: Any = torch._C._current_autograd_node()
    trace = node.metadata.get("traceback_", []) if node is not None else []
    place = NOWHERE
    for text in trace:
        if found := re.search(r'File "([^"]+)", line (\d+)', str(text)):
            name = state.places.known.get(found[1], "")
            place = (name, int(found[2])) if name else place
    return place, type(node).__name__ if node is not None else ""
