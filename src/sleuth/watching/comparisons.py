"""The door of comparisons: predictions held against a number, or against labels."""

from typing import Any

from sleuth.record.entries import Crossed, Threshold
from sleuth.watching.state import State

SIGNS = {
    "__gt__": ">",
    "__ge__": ">=",
    "__lt__": "<",
    "__le__": "<=",
    "gt": ">",
    "ge": ">=",
    "lt": "<",
    "le": "<=",
}
EQUAL = {"__eq__": "==", "eq": "==", "__ne__": "!=", "ne": "!=", "__sub__": "-", "sub": "-"}


def attach(state: State, patches: Any) -> None:
    import torch

    def against_number(name: str) -> Any:
        def make(original: Any) -> Any:
            def compare(self: Any, other: Any) -> Any:
                if state.evaluating and isinstance(other, (int, float)) and not state.off:
                    _safely(state, _threshold, state, self, SIGNS[name], float(other))
                return original(self, other)

            return compare

        return make

    def against_labels(sign: str) -> Any:
        def make(original: Any) -> Any:
            def compare(self: Any, other: Any) -> Any:
                result = original(self, other)
                if state.evaluating and isinstance(other, torch.Tensor) and not state.off:
                    if sign == "==":
                        _safely(state, _labels, state, self, other, result)
                    if self.dim() != other.dim():
                        _safely(state, _crossed, state, sign, self, other)
                return result

            return compare

        return make

    for name in SIGNS:
        patches.replace(torch.Tensor, name, against_number(name))
    for name, sign in EQUAL.items():
        patches.replace(torch.Tensor, name, against_labels(sign))


def _rows(forward: Any) -> int:
    """As many as were answered: a bag of words goes in as one long list of all of them."""
    return int(forward.shape[0]) if forward.shape else int(forward.rows)


def _safely(state: State, function: Any, *args: Any) -> None:
    try:
        function(*args)
    except Exception as error:
        state.give_up(error)


def _threshold(state: State, scores: Any, sign: str, against: float) -> None:
    """The first of each line, where the scores are as many as the rows just predicted."""
    import torch

    forward = state.pending[-1] if state.pending else None
    if forward is None or not scores.is_floating_point() or not scores.dim() or scores.requires_grad:
        return
    if scores.shape[0] != _rows(forward) or torch.compiler.is_compiling():
        return
    path, line = state.places.here()
    key = ("threshold", path, line)
    if not path or state.counts.get(key):
        return
    state.counts[key] = 1
    from sleuth.watching.passes import stores

    low, high = torch.aminmax(scores.detach().float())
    raw = bool(stores((scores,), {}) & forward.outputs_at)
    state.put(Threshold(line, path, sign, against, float(low), float(high), raw))


def _labels(state: State, mine: Any, other: Any, result: Any) -> None:
    """Decisions held against labels after an evaluation call: how many agree."""
    import torch

    forward = state.pending[-1] if state.pending else None
    if forward is None or not isinstance(result, torch.Tensor) or not result.dim():
        return
    by_class = not mine.is_floating_point() and not other.is_floating_point()
    if not by_class or result.shape[0] != _rows(forward) or torch.compiler.is_compiling():
        return
    if forward.correct is None and result.numel() and state.places.here()[0]:
        forward.correct, forward.checked = float(result.float().mean()), int(result.numel())


def _crossed(state: State, sign: str, mine: Any, other: Any) -> None:
    """(N, 1) against (N,): N x N answers come out, where one a row was meant."""
    import torch

    forward = state.pending[-1] if state.pending else None
    column, flat = (mine, other) if mine.dim() == 2 else (other, mine)
    rows = _rows(forward) if forward is not None else 0
    if rows < 2 or tuple(column.shape) != (rows, 1) or tuple(flat.shape) != (rows,):
        return
    if torch.compiler.is_compiling() or not _predicted(state, sign, column, flat):
        return
    path, line = state.places.here()
    key = ("crossed", path, line)
    if path and not state.counts.get(key):
        state.counts[key] = 1
        state.put(Crossed(line, path, sign, tuple(mine.shape), tuple(other.shape)))


def _predicted(state: State, sign: str, column: Any, flat: Any) -> bool:
    """What the model returned has the column's or the row's own shape, so nobody crossed the two on purpose:
    tables of pairs are made from one list by an axis that is added to it."""
    from sleuth.watching.passes import stores

    forward = state.pending[-1]
    if forward.shape is None or forward.shape[1:] not in ((), (1,)):
        return False
    # Many a difference is one of all pairs; of the answers as they came, it is not.
    return sign != "-" or bool(stores((column, flat), {}) & forward.outputs_at)
