"""Recurrent, memory or cache state is dropped where the task needs it to survive.

## What happens
`nn.LSTM(x)` without a second argument starts from zeros, each time. Called once per whole
sequence that is right. Called per time step, per chunk or per generated token, it wipes the
memory between calls, and you train a feed-forward net that looks recurrent. On "what was the sign
of the first of five numbers" a GRU called step by step with its state passed on reached loss
0.001; with the state dropped it stayed at 0.69, a coin toss.
```python
for t in range(T):
    out, _ = self.rnn(x[:, t : t + 1])      # the state is thrown away
```
With length-1 calls from zero the recurrent matrix (`weight_hh`) gets a gradient of exactly zero,
a clean giveaway. Other faces: `h` re-created inside the loop, a key-value cache that is returned
and not passed back, an actor whose hidden state is lost between environment steps, chunks of one
long series treated as separate (the model sees at most a chunk).

Independent sequences *should* start from zero, and in truncated backpropagation the state is
carried but detached. Both are right.

## How to tell
- **lint**: the state returned by a recurrent call is ignored (`out, _ =`) inside a loop over
  time; zeros created inside that loop; no cache argument in the generation loop.
- **probe**: the output at the last step has zero gradient with respect to the first input; the
  gradient of `weight_hh` is exactly zero; step-by-step and whole-sequence outputs differ in eval
  mode.
- **refuted by**: changing the first input changes the last output.

## How to fix
```python
state = None
for t in range(T):
    out, state = self.rnn(x[:, t : t + 1], state)
# across chunks of one stream: keep the value, cut the graph
state = tuple(s.detach() for s in state)
```
Reset it at real borders: a new document, a new episode, a shuffled batch. If batches are
shuffled, do not carry anything over.

## Often mistaken for
- `hidden-state-not-detached`: the state is carried *with* its graph; steps get slower or backward
  raises.
- `vanishing-gradients`: the dependence on early input is tiny there, and exactly zero here.
- `episode-not-reset`: the opposite error in reinforcement learning, state that lives too long.

## Sources
- pytorch-lstm: inputs section, the initial states default to zeros if they are not provided.
"""

import ast
from collections.abc import Iterator

from sleuth.facts.flow import ancestry, subject
from sleuth.facts.modules import CELLS, RECURRENT, applied, exact, settled
from sleuth.facts.program import Program, clue, place
from sleuth.facts.values import Call, Carried, Collection, Constant, Loop, Value
from sleuth.finding import Finding

_FRESH = frozenset(
    "torch.zeros torch.randn torch.ones .new_zeros torch.zeros_like torch.empty torch.rand torch.full".split()
)
_SPLITS = frozenset(".split .chunk .unbind torch.split torch.chunk torch.unbind".split())


def lint(program: Program) -> Iterator[Finding]:
    for call in program.calls("()"):
        made = applied(call)
        if made is None or made.op not in RECURRENT | CELLS or not call.args:
            continue
        loop = _time_loop(call, made)
        if loop is None:
            continue
        state = call.argument(1, "hx")
        lost = _how_it_is_lost(state, loop)
        if lost:
            name = made.op.rpartition(".")[2]
            yield clue(
                "error",
                call,
                f"`{name}` is called for one step at a time in the loop of line {place(loop.node, call.source).line}, "
                f"and {lost}: nothing is remembered from step to step.",
                fix="Carry the state: `out, state = rnn(x_t, state)`, with `state` set before the loop.",
            )


def _time_loop(call: Call, made: Call) -> Loop | None:
    """The loop that hands the layer one time step (or one piece of the sequence) after the other."""
    value = settled(call.args[0])
    time = 1 if _is_batch_first(made) else 0
    inserted = False  # an axis of length 1 was put where time is
    for _ in range(10):
        if isinstance(value, Call) and value.op in (".unsqueeze", "torch.unsqueeze"):
            inserted = inserted or exact(value.args[-1]) == time
        elif isinstance(value, Call) and value.op == "[]":
            turn = _turn_of(value, call)
            single = made.op in CELLS or inserted
            if turn is not None and _cuts_a_step(value, turn, time, single):
                return _loop_of(turn, call)
        elif isinstance(value, Call) and value.op == "next":
            pieces = settled(value.args[0])
            loop = _loop_of(value, call)
            if loop is not None and isinstance(pieces, Call) and pieces.op in _SPLITS:
                return loop if _split_axis(pieces) == time else None
            return None
        elif isinstance(value, Call) and applied(value) is None and value.op[:1] != ".":
            return None
        value = (
            settled(subject(value))
            if isinstance(value, Call) and value.op != "[]"
            else (settled(value.args[0]) if isinstance(value, Call) else None)
        )
        if value is None:
            return None
    return None


def _is_batch_first(made: Call) -> bool:
    told = settled(made.argument(4, "batch_first"))
    return isinstance(told, Constant) and told.value is True


def _turn_of(cut: Call, call: Call) -> Call | None:
    """The loop variable that an index depends on."""
    for value in ancestry(cut.args[1], 20):
        if isinstance(value, Call) and value.op == "next" and _loop_of(value, call) is not None:
            return value
    return None


def _loop_of(turn: Call, call: Call) -> Loop | None:
    return next((loop for loop in call.context.loops if loop.node is turn.node), None)


def _cuts_a_step(cut: Call, turn: Call, time: int, single: bool) -> bool:
    """`x[:, t]`, `x[:, t:t+1]` (time first: `x[t]`, `x[t:t+1]`): one step of the sequence."""
    key = settled(cut.args[1])
    parts = key.items if isinstance(key, Collection) and key.kind == "tuple" else [cut.args[1]]
    axis = next((n for n, part in enumerate(parts) if any(v is turn for v in ancestry(part, 20))), None)
    if axis is None:
        return False
    part = settled(parts[axis])
    if isinstance(part, Collection) and part.kind == "slice":
        return axis == time and _is_one_long(part)
    # One index takes an axis away: a cell wants it so, a layer needs it back.
    return single and (
        axis == 1 if time == 1 else axis in (0, 1) if not parts[1:] or axis == 1 else axis == 0
    )


def _is_one_long(part: Collection) -> bool:
    node = part.node
    if not isinstance(node, ast.Slice) or node.lower is None or node.upper is None:
        return False
    return ast.unparse(node.upper) in (f"{ast.unparse(node.lower)} + 1", f"1 + {ast.unparse(node.lower)}")


def _split_axis(pieces: Call) -> int | None:
    place_of = 0 if pieces.op.endswith("unbind") else 1
    given = pieces.argument(place_of + (pieces.receiver is None), "dim")
    number = exact(given) if given is not None else 0.0
    return int(number) if number is not None else None


def _how_it_is_lost(state: Value | None, loop: Loop) -> str:
    """Why no memory goes from one turn to the next; empty when it may."""
    known = settled(state)
    if known is None or (isinstance(known, Constant) and known.value is None):
        return "gets no state"
    for value in ancestry(known, 60):
        if isinstance(value, Carried) or (isinstance(value, Call) and value.op[:1] == "@"):
            return ""
    makers = [value for value in ancestry(known, 10) if isinstance(value, Call) and value.op in _FRESH]
    if not makers:
        return ""
    inside = any(any(here is loop for here in maker.context.loops) for maker in makers)
    where = f"line {place(makers[0]).line}"
    return (
        f"gets the fresh state of {where} each time"
        if inside
        else f"gets the first state of {where} each time"
    )
