"""The door of model calls: root calls, their inputs and outputs, and activations on sampled steps."""

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MethodType
from typing import Any

from sleuth.doors import of_torch
from sleuth.doors.patches import dressed
from sleuth.record.entries import Overwritten
from sleuth.watching import activations, models, modes, passes, tokens
from sleuth.watching.models import COMPILED, Births
from sleuth.watching.nonfinite import Last
from sleuth.watching.place import Place
from sleuth.watching.rows import fingerprint, hashes
from sleuth.watching.state import EVALUATING, Forward, State
from sleuth.watching.tensors import describe, first_tensor, hands_off, tensors, without_graph

FIRST_BATCHES = 6  # of each model and phase described in full
MOST_PENDING = 256
OFTEN_ENOUGH = 8  # times in a row that a backward reached a call before it is presumed to
MOST_PLAIN = 1000  # modules without parameters remembered; scripts that make one a step have many


@dataclass(slots=True)
class Calls:
    """Whether a root call is under way."""

    state: State
    births: Births
    gradients: Callable[[], bool]  # whether they are enabled
    inside: bool = False
    sampled: Any = None  # the model, where its parts are looked at
    plain: dict[int, Any] = field(default_factory=dict)  # modules without parameters: losses, activations


@dataclass(frozen=True, slots=True)
class Door:
    """Stands for `Module.__call__`: a call from outside is watched, all below it go straight to torch but
    on sampled steps.

    Hooks would see the same, but with any of them torch takes a longer way through every module, which shows
    in tracebacks.
    """

    original: Callable[..., Any]
    watched: Callable[..., Any]
    part: Callable[..., Any]
    calls: Calls

    def __get__(self, module: Any, owner: Any = None) -> Any:
        if module is None:
            return self.original
        if not self.calls.inside:
            return MethodType(self.watched, module)
        return MethodType(self.original if self.calls.sampled is None else self.part, module)


def attach(state: State, patches: Any, births: Births) -> None:
    import torch

    calls, untouchable = Calls(state, births, torch.is_grad_enabled), hands_off()
    original = vars(torch.nn.Module)["__call__"]

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        if state.off or state.paused or untouchable() or _is_plain(calls, self):
            return original(self, *args, **kwargs)
        entry = state.models.get(id(self))
        random = torch.get_rng_state() if self.training and (entry is None or entry.chance) else None
        calls.sampled = _sampled(calls, self)
        calls.inside = True
        started = time.perf_counter()
        try:
            output = original(self, *args, **kwargs)
        finally:
            calls.inside, calls.sampled = False, None
        ended = time.perf_counter()
        try:
            state.window.forward_s += ended - started
            _root_ended(calls, self, args, kwargs, output, random)
        except Exception as error:
            state.give_up(error)
        spent = time.perf_counter() - ended
        state.own_s += spent
        if state.window.measured and not state.evaluating:
            state.norms_s += spent
        return output

    def part(self: Any, *args: Any, **kwargs: Any) -> Any:
        output = original(self, *args, **kwargs)
        if calls.sampled is not None and not untouchable():
            try:
                activations.seen(state, calls.sampled, self, output)
            except Exception as error:
                state.give_up(error)
        return output

    door = Door(original, dressed(__call__, original), dressed(part, original), calls)
    of_torch.model_calls(patches, lambda original: door)
    state.keep_open = lambda: _keep_open(torch.nn.Module, door)


def _keep_open(owner: Any, door: Door) -> None:
    """torch.fx puts its own in place for a trace, and leaves torch's there afterwards."""
    if vars(owner)["__call__"] is door.original:
        owner.__call__ = door


def _sampled(calls: Calls, root: Any) -> Any:
    """The model whose parts are looked at in this call, if it is one of those."""
    if not calls.state.window.sampled or not calls.gradients():
        return None
    entry = models.known(calls.state, calls.births, root)
    # A compiled model has no modules any more inside.
    return None if entry.compiled or type(root).__name__ == COMPILED else entry


