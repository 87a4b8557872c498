"""The door of gradient clipping: the threshold, the norm before it, and each gradient as it was."""

import time
from typing import Any

from sleuth.watching.state import State


def attach(state: State, patches: Any) -> None:
    import torch

    def watched(original: Any, name: str) -> Any:
        def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            if state.off or torch.compiler.is_compiling():
                return original(parameters, *args, **kwargs)
            if not isinstance(parameters, torch.Tensor):
                parameters = [*parameters]  # a generator can be walked once only
            try:
                _before(state, name, parameters)
            except Exception as error:
                state.give_up(error)
            result = original(parameters, *args, **kwargs)
            try:
                given = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
                _after(state, given, result)
            except Exception as error:
                state.give_up(error)
            return result

        return clip

    names = ("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_")
    patches.replace_everywhere(torch.nn.utils, names, watched)


def _before(state: State, name: str, parameters: Any) -> None:
    from sleuth.watching.optimizers import norms, total

    window = state.window
    started = time.perf_counter()
    parts = [parameters] if not isinstance(parameters, list) else parameters
    with_gradient = [part for part in parts if part.grad is not None]
    if window.sampled or (window.measured and name == "clip_grad_value_"):
        each = norms([part.grad for part in with_gradient])
        for part, norm in zip(with_gradient, each.tolist(), strict=True):
            window.clip_gradients.setdefault(id(part), norm)
        if window.grad_norm is None:
            window.grad_norm = total(each)
    state.layers_s += time.perf_counter() - started


def _after(state: State, threshold: Any, result: Any) -> None:
    window = state.window
    window.clip = float(threshold) if threshold is not None else None
    if result is not None:
        norm = float(result)
        # Clipping part by part: the parts together are the whole.
        before = window.clipped_norm
        window.clipped_norm = norm if before is None else (before**2 + norm**2) ** 0.5
        window.grad_norm = window.clipped_norm
    state.event_here("clip", 0)
