"""Evaluation passes: root calls that no backward followed, told from training and put together."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sleuth.record.entries import Batch, Evaluation, LossCall
from sleuth.watching.place import Place
from sleuth.watching.rows import fingerprint
from sleuth.watching.state import Forward, State
from sleuth.watching.tensors import tensors

ONE_A_STEP = 200  # single-call passes (a teacher, a target network) written before they are thinned
MOST_CALLS = 20_000  # of one pass whose rows are remembered; a program that only predicts never ends it
SAME = 1e-6  # relative difference of predictions that counts as none


@dataclass
class Pass:
    """The evaluation pass under way."""

    first: Forward
    key: tuple[Any, ...]
    calls: int = 0
    rows: int = 0
    hashes: list[Any] = field(default_factory=list)
    hashed_all: bool = True
    again: int = 0  # calls on the very rows of the first
    loss: float = 0.0  # the sum of those seen
    losses: int = 0
    function: str = ""
    summed: bool = False
    right: float = 0.0
    checked: int = 0
    constant: bool | None = None
    prediction: Any = None
    inputs: frozenset[Any] = frozenset()
    outputs: frozenset[Any] = frozenset()


@dataclass
class Passes:
    """What the settled calls amount to so far."""

    current: Pass | None = None
    beside: list[Forward] = field(default_factory=list)  # the last training calls


def settle(state: State, older_than: int | None = None) -> None:
    """Decide, in order, which root calls were training and which were evaluation.

    A call under gradients may still be reached in the next window (a generator used twice), so it is kept
    until then; `older_than` decides earlier.
    """
    limit = state.n - 1 if older_than is None else older_than
    done = 0
    for forward in state.pending:
        if forward.reached:
            _trained(state, forward)
        elif not forward.gradients or forward.n < limit or older_than is not None:
            _evaluated(state, forward)
        else:
            break
        done += 1
    del state.pending[:done]


def finish(state: State, broken_off: bool = False) -> None:
    """Decide what is left. `broken_off`: the script did not come to its own end, perhaps within a step."""
    if broken_off:
        _drop_half_a_step(state)
    settle(state, older_than=state.n + 1)
    close(state)


def _drop_half_a_step(state: State) -> None:
    """Calls of training whose backward had no time to come say nothing of evaluation: those that a backward
    has always reached, or, before the first, a single call in training mode."""
    keys = Counter(_kind(forward) for forward in state.pending if forward.n == state.n)

    def half(forward: Forward) -> bool:
        if forward.reached or not forward.gradients or forward.n < state.n - 1:
            return False
        alone = forward.n == state.n and forward.training and keys[_kind(forward)] == 1
        return bool(state.usual.get(_kind(forward))) or alone

    state.pending[:] = [forward for forward in state.pending if not half(forward)]


def _kind(forward: Forward) -> tuple[int, Place, bool]:
    return forward.model.id, forward.place, forward.training


def _trained(state: State, forward: Forward) -> None:
    passes = _passes(state)
    passes.beside = [*passes.beside[-3:], forward]
    if passes.current is not None:
        close(state)
    if forward.hashes is not None:
        state.rows.add(forward.hashes)
    _tell(state, forward, "train")


def _evaluated(state: State, forward: Forward) -> None:
    passes = _passes(state)
    if forward.gradients:
        state.usual.pop(_kind(forward), None)
    key = (
        forward.model.id,
        forward.place,
        forward.caller,
        forward.training,
        forward.gradients,
        forward.loader,
        forward.pass_number,
        forward.n,
    )
    if passes.current is not None and passes.current.key != key:
        close(state)
    if passes.current is None:
        passes.current = Pass(forward, key)
    _add(passes.current, forward)
    _tell(state, forward, "eval")


def _add(current: Pass, forward: Forward) -> None:
    current.calls += 1
    current.rows += forward.rows
    if current.calls <= 2:
        current.inputs |= forward.inputs_at
        current.outputs |= forward.outputs_at
    if forward.hashes is None or len(current.hashes) > MOST_CALLS:
        current.hashed_all = False
    else:
        current.hashes.append(forward.hashes)
        first = current.hashes[0]
        current.again += (
            len(current.hashes) > 1 and first.shape == forward.hashes.shape and first.equal(forward.hashes)
        )
    for call in forward.losses:
        if call.value is not None:
            current.loss += call.value
            current.losses += 1
            current.function = call.function
            current.summed = call.summed
    if forward.correct is not None:
        current.right += forward.correct * forward.checked
        current.checked += forward.checked
    _add_prediction(current, forward.output)


def _add_prediction(current: Pass, output: Any) -> None:
    if output is None:
        return
    constant, prediction = output
    if current.prediction is None:
        current.prediction, current.constant = prediction, constant
    elif current.constant:
        near = SAME * prediction.abs().max().clamp(min=1.0)
        same_shape = prediction.shape == current.prediction.shape
        current.constant = (
            constant and same_shape and bool(((prediction - current.prediction).abs() <= near).all())
        )


def close(state: State) -> None:
    """Write the pass under way."""
    passes = _passes(state)
    current, passes.current = passes.current, None
    if current is None:
        return
    first = current.first
    kind = ("pass", first.model.id, first.place, first.training)
    if current.calls == 1 and state.counts.get(kind, 0) > ONE_A_STEP and not state.seldom(kind, 0):
        return
    state.counts[kind] = state.counts.get(kind, 0) + 1
    state.put(_told(state, current, passes))


def _told(state: State, current: Pass, passes: Passes) -> Evaluation:
    import torch

    first = current.first
    rows = torch.cat(current.hashes) if current.hashes else None
    return Evaluation(
        n=first.n,
        model=first.model.id,
        line=first.place[1],
        path=first.place[0],
        calls=current.calls,
        rows=current.rows,
        training=first.training,
        gradients=first.gradients,
        loader=first.loader,
        fingerprint=fingerprint(rows) if rows is not None and current.hashed_all else "",
        loss=current.loss / current.losses if current.losses else None,
        loss_function=current.function,
        loss_summed=current.summed,
        correct=current.right / current.checked if current.checked else None,
        answers=current.checked,
        weights=first.weights,
        seen_in_training=state.rows.share_seen(rows) if rows is not None else None,
        constant_output=bool(current.constant) and current.rows > 1,
        inside=_inside(state, current, passes),
        trained=first.model.trained,
        training_rows=state.rows.distinct(),
        equal_rows=_equal_rows(current.hashes),
        again=current.again,
    )


def _equal_rows(calls: list[Any]) -> float | None:
    import torch

    rows = sum(map(len, calls))
    return 1 - sum(len(torch.unique(call)) for call in calls) / rows if rows else None


def _inside(state: State, current: Pass, passes: Passes) -> bool:
    """Beside a training call that was not looked at, the last answer for such a pass holds."""
    first = current.first
    key = ("inside", first.model.id, first.place, first.training)
    found = any(_feeds(current, forward) for forward in passes.beside)
    if found or any(forward.n == first.n and forward.inputs_at for forward in passes.beside):
        state.told[key] = found
    return found or (current.calls <= 2 and bool(state.told.get(key)))


def _feeds(current: Pass, training: Forward) -> bool:
    """Whether a pass belongs to the training call beside it: its output goes in there (a generator, a frozen
    trunk), or another model was given the same batch (a teacher)."""
    first = current.first
    if training.n != first.n or current.calls > 2:
        return False
    same_batch = first.model is not training.model and bool(current.inputs & training.inputs_at)
    return same_batch or bool(current.outputs & training.inputs_at)


def _tell(state: State, forward: Forward, phase: str) -> None:
    """Write the batch and the loss calls that waited for their phase to be known."""
    for call in forward.losses:
        if call.details is not None:
            write_loss(state, call, phase)
    if forward.values:
        state.put(
            Batch(
                n=forward.n,
                phase=phase,
                model=forward.model.id,
                loader=forward.loader,
                fingerprint=fingerprint(forward.hashes) if forward.hashes is not None else "",
                line=forward.place[1],
                values=forward.values,
                repeated_rows=forward.repeated,
            )
        )


def write_loss(state: State, call: Any, phase: str) -> None:
    if call.details is not None:
        state.put(LossCall(**call.details, phase=phase))


def stores(args: tuple[Any, ...], kwargs: Any) -> frozenset[Any]:
    """What tells whether two calls share a tensor: storage and offset. Weak references keep a storage's
    identity from being given to another one while it is compared."""
    from torch.multiprocessing.reductions import StorageWeakRef

    weak: Any = StorageWeakRef
    found = []
    for _, tensor in [*tensors(args), *tensors(kwargs)][:3]:
        if tensor.layout.__repr__() == "torch.strided" and tensor.numel() > 1:
            found.append(Store(weak(tensor.untyped_storage()), tensor.storage_offset()))
    return frozenset(found)


class Store:
    """A storage and an offset, comparable while it lives and after."""

    __slots__ = ("offset", "reference")

    def __init__(self, reference: Any, offset: int) -> None:
        self.reference, self.offset = reference, offset

    def __hash__(self) -> int:
        return hash((self.reference.cdata, self.offset))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Store)
            and self.reference.cdata == other.reference.cdata
            and self.offset == other.offset
        )


def predictions(state: State, forward: Forward, output: Any) -> None:
    """Whether all predictions of a call are the same, and how many match the labels the loader served."""
    scores = next((tensor for _, tensor in tensors(output)), None)
    if scores is None or not scores.is_floating_point() or scores.dim() < 1 or scores.numel() < 2:
        return
    scores = scores.detach()
    forward.shape = tuple(scores.shape)
    rows = scores.reshape(scores.shape[0], -1)[:4096, :4096]
    near = SAME * rows[0].abs().max().clamp(min=1.0)
    forward.output = (bool(((rows - rows[:1]).abs() <= near).all()), rows[0].clone())
    if scores.dim() == 2 and scores.shape[1] > 1 and forward.loader is not None:
        for labels in _served_with(state, forward):
            if labels.shape == scores.shape[:1] and _are_classes(labels, scores):
                forward.correct = float((scores.argmax(1) == labels.to(scores.device)).float().mean())
                forward.checked = len(scores)


def _served_with(state: State, forward: Forward) -> list[Any]:
    """The rows of whole numbers in the batch that the call was fed with: some loaders fetch one ahead."""
    batches = [[part for one in batch if (part := one()) is not None] for batch in state.served]
    fed = [batch for batch in batches if any(stores((part,), {}) & forward.inputs_at for part in batch)]
    chosen = (fed or batches)[:1]
    return [
        part for batch in chosen for part in batch if part.dim() == 1 and str(part.dtype) == "torch.int64"
    ]


def _are_classes(labels: Any, scores: Any) -> bool:
    """Labels that can be the places of the largest score; a picture that is drawn again has more numbers."""
    return not labels.is_floating_point() and int(labels.max()) + 1 >= scores.shape[1] // 2


def _passes(state: State) -> Passes:
    return state.passes  # type: ignore[no-any-return]
