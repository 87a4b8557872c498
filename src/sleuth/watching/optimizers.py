"""The door of optimizers: made, cleared, stepped; gradients before and parameters around each step."""

import math
import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from sleuth.doors import of_torch
from sleuth.record.entries import Optimizer
from sleuth.watching import holdings, nonfinite, replicas, steps
from sleuth.watching.place import NOWHERE, Place
from sleuth.watching.state import State

SETTINGS = "weight_decay momentum betas eps nesterov dampening amsgrad maximize alpha rho max_iter".split()


@dataclass
class Held:
    """An optimizer that has been seen. Holds no strong reference to it."""

    id: int
    optimizer: "weakref.ref[Any]"
    dirty: bool = False  # stepped, and not cleared since
    left_over: float | None = None
    before: list[Any] = field(default_factory=list)  # copies of the parameters, on sampled steps
    numbers: dict[str, Any] = field(default_factory=dict)
    started: float = 0.0
    backwards: int = 0
    held: int = -1  # tensors at the last look
    looked: int = 0

    def parameters(self) -> list[Any]:
        optimizer = self.optimizer()
        return [part for group in optimizer.param_groups for part in group["params"]] if optimizer else []

    def gradients(self) -> list[Any]:
        return [part.grad for part in self.parameters() if part.grad is not None]

    def gradient_norm(self) -> float:
        return total(norms(self.gradients()))


def norms(tensors: list[Any]) -> Any:
    """The norm of each tensor, as one tensor; sparse ones and other kinds are taken one by one."""
    import torch

    if not tensors:
        return torch.zeros(0)
    try:
        found = torch._foreach_norm(tensors)
        return torch.stack([part.float() for part in found])
    except RuntimeError:
        parts = [part.coalesce().values() if part.is_sparse else part for part in tensors]
        return torch.tensor([float(part.float().norm()) for part in parts])


def total(parts: Any) -> float:
    return float(parts.norm()) if len(parts) else 0.0


def attach(state: State, patches: Any) -> None:
    import torch

    depth = [0]

    def made(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            original(self, *args, **kwargs)
            _safely(state, known, state, self)

        return __init__

    def cleared(original: Any) -> Any:
        def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not torch.compiler.is_compiling():
                _safely(state, _cleared, state, self)
            return original(self, *args, **kwargs)

        return zero_grad

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        depth[0] += 1
        if depth[0] == 1:
            _safely(state, _before, state, optimizer)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        depth[0] = max(0, depth[0] - 1)
        if depth[0] == 0 and not state.off:
            taken = state.n
            _safely(state, _after, state, optimizer)
            for callback in [*state.on_step]:
                callback(taken)

    patches.replace(torch.optim.Optimizer, "__init__", made)
    patches.replace(torch.optim.Optimizer, "zero_grad", cleared)
    of_torch.optimizer_steps(patches, before, after)


def _safely(state: State, function: Any, *args: Any) -> None:
    if state.off:
        return
    try:
        function(*args)
    except Exception as error:
        state.give_up(error)


def known(state: State, optimizer: Any) -> Held:
    number = state.optimizer_ids.get(optimizer)
    held: Held = _made(state, optimizer) if number is None else state.optimizers[number]
    return held


def _made(state: State, optimizer: Any) -> Held:
    number = state.new_id("optimizer")
    gone = [key for key, held in state.optimizers.items() if held.optimizer() is None]
    for key in gone:
        del state.optimizers[key]
    held = state.optimizers[number] = Held(number, weakref.ref(optimizer))
    state.optimizer_ids[optimizer] = number
    path, line = state.places.maker(optimizer)
    state.event("make_optimizer", number, line)
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    state.put(
        Optimizer(
            id=number,
            type=type(optimizer).__name__,
            line=line,
            path=path,
            n=state.n,
            lr=_number(group.get("lr")) or 0.0,
            settings={key: _plain(group[key]) for key in SETTINGS if key in group},
            groups=len(optimizer.param_groups),
            parameters=len(held.parameters()),
        )
    )
    return held


def _cleared(state: State, optimizer: Any) -> None:
    held = known(state, optimizer)
    held.dirty, held.left_over = False, 0.0
    state.event_here("zero_grad", held.id)


def _before(state: State, optimizer: Any) -> None:
    held = known(state, optimizer)
    held.backwards = state.backwards
    held.numbers = {}
    window = state.window
    started = time.perf_counter()
    if window.measured:
        _measure(state, held)
        state.norms_s += time.perf_counter() - started
    if window.sampled:
        sampling = time.perf_counter()
        held.before = [part.detach().clone() for part in held.parameters()]
        state.layers_s += time.perf_counter() - sampling
    held.started = time.perf_counter()
    state.own_s += held.started - started


def _measure(state: State, held: Held) -> None:
    """Gradient and weight norms, all parameters of this optimizer."""
    window = state.window
    parameters = held.parameters()
    with_gradient = [part for part in parameters if part.grad is not None]
    each = norms([part.grad for part in with_gradient])
    found = total(each)
    if not math.isfinite(found) and not state.scale and state.window.loss is not None:
        nonfinite.bad_gradient(state)
    weights = norms([part.detach() for part in parameters])
    held.numbers = {
        "grad_norm": window.grad_norm if window.grad_norm is not None else found,
        "grad_norm_at_step": found,
        "weight_norm": total(weights),
    }
    if window.sampled:
        names = holdings.names(state, held)
        before_clip = window.clip_gradients
        gradients = dict.fromkeys((names[id(part)] for part in parameters), None)
        for part, norm in zip(with_gradient, each.tolist(), strict=True):
            gradients[names[id(part)]] = before_clip.get(id(part), norm)
        held.numbers["layers"] = {
            "gradients": gradients,
            "weights": {
                names[id(part)]: norm for part, norm in zip(parameters, weights.tolist(), strict=True)
            },
        }


def _after(state: State, optimizer: Any) -> None:
    held = known(state, optimizer)
    now = time.perf_counter()
    optimizer_s = now - held.started if held.started else None
    if state.backwards > held.backwards and state.window.measured:  # a closure computed them meanwhile
        _measure(state, held)
    if state.window.sampled and held.before:
        _updates(state, held)
        held.before = []
    held.looked += 1
    if held.looked <= holdings.LOOKS[-1] or held.looked % holdings.RARELY == 0:
        if holdings.due(state, held):
            holdings.tell(state, held)
    if state.world_size > 1:
        replicas.seen(state, held)
    if state.window.sampled:
        state.layers_s += time.perf_counter() - now
    place: Place = state.event_here("step", held.id) if held.id else NOWHERE
    numbers = {**held.numbers, "left_over": held.left_over}
    held.dirty, held.left_over = True, None
    group = optimizer.param_groups[0] if optimizer.param_groups else {}
    state.own_s += time.perf_counter() - now
    steps.ended(state, held.id, place, _number(group.get("lr")), numbers, optimizer_s)
    state.reached = None


def _updates(state: State, held: Held) -> None:
    parameters = held.parameters()
    if len(parameters) != len(held.before):
        return
    changes = [
        part.detach() - before if part.shape == before.shape else part.detach()
        for part, before in zip(parameters, held.before, strict=True)
    ]
    each = norms(changes)
    held.numbers["update_norm"] = total(each)
    names = holdings.names(state, held)
    if "layers" in held.numbers:
        held.numbers["layers"]["updates"] = {
            names[id(part)]: norm for part, norm in zip(parameters, each.tolist(), strict=True)
        }


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_plain(part) for part in value)
    return value if isinstance(value, (bool, int, str, type(None))) else _number(value)
