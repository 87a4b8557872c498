"""A script and its own arguments on Sleuth's command line."""

from pathlib import Path
from typing import Any

from sleuth.diagnosis.request import Request
from sleuth.errors import SleuthError


def script_request(
    script: str | None, arguments: tuple[str, ...], module: str | None, **options: Any
) -> Request:
    """What to run."""
    if module is not None:
        arguments = ((script,) if script is not None else ()) + arguments
        path = module_file(module)
    elif script is None:
        raise SleuthError("Which script? Write `sleuth diagnose train.py [ARGS]`.")
    else:
        path = checked(script)
    return Request(path, arguments, module, **options)


def checked(script: str) -> Path:
    path = Path(script)
    if path.is_dir():
        raise SleuthError(f"{script!r} is a folder; name the script in it that trains.")
    if not path.is_file():
        raise SleuthError(f"There is no file {script!r}.")
    if path.suffix == ".ipynb":
        raise SleuthError(f"{script!r} is a notebook; use `sleuth.watch()` in it, or export it as a script.")
    try:
        head = path.read_bytes()
        compile(head, str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise SleuthError(f"Cannot read {script!r}: {error.strerror}.") from error
    except (SyntaxError, ValueError) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise SleuthError(f"{script!r} is not Python{line}: {getattr(error, 'msg', error)}.") from error
    return path.resolve()


def module_file(module: str) -> Path:
    """The file that `python -m module` would run."""
    import sys
    from importlib.util import find_spec

    sys.path.insert(0, str(Path.cwd()))
    try:
        spec = find_spec(module)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{module}.__main__")
    except (ImportError, ValueError) as error:
        raise SleuthError(f"There is no module {module!r} to run: {error}.") from error
    finally:
        sys.path.pop(0)
    if spec is None or not spec.origin:
        raise SleuthError(f"There is no module {module!r} to run from here.")
    return Path(spec.origin)
