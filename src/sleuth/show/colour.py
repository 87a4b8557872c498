"""Colour for terminals; for pipes and files, plain text, without loading what makes the colour."""


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
