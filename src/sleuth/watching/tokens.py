"""The door of language models: what they are fed, and which predictions enter the loss with which target.

Any trainer and any loop come through it. What enters the loss is read from the gradient that reaches the
scores (of cross-entropy it is largest at the target), from torch's own loss where no gradient flows, and else
from the labels that the model was handed.
"""

import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sleuth.watching import adapters, language_models, token_rows
from sleuth.watching.identity import Memory
from sleuth.watching.models import Known as KnownModel
from sleuth.watching.state import State
from sleuth.watching.tensors import tensors
from sleuth.watching.vocabularies import Found, Known

FIRST_BATCHES = 8  # of each model and phase looked at in full, then ever fewer
MOST_TOKENS = 1 << 20  # of one batch; a longer one is no batch of text
SHORTEST = 2  # places of a row: one is a category, not a text
WHOLE = ("int64", "int32", "int16", "uint8")
MOST_SCORES = 1 << 22  # kept beside a graph: sixteen megabytes
MOST_WRITTEN = 512  # tokens of one loop that are kept
OFTEN_DEEP = 10  # steps from one look to the next where everything is looked at


@dataclass(eq=False)
class Call:
    """A call of a model that is fed tokens, until it is known what became of it."""

    entry: KnownModel
    n: int
    place: tuple[str, int]
    gradients: bool
    training: bool
    prompt: bool  # within `generate`
    ids: Any
    beside: dict[str, Any]
    given: dict[str, tuple[int, ...]]
    causal: bool | None = None
    rows: int = 0  # of its embedding
    logits: tuple[int, ...] = ()
    compared: Any = None  # targets of torch's own loss
    pulled: Any = None  # targets and weights, as the gradient told
    settled: bool = False
    generated: Any = None  # what `generate` wrote, its settings, and who called it
    written: list[Any] = field(default_factory=list)  # what a loop appended to its ids, place by place
    last: Any = None  # the ids that loop was fed last


@dataclass(eq=False)
class Tokens:
    """What the door remembers."""

    examples: int = 4  # rows of a batch kept token by token
    text: bool = True
    off: bool = False
    generating: int = 0  # `generate` calls under way
    prompted: bool = False  # the first call within one was seen
    found: Found = field(default_factory=Found)
    waiting: list[Call] = field(default_factory=list)
    losses: list[tuple[Any, int, int]] = field(default_factory=list)  # targets, ignored id, classes
    vocabularies: dict[int, Known | None] = field(default_factory=dict)  # model → its tokenizer
    texts: set[tuple[int, int]] = field(default_factory=set)  # vocabulary and id that were told
    trained: dict[int, Counter[int]] = field(default_factory=dict)  # model → ids, as targets
    looked: Counter[int] = field(default_factory=Counter)  # model → training batches counted
    speaks: Memory = field(default_factory=Memory)  # module → whether it looks ids up
    described: dict[int, Any] = field(default_factory=dict)  # model → what was said of it
    adapted: dict[tuple[int, str], Any] = field(
        default_factory=dict
    )  # model and phase → what was said of its adapters
    settle: Callable[[State, Call], None] = field(default=lambda state, call: None)

    def let_go(self) -> None:
        """Hold nothing of the script any more."""
        self.off, self.found = True, Found()
        self.waiting, self.losses, self.vocabularies = [], [], {}

    @property
    def last(self) -> Call | None:
        return self.waiting[-1] if self.waiting else None


@contextmanager
def guarded(state: State) -> Iterator[None]:
    """What is odd here must not end the rest of the record; what it costs counts as Sleuth's own.

    What is counted is counted on the CPU, whatever device the script makes its tensors on.
    """
    import torch

    began = time.perf_counter()
    try:
        with torch.device("cpu"):
            yield
    except Exception as error:
        state.tokens.off = True
        state.trouble(f"tokens were not looked at any further ({type(error).__name__}: {error})")
    state.layers_s += time.perf_counter() - began


def seen(
    state: State, entry: KnownModel, module: Any, fed: tuple[Any, Any], output: Any, gradients: bool
) -> None:
    """A root call has ended."""
    import torch

    door: Tokens = state.tokens
    if door.off or not _speaks(door, module) or torch._C._current_graph_task_id() >= 0:
        return  # a backward pass computes parts again where activations were not kept
    losses, door.losses = door.losses, []
    wanted = _wanted(state, entry, module, gradients)
    written = door.last is not None and not gradients
    if not wanted and not written:
        return
    with guarded(state):
        _look(state, entry, module, fed, output, gradients, losses, wanted)


