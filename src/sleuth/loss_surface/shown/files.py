"""Writes a surface or a comparison in the form its file name asks for."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.errors import SleuthError
from sleuth.files import write_whole

if TYPE_CHECKING:
    from sleuth.loss_surface import Comparison, Surface

ENDINGS = (".html", ".png", ".svg", ".txt", ".json")


def check_ending(path: Path) -> None:
    """Before any work: a name that Sleuth can write."""
    if path.suffix.lower() not in ENDINGS:
        raise SleuthError(f"Cannot write {path.name!r}: the name must end in {', '.join(ENDINGS)}.")
    if not path.absolute().parent.is_dir():
        raise SleuthError(f"Cannot write {path}: there is no folder {path.parent}.")


def save(shown: "Surface | Comparison", path: Path) -> Path:
    check_ending(path)
    write_whole(path, render(shown, path.suffix.lower()))
    return path


def render(shown: "Surface | Comparison", ending: str) -> str | bytes:
    if ending == ".html":
        from sleuth.loss_surface.shown import page

        return page.page(shown)
    if ending in (".png", ".svg"):
        from sleuth.loss_surface.shown import picture

        return picture.picture(shown, ending.removeprefix("."))
    if ending == ".json":
        return json.dumps(shown.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return shown.text() + "\n"
