"""The door of torch's loss functions: what goes in, what comes out, and whether a backward reaches it."""

import time
import weakref
from dataclasses import dataclass
from typing import Any

from sleuth.doors import of_torch
from sleuth.torch_losses import OF_YES_OR_NO, OVER_CLASSES
from sleuth.watching import passes, tokens
from sleuth.watching.place import Place
from sleuth.watching.state import Forward, State
from sleuth.watching.tensors import describe, hands_off

FIRST_CALLS = 4  # of each line and mode described in full
MOST_VALUES = 1 << 18
ONE = 1e-3  # how far from one a row of probabilities may sum, in single precision
OFTEN_DEEP = 10


@dataclass(slots=True)
class Call:
    """A loss call that waits to be told training or evaluation."""

    function: str
    value: float | None
    details: dict[str, Any] | None
    summed: bool = False  # over its rows, where others take the mean


def attach(state: State, patches: Any) -> None:
    inside, untouchable = [False], hands_off()

    def watched(original: Any, name: str) -> Any:
        def loss(*args: Any, **kwargs: Any) -> Any:
            if inside[0] or state.off or state.paused or untouchable():
                return original(*args, **kwargs)
            inside[0] = True
            try:
                value = original(*args, **kwargs)
            finally:
                inside[0] = False
            try:
                seen(state, name, args, kwargs, value)
            except Exception as error:
                state.give_up(error)
            return value

        return loss

    of_torch.losses(patches, watched)


def seen(state: State, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], value: Any) -> None:
    started = time.perf_counter()
    place = state.places.here()
    state.event("loss", 0, place[1])
    scores = args[0] if args else kwargs.get("input")
    target = args[1] if len(args) > 1 else kwargs.get("target")
    trains = bool(value.requires_grad)
    if name in OVER_CLASSES:
        tokens.compared(state, scores, target, kwargs.get("ignore_index", -100))
    wanted = state.seldom(("loss", name, place, trains, state.mode), FIRST_CALLS)
    wanted = wanted or (state.deep and state.n % OFTEN_DEEP == 0)
    last = state.last() if trains else None
    if last is not None:
        last.loss = (name, place, _weak(scores), _weak(target), _weak(value))
    if wanted or not trains or state.window.measured or state.pending:
        _noted(state, name, place, scores, target, kwargs, value, wanted)
    spent = time.perf_counter() - started
    state.own_s += spent
    if wanted:
        state.layers_s += spent
    elif state.window.measured:
        state.norms_s += spent


def _weak(item: Any) -> Any:
    """Not kept alive: the graph of the loss does that for as long as it is of use."""
    return weakref.ref(item) if item is not None else _nothing


def _nothing() -> None:
    return None


def _noted(
    state: State,
    name: str,
    place: Place,
    scores: Any,
    target: Any,
    kwargs: dict[str, Any],
    value: Any,
    wanted: bool,
) -> None:
    """The value and, where wanted, what went in: for the step or the evaluation pass it belongs to."""
    number = float(value.item()) if value.numel() == 1 else None
    details = None
    if wanted and scores is not None and target is not None:
        details = {
            "function": name,
            "line": place[1],
            "path": place[0],
            "n": state.n,
            "value": number,
            **_details(name, scores, target, kwargs, value),
            "target_served": _is_served(state, target),
        }
    call = Call(name, number, details, kwargs.get("reduction") == "sum")
    if state.window.measured:
        _follow(state, call, value)
    forward = _judged(state, value)
    if forward is not None and forward.n >= state.n - 1:
        forward.losses.append(call)
        if details is not None and forward.values:
            forward.values = (*forward.values, describe("target", target, "target"))
        if not value.requires_grad or state.deep:
            _correct(name, forward, scores, target, kwargs)
    elif details is not None:
        passes.write_loss(state, call, "train" if value.requires_grad else "eval")


def _judged(state: State, value: Any) -> Forward | None:
    """The call whose output the loss is of: the last one, but of a loss with a way back none under `no_grad`,
    which is the teacher that says the target."""
    if not value.requires_grad:
        return state.pending[-1] if state.pending else None
    return next((forward for forward in reversed(state.pending) if forward.gradients), None)


def _follow(state: State, call: Call, value: Any) -> None:
    """Add the value to the step whose backward reaches it, with the factor it enters with."""
    node, number = value.grad_fn, call.value
    if node is None or number is None:
        return

    def reached(grads: tuple[Any, ...]) -> None:
        window = state.window
        window.called += number
        window.called_known = True
        if grads and grads[0] is not None and grads[0].numel() == 1:
            window.factor = float(grads[0])

    node.register_prehook(reached)


