"""The door of comparisons: predictions held against a number, or against labels."""

from typing import Any

from sleuth.facts.step import Threshold
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

    def against_labels(original: Any) -> Any:
        def compare(self: Any, other: Any) -> Any:
            result = original(self, other)
            if state.evaluating and isinstance(other, torch.Tensor) and not state.off:
                _safely(state, _labels, state, self, other, result)
            return result

        return compare

    for name in SIGNS:
        patches.replace(torch.Tensor, name, against_number(name))
    for name in ("__eq__", "eq"):
        patches.replace(torch.Tensor, name, against_labels)


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
    if scores.shape[0] != forward.rows or torch.compiler.is_compiling():
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
    if not by_class or result.shape[0] != forward.rows or torch.compiler.is_compiling():
        return
    if forward.correct is None and result.numel() and state.places.here()[0]:
        forward.correct, forward.checked = float(result.float().mean()), int(result.numel())
