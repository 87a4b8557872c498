"""The door of functional dropout: whether it follows the mode of the module that calls it."""

import sys
from typing import Any

from sleuth.record.entries import Dropout
from sleuth.watching.models import Births, known
from sleuth.watching.place import NOWHERE, Place
from sleuth.watching.state import State

DROPOUTS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()


def attach(state: State, patches: Any, births: Births) -> None:
    import torch

    def watched(original: Any, name: str) -> Any:
        def dropout(*args: Any, **kwargs: Any) -> Any:
            if not state.off and not torch.compiler.is_compiling():
                p = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
                training = args[2] if len(args) > 2 else kwargs.get("training", name != "alpha_dropout")
                _safely(state, births, float(p), bool(training))
            return original(*args, **kwargs)

        return dropout

    def attending(original: Any, name: str) -> Any:
        def attention(*args: Any, **kwargs: Any) -> Any:
            if not state.off and not torch.compiler.is_compiling():
                p = args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0)
                _safely(state, births, float(p), bool(p))
            return original(*args, **kwargs)

        return attention

    patches.replace_everywhere(torch.nn.functional, DROPOUTS, watched)
    patches.replace_everywhere(torch.nn.functional, ["scaled_dot_product_attention"], attending)


def _safely(state: State, births: Births, p: float, active: bool) -> None:
    try:
        _seen(state, births, p, active)
    except Exception as error:
        state.give_up(error)


def _seen(state: State, births: Births, p: float, active: bool) -> None:
    module, place = _caller(state)
    if module is None or module.training:
        return
    active = active and p > 0.0  # a line that rests at times and is active at others is told what to do
    key = ("dropout", place, active)
    if state.counts.get(key):
        return
    state.counts[key] = 1
    entry = known(state, births, module)
    name = entry.modules.get(id(module), "") or type(module).__name__
    state.put(Dropout(place[1], place[0], p, active, bool(module.training), name))


def _caller(state: State) -> tuple[Any, Place]:
    """The module of the user's own code that called; torch's own dropout layers follow their mode."""
    import torch

    frame: Any = sys._getframe(4)
    while frame is not None:
        name = state.places.name_of(frame.f_code.co_filename, frame)
        owner = frame.f_locals.get("self")
        if isinstance(owner, torch.nn.Module):
            return (owner, (name, frame.f_lineno)) if name else (None, NOWHERE)
        if name and frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back
    return None, NOWHERE
