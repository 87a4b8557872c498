"""The door of loaded files: a checkpoint or cache that is older than the code beside it."""

import os
import pickle
import sys
from typing import Any

from sleuth.record.entries import Cached
from sleuth.watching.state import State

MOST_NAMED = 10


def attach(state: State, patches: Any) -> None:
    import torch

    patches.replace_everywhere(torch, ["load"], lambda original, name: _watched(state, original))
    patches.replace(pickle, "load", lambda original: _watched(state, original))


def attach_numpy(state: State, patches: Any, numpy: Any) -> None:
    patches.replace(numpy, "load", lambda original: _watched(state, original))


def _watched(state: State, original: Any) -> Any:
    def load(*args: Any, **kwargs: Any) -> Any:
        if not state.off and args:
            try:
                _seen(state, args[0])
            except Exception as error:
                state.give_up(error)
        return original(*args, **kwargs)

    return load


def _seen(state: State, source: Any) -> None:
    path = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    place, line = state.places.here()
    if not isinstance(path, (str, os.PathLike)) or not place or not os.path.isfile(path):
        return
    name = os.fspath(path)
    if not isinstance(name, str) or state.counts.get(("file", name)):
        return
    state.counts["file", name] = 1
    written = os.stat(name).st_mtime
    if written < state.started:  # what this run wrote itself is fresh
        later = [file for file, changed in _sources(state) if changed > written]
        state.put(Cached(name, line, written, tuple(later[:MOST_NAMED])))


def _sources(state: State) -> list[tuple[str, float]]:
    """The user's own modules that are loaded, and when each was changed last."""
    found = {}
    for module in [*sys.modules.values()]:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not file.startswith(state.places.foreign) and os.path.isfile(file):
            found[os.path.relpath(file, state.places.folder)] = os.stat(file).st_mtime
    return sorted(found.items())
