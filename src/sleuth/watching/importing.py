"""Acts when a module is imported, now or later."""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def when_imported(patches: Any, name: str, then: Callable[[ModuleType], None]) -> None:
    """Call `then` at once if the module is there, else right after its import."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    finder = Finder(name, then)
    sys.meta_path.insert(0, finder)
    patches.undo.append(lambda: _remove(finder))


def _remove(finder: "Finder") -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


class Finder:
    """Sits in the import system until one module has been imported."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name, self.then, self.busy = name, then, False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name or self.busy:
            return None
        from importlib.util import find_spec

        self.busy = True
        try:
            spec = find_spec(name)
        finally:
            self.busy = False
        if spec is not None and spec.loader is not None:
            _run_after(spec.loader, self)
        return spec


def _run_after(loader: Any, finder: Finder) -> None:
    """Have this one loader call back after it has run the module."""
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        original(module)
        _remove(finder)
        finder.then(module)

    loader.exec_module = exec_module
