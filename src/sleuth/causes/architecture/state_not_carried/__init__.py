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
- **lint**: a recurrent layer or cell called step by step in a loop over time, or on its own last
  token, without a state; or with zeros created inside that loop; or with the first state each time;
  or a method that is passed the state in each iteration and never reads it.
- **probe**: the recurrent weights have a gradient of exactly zero while the input weights do not,
  in a module that is called again and again without its state, or with sequences of length 1.
- **experiment**: corrected from outside, a layer that is given no state goes on from the one it ended
  with; where windows of one stream are read one after the other, that settles whether it matters.
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
from typing import TYPE_CHECKING

from sleuth.finding import Evidence, Where
from sleuth.source.flow import ancestry, keeps_numbers, layer, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Function,
    Loop,
    Unknown,
    Value,
)
from sleuth.source.program import Program, clue, spot
from sleuth.source.topics.modules import CELLS, RECURRENT, applied, axis_of, exact, is_one_long, settled, uses
from sleuth.source.torch_api import is_module

if TYPE_CHECKING:
    from sleuth.lab.worlds.doors import World
    from sleuth.measure.workbench import Workbench

INVITED_BY = {"LSTM|GRU|RNN": 3.0}
PREDICTS = {"noise-inputs": "even"}

_FRESH = frozenset(
    "torch.zeros torch.randn torch.ones .new_zeros torch.zeros_like torch.empty torch.rand torch.full".split()
)
_UNBINDS = frozenset({".unbind", "torch.unbind"})
_SPLITS = frozenset({".split", ".chunk", "torch.split", "torch.chunk"})
_PICKS_A_TOKEN = frozenset("argmax multinomial sample topk max".split())
_GROWS = frozenset("torch.cat torch.concat torch.hstack torch.stack .append".split())
_KEEPS_TIME = frozenset("Embedding Linear Dropout LayerNorm ReLU relu tanh dropout".split())
_MOVES_AXES = frozenset("transpose permute view reshape T mT movedim swapaxes flatten squeeze".split())

NEEDS = "RNN LSTM GRU Cell hidden state cache"


def lint(program: Program) -> Iterator[Evidence]:
    yield from _dropped_by_the_caller(program)
    yield from _given_back_and_left(program)
    yield from _windows_from_zero(program)
    yield from _never_looked_at(program)
    if program.source.holds(", _"):
        yield from _left_lying(program)
    if program.holds("= None"):
        yield from _cleared_each_turn(program)
    for call in program.calls("()"):
        made = applied(call)
        if made is None or made.op not in RECURRENT | CELLS or not call.args:
            continue
        loop = _time_loop(program, call, made) if call.context.loops else None
        lost = _how_it_is_lost(call, loop) if loop is not None else ""
        if loop is not None and lost:
            yield clue(
                "proven",
                _to_blame(call, loop),
                f"`{made.op.rpartition('.')[2]}` is called step by step in the loop of line "
                f"{spot(loop.node, call.source).line} and {lost}: nothing is remembered from step to step.",
                fix="Carry the state: `out, state = rnn(x_t, state)`, with `state` set before the loop.",
            )


def _to_blame(call: Call, loop: Loop) -> Call:
    """The layer's call; or, where its function takes a state and hands it on, whoever gives it none."""
    handed = call.node.args[1:2] if isinstance(call.node, ast.Call) else []
    asked = getattr(getattr(call.context.function, "args", None), "args", [])
    takes = any(isinstance(one, ast.Name) and one.id in {entry.arg for entry in asked} for one in handed)
    callers = [site for site in call.context.sites if any(here is loop for here in site.context.loops)]
    return callers[0] if takes and callers else call


