"""`sleuth watch`: run a script as it is, and see what happens inside."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sleuth.cli.output import output_options, write_json
from sleuth.cli.running import ScriptCommand
from sleuth.terminal import say

if TYPE_CHECKING:
    from sleuth.watching.watch import Ended


@click.command("watch", cls=ScriptCommand)
@click.option(
    "-m", "module", metavar="MODULE", help="Run a module, as `python -m` does, in place of a script."
)
@click.option(
    "--level",
    type=click.Choice(["default", "full", "deep"]),
    default="default",
    show_default=True,
    help="How closely to look: sampled, norms at every step, or every step in full.",
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write the page here."
)
@click.option(
    "--keep",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Keep files that the script wrote with the run, such as '*.pt'; may be given several times.",
)
@click.option(
    "--fail", is_flag=True, help="Exit with 1 when a cause was found, and the script itself succeeded."
)
@click.option(
    "--tie", is_flag=True, help="End the script when Sleuth is killed, in place of letting it train on."
)
@output_options
@click.argument("script", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    script: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    level: str,
    page: Path | None,
    patterns: tuple[str, ...],
    fail: bool,
    tie: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Run an unchanged training script under observation, and keep the record.

    The script sees its own arguments, streams and exit code; the report goes to standard error. Options of
    Sleuth stand before SCRIPT or after it; one that the script has, too, is the script's after it. The exit
    code is the script's.
    """
    from sleuth.needs import need
    from sleuth.watching.request import Request, checked
    from sleuth.watching.watch import run

    need("torch", "torch", "`sleuth watch`")
    if module is not None and script is not None:
        arguments = (script, *arguments)
    request = checked(Request(script, arguments, module, level))
    order = {
        "command": ["sleuth", "watch", *request.words],
        "words": sys.argv[1:],
        "file": None if request.file is None else str(request.file),
        "page": None if page is None else str(page),
        "patterns": patterns,
        "json_path": json_path,
        "quiet": quiet,
    }
    ended = run(request, order, _fault, stdout=2 if json_path == "-" else 1, tie=tie)
    _show(ended, json_path)
    return 1 if fail and ended.shown.get("found") and ended.code == 0 else ended.code


def _fault(error: Exception) -> str:
    from sleuth.cli.fault import reported

    return reported(error, sys.argv[1:])


def _show(ended: "Ended", json_path: str | None) -> None:
    """What cannot be shown is not: the exit code is the script's."""
    for sentence in ended.said:
        _printed(lambda sentence=sentence: say(f"sleuth: {sentence}", err=True))  # type: ignore[misc]
    if text := ended.shown.get("text"):
        _printed(lambda: say(text, err=True))
    if json_path == "-" and "payload" in ended.shown:
        _printed(lambda: write_json(ended.shown["payload"], "-"))


def _printed(act: Callable[[], None]) -> None:
    """Closed, full, or read by nobody: Python is not to stumble over it again at its end."""
    with suppress(Exception):
        act()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
