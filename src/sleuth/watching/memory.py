"""What piles up in the process: resident bytes, hooks on the models, now and then live tensors."""

import os
import time
from typing import Any

from sleuth.watching import keepers
from sleuth.watching.state import State

RARELY = 500  # walking all objects takes tens of milliseconds: no more than one part in so many


def seen(state: State) -> dict[str, Any]:
    found: dict[str, Any] = {"rss": resident(), "hooks": most_hooks(state)}
    if time.perf_counter() >= state.count_tensors_at or (state.deep and state.n % 50 == 1):
        started = time.perf_counter()
        found["tensors"] = live_tensors() - len(state.rows.recent)  # the recorder's own
        keepers.look(state, found["tensors"])
        took = time.perf_counter() - started
        state.count_tensors_at = started + took * RARELY
        state.layers_s -= took  # it has a share of its own
    return found


def most_hooks(state: State) -> int:
    """Hooks on the modules of one model, of the one that has most. Each is called at every pass."""
    counts = [0]
    for known in [*state.models.values()]:
        model = known.module()
        if model is not None and known.trained:
            parts = model.modules()
            counts.append(
                sum(len(p._forward_hooks) + len(p._forward_pre_hooks) + len(p._backward_hooks) for p in parts)
            )
    return max(counts)


def resident() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return _resident_elsewhere()


def _resident_elsewhere() -> int | None:
    """Where there is no /proc: the peak, which grows with a leak as well."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def live_tensors() -> int:
    import gc
    from collections import Counter

    import torch

    # `type` rather than isinstance: some objects raise when asked for their class. Counting types first keeps
    # the walk over some hundred thousand objects out of Python.
    kinds = Counter(map(type, gc.get_objects()))
    return sum(count for kind, count in kinds.items() if issubclass(kind, torch.Tensor))