def _details(name: str, scores: Any, target: Any, kwargs: dict[str, Any], value: Any) -> dict[str, Any]:
    import torch

    with torch.no_grad():
        return {
            "reduction": str(kwargs.get("reduction", "mean")),
            "input_shape": tuple(int(size) for size in scores.shape),
            "target_shape": tuple(int(size) for size in target.shape),
            "input_dtype": str(scores.dtype).removeprefix("torch."),
            "target_dtype": str(target.dtype).removeprefix("torch."),
            "weighted": kwargs.get("weight") is not None or kwargs.get("pos_weight") is not None,
            "requires_grad": bool(value.requires_grad),
            "input_made_by": type(scores.grad_fn).__name__ if scores.grad_fn is not None else "",
            **_scores(name, scores.detach()),
            **_target(name, target.detach(), kwargs),
        }


def _is_served(state: State, target: Any) -> bool:
    """Whether a loader's last batches hold these numbers, in whatever form and type. What the script has let
    go of cannot be asked any more."""
    import torch

    parts = [part for batch in state.served for one in batch if (part := one()) is not None]
    wanted = target.detach().reshape(-1)
    return any(
        part is target
        or (part.numel() == len(wanted) and bool(torch.equal(part.reshape(-1).to(wanted), wanted)))
        for part in parts
        if part.layout is torch.strided
    )


def _scores(name: str, scores: Any) -> dict[str, Any]:
    import torch

    if not scores.numel() or not scores.is_floating_point():
        return {}
    rows = scores.reshape(scores.shape[0], -1) if scores.dim() else scores.reshape(1, 1)
    rows = rows[: max(2, MOST_VALUES // max(1, rows.shape[1]))].float()
    low, high = (float(part) for part in torch.aminmax(rows))
    axis = 1 if scores.dim() > 1 else -1
    sums, exps = scores[: len(rows)].float().sum(axis), scores[: len(rows)].float().exp().sum(axis)
    wide = scores.dim() > 1 and scores.shape[axis] > 1
    in_range = low >= 0.0 and high <= 1.0
    return {
        "input_min": low,
        "input_max": high,
        "probabilities": in_range and (name in OF_YES_OR_NO or (wide and _ones(sums))),
        "log_probabilities": wide and high <= ONE and _ones(exps),
        "classes": int(scores.shape[1]) if name in OVER_CLASSES and scores.dim() > 1 else None,
        "output_std_over_batch": float(rows.std(0, correction=0).mean()),
    }


def _ones(sums: Any) -> bool:
    return bool(((sums - 1).abs() < ONE).all())


def _target(name: str, target: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    import torch

    if not target.numel() or target.is_complex():
        return {}
    some = target.reshape(-1)[:MOST_VALUES]
    low, high = torch.aminmax(some)
    ignore = kwargs.get("ignore_index", -100)
    by_class = name in OVER_CLASSES and not some.is_floating_point()
    return {
        "target_min": float(low),
        "target_max": float(high),
        "target_distinct": len(torch.unique(some)),
        "target_variance": _variance(target) if target.is_floating_point() else None,
        "ignored": float((some == ignore).float().mean()) if by_class else 0.0,
    }


def _variance(target: Any) -> float | None:
    """Over the examples, of each column by itself; one example has none."""
    if not target.dim() or len(target) < 2:
        return None
    rows = target.reshape(len(target), -1)
    return float(rows[: max(2, MOST_VALUES // max(1, rows.shape[1]))].float().var(0).mean())


def _correct(name: str, forward: Any, scores: Any, target: Any, kwargs: dict[str, Any]) -> None:
    """The share of right decisions, where the loss says what a right one is."""
    import torch

    if name in OVER_CLASSES and scores.dim() > 1 and not target.is_floating_point():
        kept = target != kwargs.get("ignore_index", -100)
        right = (scores.detach().argmax(1) == target)[kept]
    elif name in OF_YES_OR_NO and scores.shape == target.shape:
        edge = 0.5 if name == "binary_cross_entropy" else 0.0
        right = (scores.detach() > edge) == (target > 0.5)
    else:
        return
    if right.numel():
        forward.correct = float(right.to(torch.float32).mean())
        forward.checked = int(right.numel())
