"""Colour for terminals; for pipes and files, plain text, without loading what makes the colour."""

import os
import sys


def coloured() -> bool:
    """Whether who reads standard output sees colours, and wants them."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


class Paint:
    """Styles text, or leaves it as it is."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(
        self, text: str, fg: str | None = None, bold: bool | None = None, dim: bool | None = None
    ) -> str:
        if not self._on:
            return text
        import click

        return click.style(text, fg=fg, bold=bold, dim=dim)
