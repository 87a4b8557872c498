"""One optimizer step: the numbers of its window, put together and written as one line."""

import json
import time
from typing import Any

from sleuth.record.entries import Layers
from sleuth.watching import memory, passes
from sleuth.watching.place import Place
from sleuth.watching.state import State


def by_hand(state: State) -> None:
    """Without an optimizer, a backward pass ends the step of the one before it."""
    marks = [place for place, event in enumerate(state.events) if event[0] == "backward"]
    if not marks:
        return
    later, taken = state.events[marks[-1] + 1 :], state.n
    state.events = state.events[: marks[-1] + 1]
    ended(state, number=0, place=("", 0), lr=None, numbers={}, optimizer_s=None)
    state.events = later
    for callback in [*state.on_step]:
        callback(taken)


def look_for_left_overs(state: State) -> None:
    """Gradients that outlived their step: measured when the next backward begins, unless cleared."""
    for held in state.optimizers.values():
        if held.dirty and held.left_over is None:
            held.left_over = held.gradient_norm()


def ended(
    state: State,
    number: int,
    place: Place,
    lr: float | None,
    numbers: dict[str, Any],
    optimizer_s: float | None,
) -> None:
    """Write the step and open the next window."""
    window, now = state.window, time.perf_counter()
    pattern = state.close_pattern()
    if window.sampled:
        state.keep_open()
        numbers |= memory.seen(state)
        _tell_layers(state, numbers)
        state.layers_s += time.perf_counter() - now
    if window.measured:
        state.writer.put_line(_whole(state, pattern, number, place, lr, numbers, optimizer_s, now))
    else:
        origin, took = _origin(state, pattern, number, place), now - (state.step_ended or state.began)
        about = (window.loss, lr, numbers.get("left_over"), window.clip, window.clipped_norm, state.scale)
        state.writer.put_line((_brief, state.n, now - state.began, origin, took, *about))
    if state.pending:
        passes.settle(state)
    state.n += 1
    state.step_ended = time.perf_counter()
    state.own_s += state.step_ended - now
    if window.measured and not window.sampled:
        state.norms_s += state.step_ended - now
    state.next_window()


# A step's line is put together by hand, as `facts.record_lines.line_of` would have it: every step writes one.
MOST_ORIGINS = 5000


def _whole(
    state: State,
    pattern: int,
    number: int,
    place: Place,
    lr: float | None,
    numbers: dict[str, Any],
    optimizer_s: float | None,
    now: float,
) -> str:
    """The line of a step that was measured."""
    window = state.window
    return "".join(
        (
            f'{{"kind":"step","n":{state.n},"t":{now - state.began:.5f}',
            _origin(state, pattern, number, place),
            _number("loss", window.loss),
            _number("called_loss", window.called if window.called_known else None),
            _number("called_factor", window.factor),
            _number("clip", window.clip),
            _number("clipped_norm", window.clipped_norm),
            _number("lr", lr),
            f',"batch":"{window.batch}"' if window.batch else "",
            _seconds("data_s", window.data_s),
            _seconds("forward_s", window.forward_s),
            _seconds("backward_s", window.backward_s),
            _seconds("optimizer_s", optimizer_s),
            _seconds("total_s", now - (state.step_ended or state.began)),
            f',"cpu":{time.thread_time():.4f}',
            "" if window.graph is None else f',"graph":{window.graph}',
            _number("scale", state.scale),
            *(_number(key, value) for key, value in numbers.items()),
            "}\n",
        )
    )


def _brief(
    n: int,
    t: float,
    origin: str,
    total_s: float,
    loss: float | None,
    lr: float | None,
    left_over: float | None,
    clip: float | None,
    clipped_norm: float | None,
    scale: float | None,
) -> str:
    """The line of any other step. Made when it is written: many at once take a fraction of the time."""
    return (
        f'{{"kind":"step","n":{n},"t":{t:.5f}{origin}{_number("loss", loss)}{_number("lr", lr)}'
        f"{_number('clip', clip)}{_number('clipped_norm', clipped_norm)}{_number('scale', scale)}"
        f'{_number("left_over", left_over)},"total_s":{total_s:.4g}}}\n'
    )


def _number(key: str, value: Any) -> str:
    if value is None:
        return ""
    return f',"{key}":{value:.9g}' if value - value == 0 else f',"{key}":"{value}"'


def _seconds(key: str, value: float | None) -> str:
    return f',"{key}":{value:.4g}' if value else ""


def _origin(state: State, pattern: int, number: int, place: Place) -> str:
    """Where it happened, and how; the same few come again and again."""
    window = state.window
    key = (pattern, number, place, window.loss_place, window.backwards, window.training, window.rows)
    found = state.origins.get(key)
    if found is None:
        if len(state.origins) > MOST_ORIGINS:
            state.origins.clear()
        about = {"optimizer": number, "line": place[1], "path": place[0]}
        about |= {"loss_line": window.loss_place[1], "loss_path": window.loss_place[0]}
        about |= {} if window.training is None else {"training": window.training}
        about |= {} if window.rows is None else {"rows": window.rows}
        told = json.dumps({"pattern": pattern, "backwards": window.backwards, **about}, separators=(",", ":"))
        found = state.origins[key] = "," + told[1:-1]
    return found


def _tell_layers(state: State, numbers: dict[str, Any]) -> None:
    layers = numbers.pop("layers", {})
    window = state.window
    if layers or window.activations:
        state.put(Layers(n=state.n, activations=dict(window.activations), types=dict(window.types), **layers))
