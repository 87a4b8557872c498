"""The sources of Sleuth as syntax trees, for the contracts about what may stand where."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import sleuth
from sleuth import catalog

SOURCE = Path(sleuth.__file__).parent


@cache
def of_the_engine() -> Mapping[str, ast.Module]:
    """Every file outside `causes/`, by its path within the package."""
    paths = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
    return {
        name: ast.parse(path.read_text("utf-8"))
        for name, path in paths.items()
        if not name.startswith("causes/")
    }


def trees_of(slug: str) -> list[ast.Module]:
    """The files of one cause."""
    path = catalog.find(slug).path
    files = sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else [path]
    return [ast.parse(file.read_text("utf-8")) for file in files]