def _is_plain(calls: Calls, module: Any) -> bool:
    """No parameters below: a loss or an activation called on its own, not a model."""
    number = id(module)
    if number in calls.state.models:
        return False
    seen = calls.plain.get(number)
    if seen is not None and seen() is module:
        return True
    if next(module.parameters(), None) is not None:
        return False
    if len(calls.plain) > MOST_PLAIN:
        calls.plain.clear()
    calls.plain[number] = weakref.ref(module)
    return True


def _root_ended(calls: Calls, module: Any, args: Any, kwargs: Any, output: Any, random: Any) -> None:
    state = calls.state
    entry = models.known(state, calls.births, module)
    gradients = calls.gradients()
    place, training = state.places.here(), bool(module.training)
    state.mode = training
    if not entry.told:
        models.tell(state, calls.births, entry)
        state.event("make_model", entry.id, entry.made[1])
    state.event("forward" if gradients else "no_grad", entry.id, place[1])
    tokens.seen(state, entry, module, (args, kwargs), output, gradients)
    main = first_tensor(args, kwargs)
    rows = int(main.shape[0]) if main is not None else 0
    fed = _fed(module, entry, args, kwargs, main, random) if gradients else None
    if fed is not None and _as_always(state, (entry.id, place, training), output):
        state.presumed, state.reached, state.last = (training, rows), fed, weakref.ref(fed)
        state.evaluating = False
        return
    forward = Forward(
        model=entry,
        n=state.n,
        place=place,
        caller=0,
        training=training,
        gradients=gradients,
        rows=rows,
        loader=state.loader,
        pass_number=state.pass_number,
    )
    state.pending.append(forward)
    connected = fed is not None and _follow(state, forward, fed, output)
    state.evaluating = not connected
    if state.loads:
        modes.tell_loads(state)
    if main is not None:
        _look(state, forward, main, args, kwargs, output, connected)
    if len(state.pending) > MOST_PENDING:
        passes.settle(state, older_than=state.n)


def _fed(module: Any, entry: Any, args: Any, kwargs: Any, main: Any, random: Any) -> Last:
    if len(args) == 1 and not kwargs and args[0] is main and main.grad_fn is None:
        return Last(weakref.ref(module), entry, args, kwargs, random)
    return Last(weakref.ref(module), entry, without_graph(args), without_graph(kwargs), random)


def _as_always(state: State, key: tuple[int, Place, bool], output: Any) -> bool:
    """Between two measured steps, a call that backward passes have always reached needs no look."""
    return (
        not state.window.measured
        and state.usual.get(key, 0) >= OFTEN_ENOUGH
        and bool(state.optimizers)
        and not state.loads
        and getattr(output, "grad_fn", None) is not None
    )


def _follow(state: State, forward: Forward, fed: Last, output: Any) -> bool:
    """Let the graph tell when a backward pass reaches this output. True if it has a graph at all."""
    import torch

    connected = False
    found = (("0", output),) if isinstance(output, torch.Tensor) else tensors(output)
    for count, (_, tensor) in enumerate(found):
        if tensor.grad_fn is not None and count < 4:
            tensor.grad_fn.register_prehook(lambda grads: _reached(state, forward, fed, grads))
            connected = True
    if connected:
        state.last = weakref.ref(fed)
    return connected


def _reached(state: State, forward: Forward, fed: Last, gradients: Any) -> None:
    if state.off:
        return
    if state.optimizers:
        if gradients and gradients[0] is not None:
            fed.output_gradient = without_graph(gradients[0])
        state.reached = fed
    forward.reached = True
    forward.model.trained = True
    key = (forward.model.id, forward.place, forward.training)
    state.usual[key] = state.usual.get(key, 0) + 1
    window = state.window
    window.training, window.rows = forward.training, forward.rows
    if forward.hashes is not None and not window.batch:
        window.batch = fingerprint(forward.hashes)
    if forward.hashes is not None and state.seldom(("kept", *key), FIRST_BATCHES):
        _look_again(state, forward, fed)


