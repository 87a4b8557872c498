"""Replaces functions by others that stand around them, and puts every one of them back."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import update_wrapper
from types import BuiltinFunctionType, FunctionType
from typing import Any

MISSING: Any = object()


@dataclass
class Patches:
    """What was replaced, in order, so that it can be restored."""

    done: list[tuple[Any, str, Any]] = field(default_factory=list)
    undo: list[Callable[[], None]] = field(default_factory=list)  # hooks to remove, and the like
    failed: Callable[[BaseException], None] = field(default=lambda error: None)  # what is told of a failure

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """`make` gets the original and returns what stands in its place. A name that is not there is left."""
        original = vars(owner).get(name, MISSING)
        if original is MISSING:
            inherited = getattr(owner, name, MISSING)
            if inherited is MISSING:
                return
            self._set(owner, name, MISSING, dressed(make(inherited), inherited))
        else:
            self._set(owner, name, original, dressed(make(_as_function(owner, original)), original))

    def replace_everywhere(self, owner: Any, names: Iterable[str], make: Callable[[Any, str], Any]) -> None:
        """Functions of a module, also where another module already holds them by `from … import`."""
        watched: dict[int, tuple[Any, Any]] = {}
        for name in names:
            if (original := getattr(owner, name, MISSING)) is not MISSING:
                watched[id(original)] = (original, dressed(make(original, name), original))
        for module in [*sys.modules.values()]:
            for key, value in [*getattr(module, "__dict__", {}).items()]:
                if id(value) in watched and not key.startswith("__"):
                    self._set(module, key, *watched[id(value)])

    def restore(self) -> None:
        for owner, name, original in reversed(self.done):
            if original is MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        for undo in reversed(self.undo):
            undo()
        self.done.clear()
        self.undo.clear()

    def _set(self, owner: Any, name: str, original: Any, watched: Any) -> None:
        self.done.append((owner, name, original))
        setattr(owner, name, watched)


def _as_function(owner: Any, raw: Any) -> Any:
    """What stands there already may be a descriptor of ours: it is asked anew at every call."""
    if isinstance(owner, type) and not isinstance(raw, (FunctionType, BuiltinFunctionType)):
        if hasattr(type(raw), "__get__") and type(raw).__module__.startswith("sleuth."):
            return lambda instance, *args, **keywords: raw.__get__(instance, owner)(*args, **keywords)
    return raw


# `warnings` does not count frames of a file that is named like this, so that a warning raised with a stack
# level still points at the user's line.
HIDDEN = "<sleuth, hidden like importlib._bootstrap>"


def dressed(watched: Any, original: Any) -> Any:
    """A function of ours answers to the name, the docstring and the signature of the original. One of
    somebody else's that is put in its place stays as it is."""
    if isinstance(watched, FunctionType) and str(watched.__module__).startswith("sleuth."):
        watched.__code__ = watched.__code__.replace(co_filename=HIDDEN)
        return update_wrapper(watched, original)
    return watched
