"""Causes of a project's own: folders laid out as `sleuth/causes`, one folder a family, one module a cause.

They are named in the project's pyproject.toml, `[tool.sleuth] causes = ["folder"]`, or in the environment
variable SLEUTH_CAUSES. What stands there is imported: it is code, and as trusted as the project itself.
"""

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sleuth.errors import SleuthError
from sleuth.settings import listed

VARIABLE = "SLEUTH_CAUSES"  # folders with the separator of the path; processes that Sleuth starts are told so


@cache
def own_folders() -> tuple[Path, ...]:
    """Those of the environment and those of the project around the working folder, each once."""
    named = [Path(word).absolute() for word in os.environ.get(VARIABLE, "").split(os.pathsep) if word]
    told = listed(Path.cwd(), "causes")
    if told is not None:
        named += [told[0].parent / word for word in told[1]]
    folders = tuple(dict.fromkeys(folder.resolve() for folder in named))
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
