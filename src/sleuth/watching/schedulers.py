"""The door of learning-rate schedules: made, and stepped."""

import weakref
from typing import Any

from sleuth.record.entries import Scheduler
from sleuth.watching.state import State

SETTINGS = (
    "T_max eta_min step_size gamma total_steps milestones total_iters T_0 T_mult patience factor threshold "
    "mode start_factor end_factor power step_size_up step_size_down base_lrs max_lrs cooldown min_lrs"
).split()


def attach(state: State, patches: Any) -> None:
    from torch.optim import lr_scheduler as door

    inside = [0]

    def made(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            inside[0] += 1
            try:
                original(self, *args, **kwargs)
            finally:
                inside[0] -= 1
            if inside[0] == 0 and not state.off:
                _safely(state, _made, state, self)

        return __init__

    def stepped(original: Any) -> Any:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            inside[0] += 1
            try:
                result = original(self, *args, **kwargs)
            finally:
                inside[0] -= 1
            if inside[0] == 0 and not state.off:
                _safely(state, _stepped, state, self)
            return result

        return step

    bases = [door.LRScheduler, *_family(door.LRScheduler)]
    for kind in [*bases, door.ReduceLROnPlateau]:
        if "__init__" in vars(kind):
            patches.replace(kind, "__init__", made)
        if "step" in vars(kind):
            patches.replace(kind, "step", stepped)


def _family(kind: type[Any]) -> list[type[Any]]:
    """torch's own schedules; a user's subclass reaches its base by super()."""
    below = kind.__subclasses__()
    return [*below, *(part for child in below for part in _family(child))]


def _safely(state: State, function: Any, *args: Any) -> None:
    try:
        function(*args)
    except Exception as error:
        state.give_up(error)


def _made(state: State, scheduler: Any) -> None:
    number = state.new_id("scheduler")
    state.schedulers[number] = weakref.ref(scheduler)
    state.scheduler_ids[scheduler] = number
    path, line = state.places.maker(scheduler)
    state.event("make_scheduler", number, line)
    optimizer = getattr(scheduler, "optimizer", None)
    state.put(
        Scheduler(
            id=number,
            type=type(scheduler).__name__,
            optimizer=state.optimizer_ids.get(optimizer, 0) if optimizer is not None else 0,
            line=line,
            path=path,
            n=state.n,
            settings={
                key: value for key in SETTINGS if (value := _plain(getattr(scheduler, key, None))) is not None
            },
        )
    )


def _stepped(state: State, scheduler: Any) -> None:
    number = state.scheduler_ids.get(scheduler, 0)
    state.event_here("scheduler", number)


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(part for part in value if isinstance(part, (int, float)))
    return sorted(value) if hasattr(value, "keys") and len(value) < 50 else None