def _never_looked_at(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.architecture.state_not_carried.unread_state import unread_states

    for found in unread_states(program.sources):
        yield clue(
            "proven",
            Value(found.statement, found.source),
            f"`{found.method}` takes `{found.parameter}` and creates a new state without reading it: the "
            f"state that the call on line {found.handed_in} passes in each iteration is ignored.",
            fix=f"Pass `{found.parameter}` to the layer: `out, state = rnn(x, state)`.",
        )


def _left_lying(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.architecture.state_not_carried.dropped_state import dropped_states

    for found in dropped_states(program.source):
        yield clue(
            "likely",
            Value(found.statement, program.source),
            f"`{found.name}` is passed in, and its updated value is discarded: every iteration of the "
            "loop starts from the same state.",
            fix=f"Keep it: assign to `{found.name}` instead of `_`.",
        )


def _cleared_each_turn(program: Program) -> Iterator[Evidence]:
    from sleuth.causes.architecture.state_not_carried.cleared_state import cleared_each_turn

    for emptied, kept, source in cleared_each_turn(program):
        yield clue(
            "likely",
            Value(emptied, source),
            f"The state is prepared for the next iteration on line {kept.lineno} and reset here at its "
            "start: nothing is remembered from one iteration to the next.",
            fix="Reset it before the loop; in the loop, only where a new sequence begins.",
        )


def _dropped_by_the_caller(program: Program) -> Iterator[Evidence]:
    """`out, _ = model(token)` in a generating loop, where the file's models hand back their state."""
    if not _models_hand_back_state(program):
        return
    for call in program.calls("()"):
        if not isinstance(call.receiver, Unknown) or len(call.args) != 1 or call.keywords:
            continue
        token = call.args[0]
        while isinstance(token, Call) and keeps_numbers(token) and (inner := subject(token)) is not None:
            token = inner
        if not isinstance(token, Carried) or token.loop not in call.context.loops:
            continue
        parts = [part for part in uses(program).of(call) if part.op == "[]" and part.args[0] is call]
        kept = {settled(part.args[1]): uses(program).of(part) for part in parts}
        places = {known.value: users for known, users in kept.items() if isinstance(known, Constant)}
        if places.get(0) and 1 in places and not places[1] and _is_generated(token, call):
            yield clue(
                "likely",
                call,
                f"`{call.receiver.name}` gets one token per iteration and the state it returns is "
                "discarded: each token is computed as if nothing came before it.",
                fix="Carry the state: `out, state = model(token, state)`, with `state = None` first.",
            )


def _given_back_and_left(program: Program) -> Iterator[Evidence]:
    """`out, _ = policy(obs, h)` in a loop that feeds its own results back, with `h` as it was before."""
    candidates = [call for call in program.calls("()") if call.context.loops and len(call.args) == 2]
    if not candidates or not _models_hand_back_state(program):
        return
    for call in candidates:
        loop = call.context.loops[-1]
        if not (isinstance(call.receiver, Unknown) or is_module(call.receiver)) or applied(call) is not None:
            continue
        fed = [value for value in ancestry(call.args[0], 12) if isinstance(value, Carried)]
        makers = [value for value in ancestry(call.args[1], 10) if isinstance(value, Call)]
        fresh = [made for made in makers if made.op in _FRESH]
        if not any(value.loop is loop and value.final is not None for value in fed) or not fresh:
            continue
        if _second_is_dropped(call, loop) and _is_plainly_named(call, loop, fresh):
            yield clue(
                "likely",
                call,
                f"The returned state is discarded and the one of line {spot(fresh[0]).line} is passed in "
                "every iteration: each step is computed as if nothing came before it.",
                fix="Carry the state: `out, state = model(x, state)`.",
            )


def _windows_from_zero(program: Program) -> Iterator[Evidence]:
    """Window after window of one stream, each from an empty state, by a model that takes and gives one.

    Many train so and mean it; whether it costs anything, an experiment can tell.
    """
    for call in program.calls("()"):
        made = applied(call)
        if made is None or made.op not in RECURRENT or not call.context.loops or not call.args:
            continue
        cut = settled(call.args[0])
        if not isinstance(cut, Call) or cut.op != "[]":
            continue
        loop = _window_loop(cut, call, made)
        if loop is not None and _how_it_is_lost(call, loop) and _models_hand_back_state(program):
            yield clue(
                "open",
                cut,
                f"The loop of line {spot(loop.node, call.source).line} processes a stream window by "
                "window, and each window starts from an empty state: the model never sees anything "
                "before it.",
                fix="Carry the state, `out, state = model(window, state)`, and detach it after each window.",
            )


def _window_loop(cut: Call, call: Call, made: Call) -> Loop | None:
    """The loop whose variable cuts windows out of the time axis of what the layer gets."""
    turn, time = _turn_of(cut, call), 1 if _is_batch_first(made) else 0
    if turn is None:
        return None
    key = settled(cut.args[1])
    parts = key.items if isinstance(key, Collection) and key.kind == "tuple" else [cut.args[1]]
    window = settled(parts[time]) if len(parts) > time else None
    if not (isinstance(window, Collection) and window.kind == "slice") and not _is_slice(window):
        return None
    return _loop_of(turn, call) if any(inner is turn for inner in ancestry(window, 20)) else None


def _is_slice(value: Value | None) -> bool:
    return isinstance(value, Call) and value.op == "builtins.slice"


def _second_is_dropped(call: Call, loop: Loop) -> bool:
    """`out, _ = ...`, with a second name that the loop never reads."""
    for node in ast.walk(loop.node):
        if (
            isinstance(node, ast.Assign)
            and node.value is call.node
            and isinstance(node.targets[0], ast.Tuple)
        ):
            names = node.targets[0].elts
            read = {part.id for part in ast.walk(loop.node) if isinstance(part, ast.Name) and _is_read(part)}
            return len(names) == 2 and isinstance(names[1], ast.Name) and names[1].id not in read
    return False


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _models_hand_back_state(program: Program) -> bool:
    """Every model here whose forward gives several things takes a state and gives it back."""
    found = False
    for site in program.calls("def"):
        method = site.receiver
        if not isinstance(method, Function) or not isinstance(method.definition, ast.FunctionDef):
            continue
        given = settled(site.result)
        if method.definition.name != "forward" or not isinstance(given, Collection) or given.kind != "tuple":
            continue
        if len(method.definition.args.args) < 3 or len(given.items) != 2 or not _is_state(given.items[1]):
            return False
        found = True
    return found


def _is_state(value: Value) -> bool:
    """The second thing that a recurrent layer gives."""
    picked = settled(value)
    cell = applied(picked)
    if cell is not None and cell.op in CELLS:
        return True
    if not isinstance(picked, Call) or picked.op != "[]" or exact(picked.args[1]) != 1:
        return False
    made = applied(settled(picked.args[0]))
    return made is not None and made.op in RECURRENT


def _time_loop(program: Program, call: Call, made: Call) -> Loop | None:
    """The loop that hands the layer one step, piece of the sequence or generated token after the other."""
    value, time = call.args[0], 1 if _is_batch_first(made) else 0
    single = made.op in CELLS  # becomes true when an axis of length 1 is put where time is
    for _ in range(10):
        here = settled(value)
        if isinstance(here, Carried):
            return here.loop if here.loop in call.context.loops and _is_generated(here, call) else None
        if not isinstance(here, Call):
            return None
        if here.op in (".unsqueeze", "torch.unsqueeze"):
            single = single or axis_of(here) == time
        elif here.op == "[]":
            turn = _turn_of(here, call)
            if turn is not None:
                return _loop_of(turn, call) if _cuts_a_step(here, turn, time, single) else None
        elif here.op == "next":
            return _loop_over_pieces(program, here, call, time, single)
        elif not _leaves_axes_alone(here):
            return None
        following = here.args[0] if here.op == "[]" else subject(here)
        if following is None:
            return None
        value = following
    return None


def _leaves_axes_alone(call: Call) -> bool:
    name = layer(call).rpartition(".")[2].lstrip("@")
    return name in _KEEPS_TIME or (keeps_numbers(call) and name not in _MOVES_AXES)


def _is_batch_first(made: Call) -> bool:
    told = settled(made.argument(4, "batch_first"))
    return isinstance(told, Constant) and told.value is True


def _is_generated(token: Carried, call: Call) -> bool:
    """What comes in is the token picked from the output of the turn before, alone."""
    names, seen = set(), False
    for value in ancestry(token.final, 200):
        seen = seen or value is call
        if isinstance(value, Call):
            names.add(value.op if value.op in _GROWS else layer(value).rpartition(".")[2].lstrip("."))
    return seen and not names.isdisjoint(_PICKS_A_TOKEN) and names.isdisjoint(_GROWS)


def _loop_over_pieces(program: Program, turn: Call, call: Call, time: int, single: bool) -> Loop | None:
    """`for x_t in x.unbind(1)`, `for piece in x.split(8, dim=1)`: not when each piece is a training step."""
    pieces, loop = settled(turn.args[0]), _loop_of(turn, call)
    if loop is None or not isinstance(pieces, Call):
        return None
    if pieces.op in _UNBINDS:
        axis = (
            0 if len(pieces.args) + len(pieces.keywords) < 1 + (pieces.receiver is None) else axis_of(pieces)
        )
        return loop if single and (_is_cell(call) or axis == time) else None
    trained = any(event.inside(loop) for event in program.training.of("backward"))
    whole = pieces.op in _SPLITS and axis_of(pieces, position=1) == time and not trained
    return loop if whole else None


def _is_cell(call: Call) -> bool:
    made = applied(call)
    return made is not None and made.op in CELLS


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
    part = settled(parts[axis]) if axis is not None else None
    if isinstance(part, Collection) and part.kind == "slice":
        return axis == time and is_one_long(part)
    # One index takes the axis away: a cell wants it so, a layer needs it back (`single`).
    return single and axis in ((1,) if time == 1 else (0, 1))


def _how_it_is_lost(call: Call, loop: Loop) -> str:
    """Why no memory goes from one turn to the next; empty when it may."""
    state = call.argument(1, "hx")
    known = settled(state)
    if state is None or (isinstance(known, Constant) and known.value is None):
        return "gets no state"
    if any(isinstance(value, Carried) for value in ancestry(state, 60)):
        return ""
    makers = [value for value in ancestry(known, 10) if isinstance(value, Call) and value.op in _FRESH]
    if not makers or not _is_plainly_named(call, loop, makers):
        return ""
    return f"gets the state made on line {spot(makers[0]).line} each time"


def _is_plainly_named(call: Call, loop: Loop, makers: list[Call]) -> bool:
    """The state is made anew in the loop, or is a variable that the loop never assigns."""
    if all(any(here is loop for here in maker.context.loops) for maker in makers):
        return True
    node = call.node
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return False
    written = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    stored = {
        inner.id
        for inner in ast.walk(loop.node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
    return all(isinstance(part, ast.Name) and part.id not in stored for part in written)


def undo(world: "World") -> None:
    from sleuth.lab.worlds.repairs import of_models

    of_models.state_carried(world)


MOSTLY_BLANK = 0.8  # episodes that begin at four of five steps are none
SEVERAL = 8


def probe(bench: "Workbench") -> Iterator[Evidence]:
    for part in bench.first.recurrent:
        forgets = part.hidden_gradient == 0.0 and bool(part.input_gradient)
        if forgets and part.calls > 1 and part.stateless_calls == part.calls:
            yield Evidence(
                f"`{part.path or part.kind}` is called {part.calls} times with {part.steps} time step and "
                "its state is never passed back in: its recurrent weights have a gradient of exactly "
                "zero, so it has no memory.",
                telling="likely",
                where=Where(module=part.path or None),
                numbers={"calls": part.calls, "steps": part.steps},
                fix="Keep what it returns: `out, state = rnn(x, state)`.",
            )
        elif part.blank >= MOSTLY_BLANK and part.calls >= SEVERAL:
            yield Evidence(
                f"{part.blank:.0%} of the states that `{part.path or part.kind}` gets back over "
                f"{part.calls} steps are all zero: it starts from scratch almost every time.",
                telling="likely",
                where=Where(module=part.path or None),
                numbers={"blank": part.blank, "calls": part.calls},
                fix="Check what the state is multiplied with: the mask that resets it may be inverted.",
            )
        elif forgets and part.steps == 1 and part.calls == 1 and part.stateless_calls:
            yield Evidence(
                f"`{part.path or part.kind}` sees sequences of length 1 and starts from zero each time: "
                "its recurrent weights get no gradient.",
                telling="likely",
                where=Where(module=part.path or None),
                numbers={"steps": part.steps},
                fix="Pass whole sequences (check batch_first), or carry the state from call to call.",
            )
