"""The door of backward passes: the loss that is handed in, from which line, and how long it takes.

`Tensor.backward` is watched where it is looked up, not where it runs: the user's call goes straight to torch,
so no frame of Sleuth stands in a traceback.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import MethodType
from typing import Any

from sleuth.doors import of_torch
from sleuth.doors.patches import dressed
from sleuth.measure.grad_requests import read_request
from sleuth.watching import nonfinite, steps
from sleuth.watching.state import State

MOST_NODES = 4000  # of a graph counted; a growing graph shows long before


@dataclass(frozen=True, slots=True)
class Lookup:
    """Stands for a method: tells that it was looked up on an instance, and hands out the original."""

    original: Callable[..., Any]
    seen: Callable[[Any], None]

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        if tensor is None:
            return self.original
        self.seen(tensor)
        return MethodType(self.original, tensor)


def attach(state: State, patches: Any) -> None:
    import torch

    compiling = torch.compiler.is_compiling

    def seen(loss: Any) -> None:
        if state.off or state.paused or compiling():
            return
        try:
            began(state, loss)
        except Exception as error:
            state.give_up(error)

    of_torch.backward(patches, lambda original: Lookup(original, seen))

    _watch_module(state, patches, torch.autograd, seen)
    _watch_transforms(state, patches, seen)


def _watch_module(state: State, patches: Any, autograd: Any, seen: Callable[[Any], None]) -> None:
    """`torch.autograd.backward` and `.grad` as the user calls them; torch's own code gets the originals."""
    backward, grad, kind = autograd.backward, autograd.grad, type(autograd)

    def going_back(*args: Any, **kwargs: Any) -> Any:
        given = args[0] if args else kwargs.get("tensors")
        losses = [*given] if isinstance(given, (list, tuple)) else [given]
        if losses and losses[0] is not None:
            seen(losses[0])
        return backward(*args, **kwargs)

    def asking(*args: Any, **kwargs: Any) -> Any:
        if not state.optimizers and (loss := read_request(args, kwargs)) is not None:
            seen(loss)
        return grad(*args, **kwargs)

    watched_backward, watched_grad = dressed(going_back, backward), dressed(asking, grad)

    class Autograd(kind):  # type: ignore[valid-type, misc]
        @property
        def backward(self) -> Any:
            return backward if state.places.inside("torch", "_tensor.py") else watched_backward

        @property
        def grad(self) -> Any:
            return grad if state.places.inside("torch", "functional.py") else watched_grad

    autograd.__class__ = Autograd
    patches.undo.append(lambda: setattr(autograd, "__class__", kind))


def _watch_transforms(state: State, patches: Any, seen: Callable[[Any], None]) -> None:
    """`torch.func.grad` and `grad_and_value`: the value is known when the slopes are."""
    import torch
    from torch._C._functorch import is_functorch_wrapped_tensor
    from torch._functorch import apis, eager_transforms

    members = Members(seen)

    def watched(original: Any) -> Any:
        def grad_and_value_impl(func: Any, argnums: Any, has_aux: Any, args: Any, kwargs: Any) -> Any:
            result = original(func, argnums, has_aux, args, kwargs)
            value = result[1][0] if has_aux else result[1]
            if state.optimizers:
                return result
            # Inside another transform (one example of many, an inner loop) it is no step of its own.
            if is_functorch_wrapped_tensor(value):
                members.last = value
            else:
                members.alone = True
                seen(value)
            return result

        return grad_and_value_impl

    def watched_map(original: Any) -> Any:
        def vmap_impl(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if members.last is not None and not torch.compiler.is_compiling():
                members.ended()
            return result

        return vmap_impl

    patches.replace(eager_transforms, "grad_and_value_impl", watched)
    patches.replace(apis, "vmap_impl", watched_map)


@dataclass(slots=True)
class Members:
    """Slopes of many at once, `vmap(grad_and_value(error))`: the step of an ensemble, or only a look at
    single examples beside the step itself. They are steps from the second on, where nothing else does."""

    seen: Callable[[Any], None]
    last: Any = None  # the value of the innermost function, as its transform sees it
    alone: bool = False  # slopes were taken outside any map
    times: int = 0

    def ended(self) -> None:
        """A map came to its end; the outermost one counts."""
        from torch._C._functorch import get_unwrapped, is_functorch_wrapped_tensor, maybe_current_level

        if maybe_current_level() is not None:
            return
        value, self.last = self.last, None
        self.times += 1
        if self.alone or self.times == 1:
            return
        while is_functorch_wrapped_tensor(value):
            value = get_unwrapped(value)
        self.seen(value.detach().float().mean())


def began(state: State, loss: Any) -> None:
    """A backward pass is about to start from this tensor."""
    started = time.perf_counter()
    if not state.optimizers:
        steps.by_hand(state)
    place = state.event_here("backward", 0)
    window = state.window
    window.backwards += 1
    if state.presumed is not None:
        window.training, window.rows = state.presumed
        state.presumed = None
    if not state.backwards:
        state.begin_training()
    state.backwards += 1
    window.loss = _value(state, loss)
    window.loss_place = place
    window.called, window.called_known, window.factor = 0.0, False, None
    if window.loss is not None and not math.isfinite(window.loss) and not state.scale:
        nonfinite.bad_loss(state, loss)
    if window.measured:
        steps.look_for_left_overs(state)
    if window.measured:
        _time(state, loss)
        state.norms_s += time.perf_counter() - started
    if window.sampled and loss.grad_fn is not None:
        counted = time.perf_counter()
        window.graph = nodes(loss.grad_fn)
        state.told.setdefault("graph", window.graph)
        state.layers_s += time.perf_counter() - counted
    state.own_s += time.perf_counter() - started


def _value(state: State, loss: Any) -> float | None:
    if loss.numel() != 1:
        return None
    value = float(loss.item())
    return value / state.scale if state.scale else value


def _time(state: State, loss: Any) -> None:
    """Have the engine say when it starts and when it is done."""
    import torch

    if loss.grad_fn is None:
        return
    engine = torch.autograd.Variable._execution_engine
    window = state.window

    def start(grads: Any) -> None:
        began_at = time.perf_counter()

        def done() -> None:
            window.backward_s += time.perf_counter() - began_at

        engine.queue_callback(done)
        handle.remove()

    handle = loss.grad_fn.register_prehook(start)


def nodes(node: Any) -> int:
    """The size of the graph behind a loss, counted up to a bound."""
    seen = {node}
    front = [node]
    while front and len(seen) < MOST_NODES:
        for following, _ in front.pop().next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                front.append(following)
    return len(seen)
