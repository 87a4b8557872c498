"""What `sleuth watch` is asked to run, checked before anything is started."""

import os
import shutil
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from sleuth.errors import SleuthError


@dataclass(frozen=True)
class Request:
    """What to run: a script or a module, with its own arguments."""

    script: str | None
    arguments: tuple[str, ...] = ()
    module: str | None = None
    level: str = "default"

    @property
    def words(self) -> list[str]:
        """What the user typed after `sleuth watch`."""
        level = ["--level", self.level] if self.level != "default" else []
        return [
            *level,
            *(["-m", self.module] if self.module is not None else [str(self.script)]),
            *self.arguments,
        ]

    @property
    def file(self) -> Path | None:
        """The source that is run: the script, the module's file, or what a launcher is handed."""
        module = (self.module or "").replace(".", "/")
        named = [self.script or "", f"{module}.py", f"{module}/__main__.py"]
        handed = [word for word in self.arguments if word.endswith(".py")]
        return next((Path(word) for word in (*named, *handed) if os.path.isfile(word)), None)

    @property
    def command(self) -> list[str]:
        """The command line of the child process; what is no file may be a launcher such as torchrun."""
        if self.module is not None:
            return [sys.executable, "-m", self.module, *self.arguments]
        script = str(self.script)
        if not os.path.exists(script) and (found := shutil.which(script)) is not None:
            return [found, *self.arguments]
        return [sys.executable, script, *self.arguments]


def checked(request: Request) -> Request:
    """The request, or a clear sentence about what is wrong with it."""
    if request.module is not None:
        if not _is_there(request.module):
            raise SleuthError(f"There is no module {request.module!r} to run from here.")
        return request
    if request.script is None:
        raise SleuthError("Which script? Write `sleuth watch train.py [ARGS]`.")
    path = Path(request.script)
    if os.path.isdir(path):
        if os.path.isfile(path / "__main__.py"):
            return request
        raise SleuthError(f"{request.script!r} is a folder; name the script in it that trains.")
    if not os.path.exists(path):
        if shutil.which(request.script) is not None:
            return request
        raise SleuthError(f"There is no file {request.script!r}.")
    if path.suffix == ".ipynb":
        raise SleuthError(f"{request.script!r} is a notebook; use `sleuth.watch()` in it.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python says them when it runs the script
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise SleuthError(f"Cannot read {request.script!r}: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise SleuthError(f"{request.script!r} is not Python{line}.") from None
    except (RecursionError, MemoryError):  # Python's own limits: it says so when it runs the script
        return request
    return request


def _is_there(module: str) -> bool:
    """Whether its package can be found; what lies deeper is left to Python, as a look would import it."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    top = module.partition(".")[0]
    here = PathFinder.find_spec(top, [os.getcwd()])
    return here is not None or (bool(top) and find_spec(top) is not None)
