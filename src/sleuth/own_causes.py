"""Causes of a project's own: folders laid out as `sleuth/causes`, one folder a family, one module a cause.

They are named in the environment variable SLEUTH_CAUSES, and nowhere in a project: what stands there is
imported, also by lint, and who lints a repository of somebody else is not to run its code.
"""

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sleuth.errors import SleuthError

VARIABLE = "SLEUTH_CAUSES"  # folders with the separator of the path; processes that Sleuth starts are told so


@cache
def own_folders() -> tuple[Path, ...]:
    """Those that the environment names, each once."""
    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    folders = tuple(dict.fromkeys(Path(word).resolve() for word in named if word))
    for folder in folders:
        if not folder.is_dir():
            raise SleuthError(f"There is no folder {folder} to read causes from.")
    return folders


def told_to_others() -> dict[str, str]:
    """The environment that tells another process, which may work elsewhere, of these folders."""
    return {VARIABLE: os.pathsep.join(map(str, own_folders()))} if own_folders() else {}


def check_families(folder: Path, known: Iterable[str]) -> None:
    """Every folder within is that of a family."""
    names = {entry.name for entry in folder.iterdir() if entry.is_dir() and entry.name[0] not in "_."}
    if strange := sorted(names - set(known)):
        families = ", ".join(known)
        raise SleuthError(f"{folder / strange[0]} is the folder of no family; the families are {families}.")


def load(name: str, file: Path) -> ModuleType:
    """The module of that file, under a name that is nobody else's."""
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = spec_from_file_location(name, file, submodule_search_locations=inside)
    if spec is None or spec.loader is None:
        raise SleuthError(f"{file} is no Python module.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise SleuthError(f"{file} cannot be loaded: {type(error).__name__}: {error}.") from error
    return module
