"""Runs a script as `__main__` in this process, with a hand on the loops of its own source files."""

import builtins
import os
import runpy
import sys
import sysconfig
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sleuth.lab.control import Control
from sleuth.lab.rewrite import AGAIN, ROWS, TURNS, compiled

_NOT_THE_USERS = tuple(
    os.path.realpath(path) + os.sep
    for path in (
        *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        str(Path(__file__).parents[1]),  # Sleuth itself
    )
)


def is_users(path: str | None) -> bool:
    """Whether a file belongs to the user's project, not to an installed package."""
    if not path or not path.endswith((".py", ".pyw")):
        return False
    real = os.path.realpath(path)
    return "site-packages" not in real and not real.startswith(_NOT_THE_USERS)


def run_script(script: Path, arguments: Sequence[str], control: Control, module: str | None = None) -> None:
    """Run a file, or with `module` what `python -m` would run, as if Python had been started on it."""
    setattr(builtins, TURNS, control.turns)
    setattr(builtins, AGAIN, control.again)
    setattr(builtins, ROWS, control.rows)
    sys.meta_path.insert(0, _Finder())
    sys.argv = [str(script), *arguments]
    if module is not None:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return
    sys.path.insert(0, str(script.resolve().parent))
    space = _as_main(script)
    exec(compiled(script.read_bytes(), str(script)), space)


def _as_main(script: Path) -> dict[str, Any]:
    main = ModuleType("__main__")
    main.__file__ = str(script)
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    main.__loader__ = SourceFileLoader("__main__", str(script))
    sys.modules["__main__"] = main
    return main.__dict__


class _Finder(MetaPathFinder):
    """Loads the project's own modules with a hand on their loops."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not is_users(spec.origin):
            return None
        spec.loader = _as_loader(name, spec.loader.path)
        spec.cached = None
        return spec


class _Rewriting(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        return compiled(self.get_data(self.path), self.path)


def _as_loader(name: str, path: str) -> Loader:
    return _Rewriting(name, path)
