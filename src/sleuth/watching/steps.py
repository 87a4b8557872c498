"""One optimizer step: the numbers of its window, put together and written as one line."""

import json
import time
from typing import Any

from sleuth.facts.step import Layers
from sleuth.watching import memory, passes
from sleuth.watching.state import State, Window


def by_hand(state: State) -> None:
    """Without an optimizer, a backward pass ends the step of the one before it."""
    marks = [place for place, event in enumerate(state.events) if event[0] == "backward"]
    if not marks:
        return
    later = state.events[marks[-1] + 1 :]
    state.events = state.events[: marks[-1] + 1]
    ended(state, number=0, place=("", 0), lr=None, numbers={}, optimizer_s=None)
    state.events = later


def look_for_left_overs(state: State) -> None:
    """Gradients that outlived their step: measured when the next backward begins, unless cleared."""
    for held in state.optimizers.values():
        if held.dirty and held.left_over is None:
            started = time.perf_counter()
            held.left_over = held.gradient_norm()
            state.norms_s += time.perf_counter() - started


def ended(
    state: State,
    number: int,
    place: tuple[str, int],
    lr: float | None,
    numbers: dict[str, Any],
    optimizer_s: float | None,
) -> None:
    """Write the step and open the next window."""
    window, now = state.window, time.perf_counter()
    pattern = state.close_pattern()
    if window.sampled:
        numbers |= memory.seen(state)
        _tell_layers(state, numbers)
        state.layers_s += time.perf_counter() - now
    line = "".join(
        (
            f'{{"kind":"step","n":{state.n},"t":{now - state.began:.5f},"pattern":{pattern}',
            f',"backwards":{window.backwards}',
            _origin(state, "optimizer", number, "line", "path", place),
            _origin(state, "", 0, "loss_line", "loss_path", window.loss_place),
            _number("loss", window.loss),
            _number("called_loss", window.called if window.called_known else None),
            _number("called_factor", window.factor),
            _number("clip", window.clip),
            _number("clipped_norm", window.clipped_norm),
            _number("lr", lr),
            "" if window.training is None else TRAINING[window.training],
            f',"batch":"{window.batch}"' if window.batch else "",
            "" if window.rows is None else f',"rows":{window.rows}',
            _times(window, optimizer_s, now - (state.step_ended or state.began)),
            "" if window.graph is None else f',"graph":{window.graph}',
            _number("scale", state.scale),
            *(_number(key, value) for key, value in numbers.items()),
            "}\n",
        )
    )
    state.writer.put_line(line)
    passes.settle(state)
    state.n += 1
    state.step_ended = time.perf_counter()
    state.own_s += state.step_ended - now
    state.next_window()


# A step's line is put together by hand, as `facts.step.line_of` would have it: every step writes one.
TRAINING = {True: ',"training":true', False: ',"training":false'}


def _number(key: str, value: Any) -> str:
    if value is None:
        return ""
    return f',"{key}":{value:.9g}' if value - value == 0 else f',"{key}":"{value}"'


def _times(window: Window, optimizer_s: float | None, total_s: float) -> str:
    """The whole at every step; its parts where the backward pass was timed."""
    if not window.measured:
        return f',"total_s":{total_s:.4g}'
    return "".join(
        (
            _seconds("data_s", window.data_s),
            _seconds("forward_s", window.forward_s),
            _seconds("backward_s", window.backward_s),
            _seconds("optimizer_s", optimizer_s),
            _seconds("total_s", total_s),
        )
    )


def _seconds(key: str, value: float | None) -> str:
    return f',"{key}":{value:.4g}' if value else ""


def _origin(state: State, kind: str, number: int, line: str, path: str, place: tuple[str, int]) -> str:
    """Where it happened; the same few places come again and again."""
    key = (kind, number, line, place)
    found = state.origins.get(key)
    if found is None:
        about = f',"{kind}":{number}' if kind else ""
        found = f'{about},"{line}":{place[1]},"{path}":{json.dumps(place[0])}'
        state.origins[key] = found
    return found


def _tell_layers(state: State, numbers: dict[str, Any]) -> None:
    layers = numbers.pop("layers", {})
    window = state.window
    if layers or window.activations:
        state.put(Layers(n=state.n, activations=dict(window.activations), types=dict(window.types), **layers))