def _look_again(state: State, forward: Forward, fed: Last) -> None:
    """Whether the graph still stands on what it was built from: a buffer filled anew through numpy tells no
    one. What torch itself writes it counts, and refuses where it does harm."""
    began = time.perf_counter()
    main = first_tensor(fed.args, fed.kwargs)
    # What was made with a graph has lost it since, and was left out at first: such a call is not compared.
    same = main is not None and len(_beside(main, fed.args, fed.kwargs)) == forward.beside
    if main is not None and same and main.is_floating_point() and _version(main) == forward.version:
        now = _hashes(main, fed.args, fed.kwargs)
        changed = now is not None and not now.equal(forward.hashes)
        if changed and state.seldom(("overwritten", *forward.place), 1):
            path, line = forward.place
            state.put(Overwritten(forward.n, line, path, forward.model.id))
    state.layers_s += time.perf_counter() - began


def _look(
    state: State, forward: Forward, main: Any, args: Any, kwargs: Any, output: Any, connected: bool
) -> None:
    """Rows, statistics and predictions, as far as the budget goes."""
    if not connected:
        _look_at_evaluation(state, forward, main, args, kwargs, output)
    elif state.window.measured:
        _mark(forward, main, args, kwargs, output)
    key = ("batch", forward.model.id, connected, forward.training)
    if state.seldom(key, FIRST_BATCHES) or (state.window.sampled and state.deep and state.n % 10 == 0):
        began = time.perf_counter()
        forward.values = tuple(
            describe(path, tensor, "input") for path, tensor in _named(args, kwargs) if tensor.dim()
        )
        if forward.hashes is not None and forward.loader is not None and connected:
            forward.repeated = state.rows.repeated(forward.hashes)
        state.layers_s += time.perf_counter() - began


def _look_at_evaluation(
    state: State, forward: Forward, main: Any, args: Any, kwargs: Any, output: Any
) -> None:
    started = time.perf_counter()
    forward.caller = state.places.caller_line()
    if state.deep or state.affords(state.evaluating_s, EVALUATING):
        _mark(forward, main, args, kwargs, output)
        forward.weights = models.few_weights(forward.model)
        passes.predictions(state, forward, output)
    state.evaluating_s += time.perf_counter() - started


def _mark(forward: Forward, main: Any, args: Any, kwargs: Any, output: Any) -> None:
    """What tells the rows and the tensors of this call from others."""
    if _one_answer_a_row(main, output):
        forward.hashes, forward.version = _hashes(main, args, kwargs), _version(main)
        forward.beside = len(_beside(main, args, kwargs))
    forward.inputs_at = passes.stores(args, kwargs)
    forward.outputs_at = passes.stores((output,), {})


def _one_answer_a_row(main: Any, output: Any) -> bool:
    """Whether its rows are the examples: the nodes of a graph whose edges are judged are not. Sequences may
    have the batch second."""
    answers = [tensor for _, tensor in tensors(output)][:3]
    return not answers or any(not tensor.dim() or len(main) in tensor.shape[:2] for tensor in answers)


def _version(tensor: Any) -> int:
    return -1 if tensor.is_inference() else int(tensor._version)


def _hashes(main: Any, args: Any, kwargs: Any) -> Any:
    """Of whole rows: a rating is its user, its item and what is known of it, not one of them."""
    if main.grad_fn is not None or main.is_sparse:
        return None  # what another module made is no row of the data
    try:
        found = hashes(main)
        for other in _beside(main, args, kwargs):
            found = found * 1_000_003 + hashes(other)
        return found
    except (RuntimeError, KeyError):  # a kind of tensor that has no bits to look at
        return None


def _beside(main: Any, args: Any, kwargs: Any) -> list[Any]:
    """The other tensors of a call that hold a part of each row, and are data."""
    if len(args) == 1 and not kwargs and args[0] is main:
        return []
    rows = [other for _, other in _named(args, kwargs) if other is not main and other.dim()]
    return [t for t in rows if len(t) == len(main) and t.grad_fn is None and not t.is_sparse]


def _named(args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    found = [*tensors(args), *tensors(kwargs)]
    return [(path, tensor) for path, tensor in found if tensor.numel()][:8]
