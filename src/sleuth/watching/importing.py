"""Acts when a module is imported, now or later."""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Then = Callable[[ModuleType], None]


def when_imported(patches: Any, name: str, then: Then) -> None:
    """Call `then` at once if the module is there, else right after its import."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    finder = next((one for one in sys.meta_path if isinstance(one, Finder) and one.owner is patches), None)
    if finder is None:
        finder = Finder(patches)
        sys.meta_path.insert(0, finder)
        patches.undo.append(lambda: _remove(finder))
    finder.wanted.setdefault(name, []).append(then)


def _remove(finder: Any) -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


class Finder:
    """Sits in the import system, and has what waits for a module called once it is there."""

    def __init__(self, owner: Any) -> None:
        self.owner, self.busy = owner, False
        self.wanted: dict[str, list[Then]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.wanted or self.busy:
            return None
        from importlib.util import find_spec

        self.busy = True
        try:
            spec = find_spec(name)
        except Exception:  # the finders behind this one will say so themselves
            return None
        finally:
            self.busy = False
        if spec is not None and spec.loader is not None:
            _run_after(spec.loader, self, name)
        return spec

    def arrived(self, name: str, module: ModuleType) -> None:
        """What goes wrong here must not reach the script that imports it."""
        for then in self.wanted.pop(name, ()):
            try:
                then(module)
            except Exception as error:
                self.owner.failed(error)


def _run_after(loader: Any, finder: Finder, name: str) -> None:
    """Have this one loader call back after it has run the module."""
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        original(module)
        finder.arrived(name, module)

    loader.exec_module = exec_module
