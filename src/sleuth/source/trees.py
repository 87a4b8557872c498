"""Syntax trees of the user's files, for whoever looks for the line of a finding."""

import ast
from functools import lru_cache
from pathlib import Path


def tree_of(path: Path) -> ast.Module | None:
    """The file's syntax tree; None where it cannot be read or is no Python. Shared: for reading only."""
    try:
        return _parsed(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return None


# By content, so that nothing stale is served; a case asks for the same few files at every turn.
@lru_cache(maxsize=64)
def _parsed(text: bytes) -> ast.Module:
    return ast.parse(text)
