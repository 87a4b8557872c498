"""`sleuth ui`: every run, case and sweep in one page."""

import sys
from pathlib import Path

import click

from sleuth.terminal import say


@click.command("ui")
@click.option(
    "--home",
    "homes",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="An archive to show (default: $SLEUTH_HOME, .sleuth); may be given several times.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port (default: a free one).")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="The address to listen on; anything but loopback lets others on the network ask.",
)
@click.option(
    "--open/--no-open", "opening", default=None, help="Open the browser (default: where a terminal is)."
)
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write everything as static pages into DIR, and end.",
)
def command(homes: tuple[Path, ...], port: int, host: str, opening: bool | None, folder: Path | None) -> None:
    """Show every run, case and sweep in the browser.

    The first line printed is the link, with the token that the pages ask for. Ctrl-C ends the server; the
    pages need nothing from the network. Filter runs as you type, choose some, compare them.
    """
    from sleuth.archive import home_folder
    from sleuth.needs import need

    for package in ("starlette", "uvicorn", "jinja2", "numpy"):
        need(package, "web", "`sleuth ui`")
    places = [home_folder(home) for home in homes or (None,)]
    if folder is not None:
        from sleuth.ui.exporting import export

        say(f"Wrote {export(places, folder)} pages; open {folder / 'index.html'}.")
        return
    from sleuth.ui.serving import serve

    serve(places, host, port, lambda link: _ready(link, sys.stdout.isatty() if opening is None else opening))


def _ready(link: str, opening: bool) -> None:
    say(link)
    sys.stdout.flush()
    if opening:
        import webbrowser

        webbrowser.open(link)