def _speaks(door: Tokens, module: Any) -> bool:
    known = door.speaks.get(module)
    if known is None:
        known = door.speaks[module] = language_models.looks_ids_up(module)
    return bool(known)


def _wanted(state: State, entry: KnownModel, module: Any, gradients: bool) -> bool:
    door: Tokens = state.tokens
    if door.generating and door.prompted:
        return False
    phase = "generate" if door.generating else "train" if gradients else "eval"
    return state.seldom(("tokens", entry.id, phase, module.training), FIRST_BATCHES) or (
        state.deep and gradients and state.n % OFTEN_DEEP == 0
    )


def _look(
    state: State,
    entry: KnownModel,
    module: Any,
    fed: tuple[Any, Any],
    output: Any,
    gradients: bool,
    losses: list[Any],
    wanted: bool,
) -> None:
    door: Tokens = state.tokens
    named = language_models.arguments(module, *fed)
    ids = _ids(named)
    if ids is None or (not gradients and _goes_on(door.last, entry, ids)) or not wanted:
        return
    _tell(state, entry, module, gradients)
    told = door.described[entry.id]
    call = Call(
        entry,
        state.n,
        state.places.here(),
        gradients,
        bool(module.training),
        bool(door.generating),
        _copy(ids),
        {role: _copy(value) for role, value in _beside(named, ids).items()},
        {name: tuple(value.shape) for name, value in named.items() if value is not ids},
        told.causal,
        told.embedding_rows,
    )
    logits = _logits(output, call.ids)
    if logits is not None:
        call.logits = tuple(logits.shape)
        _take(call, losses)
        if gradients and logits.grad_fn is not None:
            _follow(state, call, logits)
    elif gradients and "labels" in call.beside:
        _follow_chances(state, call, output)
    settle(state, during=call)
    door.waiting.append(call)
    door.prompted = bool(door.generating)


def _tell(state: State, entry: KnownModel, module: Any, gradients: bool) -> None:
    """What is known of the model and of its adapters, whenever it has changed."""
    door: Tokens = state.tokens
    if entry.id not in door.described:
        door.described[entry.id] = language_models.described(entry.id, module)
        state.put(door.described[entry.id])
    phase = "train" if gradients else "generate" if door.generating else "eval"
    now = adapters.described(entry.id, state.n, phase, module)
    if now is not None:
        told = (*(getattr(now, name) for name in now.__slots__ if name not in ("n",)),)
        if door.adapted.get((entry.id, phase)) != told:
            door.adapted[entry.id, phase] = told
            state.put(now)


def _ids(named: Mapping[str, Any]) -> Any:
    """The tokens of a call: its first whole numbers in rows, or by the name that transformers gives them."""
    first = named.get("input_ids")
    for value in (first,) if first is not None else named.values():
        whole = str(value.dtype).removeprefix("torch.") in WHOLE
        if whole and value.dim() == 2 and value.shape[1] >= SHORTEST and 0 < value.numel() <= MOST_TOKENS:
            return None if value.is_meta or value.is_sparse else value
    return None


def _beside(named: Mapping[str, Any], ids: Any) -> dict[str, Any]:
    """What goes with the ids, place by place. Transformers' own names tell; elsewhere a mask holds "
    "yes and no."""
    found: dict[str, Any] = {}
    for name, value in named.items():
        if value is ids or value.dim() != 2 or value.is_meta:
            continue
        if name == "position_ids" and value.shape[1] == ids.shape[1]:
            found["positions"] = value.expand_as(ids)
        elif value.shape != ids.shape:
            continue
        elif name == "labels":
            found["labels"] = value
        elif "attended" not in found and name != "token_type_ids" and _yes_or_no(value):
            hidden = str(value.dtype) == "torch.bool" and language_models.hides_what_is_true(name)
            found["attended"] = ~value if hidden else value.bool()
    return found


def _yes_or_no(value: Any) -> bool:
    return str(value.dtype) == "torch.bool" or bool(((value == 0) | (value == 1)).all())


def _copy(value: Any) -> Any:
    """As it is now, beside the script: buffers are filled anew."""
    value = value.detach().cpu()
    return (value if str(value.dtype) == "torch.bool" else value.long()).clone()


