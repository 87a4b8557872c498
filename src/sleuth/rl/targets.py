"""What `TARGET` names: a function of the user's, a Stable-Baselines3 class, or a script."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, did_you_mean


def function(target: str, default: str = "") -> Callable[..., Any]:
    """`module:name` or `file.py:name`."""
    place, _, name = target.rpartition(":")
    if not place and default:
        place, name = target, default
    if not place or not name:
        raise SleuthError(f"{target!r} names no function; write module:function or file.py:function.")
    space = _file(Path(place)) if place.endswith(".py") else _module(place)
    found = space.get(name)
    if not callable(found):
        hint = did_you_mean(name, [key for key, value in space.items() if callable(value)])
        raise SleuthError(f"{place} has no function {name!r}.{hint}")
    chosen: Callable[..., Any] = found
    return chosen


def _file(path: Path) -> dict[str, Any]:
    """As a module under its own name, so that classes in it can be pickled."""
    from importlib.util import module_from_spec, spec_from_file_location

    if not path.is_file():
        raise SleuthError(f"There is no file {str(path)!r}.")
    sys.path.insert(0, str(path.resolve().parent))
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SleuthError(f"{path} is no Python file.")
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise SleuthError(f"{path} cannot be imported: {type(error).__name__}: {error}.") from error
    return vars(module)


def _module(name: str) -> dict[str, Any]:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return vars(import_module(name))
    except ModuleNotFoundError as error:
        raise SleuthError(
            f"There is no module {error.name!r}; give module:function or file.py:function."
        ) from None
    except Exception as error:
        raise SleuthError(f"{name} cannot be imported: {type(error).__name__}: {error}.") from error
