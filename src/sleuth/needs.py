"""Optional packages: asked for where they are used, and named with their `pip install` line when missing."""

from importlib.util import find_spec

from sleuth.errors import SleuthError


def need(package: str, extra: str, what: str) -> None:
    """One sentence when `package` is not installed; `what` is what needs it, `extra` what brings it."""
    if find_spec(package) is None:
        raise SleuthError(f"{what} needs {package}: pip install 'sleuth[{extra}]'")