def _logits(output: Any, ids: Any) -> Any:
    """Scores of tokens, a row a place, where the output holds such."""
    rows, places = ids.shape
    largest = int(ids.max())
    for _, value in tensors(output):
        if not value.is_floating_point() or value.dim() not in (2, 3) or value.shape[-1] <= largest:
            continue
        if len(value) == (rows if value.dim() == 3 else rows * places):
            return value
    return None


def _follow(state: State, call: Call, logits: Any) -> None:
    """Have the graph say which scores the loss pulls at, when a backward pass gets there."""
    number, scores = logits.output_nr, _kept(logits)
    shape, detailed = tuple(call.ids.shape), state.told.setdefault("pulled", Counter())

    def reached(grads: tuple[Any, ...]) -> None:
        if state.off or call.settled or call.pulled is not None or grads[number] is None:
            return
        with guarded(state):
            detailed[call.entry.id] += 1
            exact = scores() if detailed[call.entry.id] <= FIRST_BATCHES else None
            call.pulled = token_rows.pulled(grads[number], shape, exact)

    logits.grad_fn.register_prehook(reached)


def _kept(logits: Any) -> Callable[[], Any]:
    """The scores until a backward pass comes: large ones only if the script itself holds them until then."""
    if logits.numel() > MOST_SCORES:
        return weakref.ref(logits)
    scores = logits.detach()
    return lambda: scores


def _follow_chances(state: State, call: Call, output: Any) -> None:
    """A model that hands out log-probabilities of its labels in place of scores: the loss wants them larger
    where their gradient is below 0."""
    rows, places = call.ids.shape
    found = (value for _, value in tensors(output) if tuple(value.shape) == (rows, places - 1))
    chances = next((value for value in found if value.grad_fn is not None), None)
    if chances is None:
        return
    number = chances.output_nr

    def reached(grads: tuple[Any, ...]) -> None:
        if not state.off and not call.settled and call.pulled is None and grads[number] is not None:
            with guarded(state):
                call.pulled = token_rows.of_chances(call.beside["labels"], grads[number])

    chances.grad_fn.register_prehook(reached)


def compared(state: State, scores: Any, target: Any, ignored: Any) -> None:
    """A loss over classes was asked: its targets, for the call whose scores these are."""
    door: Tokens = state.tokens
    if door.off or target is None or scores is None:
        return
    if target.is_floating_point() or not SHORTEST <= target.numel() <= MOST_TOKENS or target.is_meta:
        return
    if not (state.window.sampled or door.waiting or state.n < FIRST_BATCHES):
        return
    with guarded(state):
        loss = (_copy(target), int(ignored), int(scores.shape[1]) if scores.dim() > 1 else 0)
        call = door.last
        if call is None or call.n != state.n or call.compared is not None or not _take(call, [loss]):
            door.losses = [*door.losses[-3:], loss]


def _take(call: Call, losses: list[tuple[Any, int, int]]) -> bool:
    for target, ignored, classes in losses if call.logits else ():
        placed = token_rows.placed(target, ignored, tuple(call.ids.shape), call.logits, classes)
        if placed is not None:
            call.compared = placed
    return call.compared is not None


def _goes_on(call: Call | None, entry: KnownModel, ids: Any) -> bool:
    """Whether the model is fed what it was fed before and one token more: it writes."""
    if call is None or call.entry is not entry or call.gradients or call.prompt:
        return False
    before = call.last if call.last is not None else call.ids
    if len(before) != len(ids) or not 0 <= ids.shape[1] - before.shape[1] <= 1:
        return False
    now = _copy(ids)
    same = before if now.shape[1] > before.shape[1] else before[:, 1:]
    if not bool((now[:, :-1] == same).all()) or bool((now[:, -1:] == now[:, :1]).all() and now.shape[1] < 3):
        return False
    if len(call.written) < MOST_WRITTEN:
        call.written.append(now[:, -1])
    call.last = now
    return True


def settle(state: State, during: Call | None = None) -> None:
    """Write down the calls of which nothing more can come: a backward pass is over once a step was taken, or
    once its gradient was read; a call without gradients once another follows."""
    door: Tokens = state.tokens
    left = []
    for call in door.waiting:
        waits = during is not None and call.gradients and call.pulled is None and call.n == state.n
        if waits and len(door.waiting) < FIRST_BATCHES:
            left.append(call)
            continue
        call.settled = True
        door.settle(state, call)
    door.waiting = left
