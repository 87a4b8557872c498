"""The door of model calls: root calls, their inputs and outputs, and activations on sampled steps."""

import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from sleuth.watching import activations, models, modes, passes
from sleuth.watching.models import Births
from sleuth.watching.rows import fingerprint, hashes
from sleuth.watching.state import EVALUATING, Forward, State
from sleuth.watching.tensors import describe, first_tensor, tensors

FIRST_BATCHES = 6  # of each model and phase described in full
MOST_PENDING = 256


@dataclass(slots=True)
class Calls:
    """The root call under way."""

    state: State
    births: Births
    root: Any = None
    started: float = 0.0
    random: Any = None
    plain: dict[int, Any] = field(default_factory=dict)  # modules without parameters: losses, activations


def attach(state: State, patches: Any, births: Births) -> Calls:
    import torch
    from torch.nn.modules import module as door

    calls = Calls(state, births)
    compiling = torch.compiler.is_compiling

    def before(module: Any, args: Any) -> None:
        if compiling() or (calls.root is not None and calls.root is not module) or state.off or state.paused:
            return
        if _is_plain(calls, module):
            return
        calls.root = module
        calls.random = torch.get_rng_state() if module.training and _is_modal(state, module) else None
        calls.started = time.perf_counter()

    def after(module: Any, args: Any, kwargs: Any, output: Any) -> None:
        if compiling() or state.off or state.paused:
            return
        if module is calls.root:
            calls.root = None
            try:
                _root_ended(calls, module, args, kwargs, output)
            except Exception as error:
                state.give_up(error)
        elif state.window.sampled and calls.root is not None and torch.is_grad_enabled():
            try:
                activations.seen(state, models.known(state, births, calls.root), module, output)
            except Exception as error:
                state.give_up(error)

    patches.undo.append(door.register_module_forward_pre_hook(before).remove)
    patches.undo.append(door.register_module_forward_hook(after, with_kwargs=True).remove)
    return calls


def _is_plain(calls: Calls, module: Any) -> bool:
    """No parameters below: a loss or an activation called on its own, not a model."""
    seen = calls.plain.get(id(module))
    if seen is not None and seen() is module:
        return True
    if id(module) in calls.state.models or next(module.parameters(), None) is not None:
        return False
    calls.plain[id(module)] = weakref.ref(module)
    return True


def _is_modal(state: State, module: Any) -> bool:
    entry = state.models.get(id(module))
    return entry is None or entry.modal


def _root_ended(calls: Calls, module: Any, args: Any, kwargs: Any, output: Any) -> None:
    import torch

    state = calls.state
    now = time.perf_counter()
    state.window.forward_s += now - calls.started
    entry = models.known(state, calls.births, module)
    gradients = torch.is_grad_enabled()
    place = state.places.here()
    if not entry.told:
        models.tell(state, calls.births, entry)
        state.event("make_model", entry.id, entry.made[1])
    state.event("forward" if gradients else "no_grad", entry.id, place[1])
    main = first_tensor(args, kwargs)
    forward = Forward(
        model=entry,
        n=state.n,
        place=place,
        caller=0,
        training=bool(module.training),
        gradients=gradients,
        rows=int(main.shape[0]) if main is not None else 0,
        loader=state.loader,
        pass_number=state.pass_number,
    )
    state.pending.append(forward)
    connected = gradients and _follow(state, forward, output)
    state.evaluating = not connected
    if connected:
        last = state.last
        last.module, last.entry, last.random = weakref.ref(module), entry, calls.random
        last.args, last.kwargs, last.output_gradient = args, kwargs, None
    if state.loads:
        modes.tell_loads(state)
    if main is not None:
        _look(calls, forward, main, args, kwargs, output, connected)
    spent = time.perf_counter() - now
    state.own_s += spent
    if len(state.pending) > MOST_PENDING:
        passes.settle(state, older_than=state.n)


def _follow(state: State, forward: Forward, output: Any) -> bool:
    """Let the graph tell when a backward pass reaches this output. True if it has a graph at all."""
    import torch

    connected = False
    found = (("0", output),) if isinstance(output, torch.Tensor) else tensors(output)
    for count, (_, tensor) in enumerate(found):
        if tensor.grad_fn is not None and count < 4:
            tensor.grad_fn.register_prehook(lambda grads: _reached(state, forward, grads))
            connected = True
    return connected


def _reached(state: State, forward: Forward, gradients: Any) -> None:
    if gradients and gradients[0] is not None:
        state.last.output_gradient = gradients[0]
    forward.reached = True
    forward.model.trained = True
    window = state.window
    window.training, window.rows = forward.training, forward.rows
    if forward.hashes is not None and not window.batch:
        window.batch = fingerprint(forward.hashes)


def _look(
    calls: Calls, forward: Forward, main: Any, args: Any, kwargs: Any, output: Any, connected: bool
) -> None:
    """Rows, statistics and predictions, as far as the budget goes."""
    state = calls.state
    started = time.perf_counter()
    evaluating = not connected
    affordable = state.deep or state.affords(state.evaluating_s, EVALUATING)
    if (evaluating and affordable) or (connected and state.window.measured):
        forward.hashes = _hashes(main)
        forward.inputs_at = passes.stores(args, kwargs)
        forward.outputs_at = passes.stores((output,), {})
    if evaluating:
        forward.caller = state.places.caller_line()
        if affordable:
            passes.predictions(state, forward, output)
        state.evaluating_s += time.perf_counter() - started
    else:
        state.norms_s += time.perf_counter() - started
    key = ("batch", forward.model.id, connected, forward.training)
    if state.seldom(key, FIRST_BATCHES) or (state.window.sampled and state.deep and state.n % 10 == 0):
        began = time.perf_counter()
        forward.values = tuple(
            describe(path, tensor, "input") for path, tensor in _named(args, kwargs) if tensor.dim()
        )
        if forward.hashes is not None and forward.loader is not None and connected:
            forward.repeated = state.rows.repeated(forward.hashes)
        state.layers_s += time.perf_counter() - began


def _hashes(main: Any) -> Any:
    if main.grad_fn is not None:
        return None  # what another module made is no row of the data
    try:
        return hashes(main) if not main.is_sparse else None
    except (RuntimeError, KeyError):  # a kind of tensor that has no bits to look at
        return None


def _named(args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    found = [*tensors(args), *tensors(kwargs)]
    return [(path, tensor) for path, tensor in found if tensor.numel()][:8]
