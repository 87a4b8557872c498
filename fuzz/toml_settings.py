"""pyproject.toml, as lint reads its settings."""

import tempfile
from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.lint.selection import configured


def one(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_bytes(b"[tool.sleuth.lint]\n" + data)
        try:
            configured(Path(folder))
        except SleuthError:
            return
