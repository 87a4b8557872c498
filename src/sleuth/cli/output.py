"""The options and habits of output that all verbs share."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sleuth.terminal import say, visible

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(function: Command) -> Command:
    """`--json FILE` and `--quiet`, as on every verb."""
    import click

    as_json = click.option(
        "--json",
        "json_path",
        metavar="FILE",
        type=click.Path(dir_okay=False, allow_dash=True),
        help="Write the result as JSON to FILE ('-': to standard output, in place of the text).",
    )
    quiet = click.option("--quiet", "-q", is_flag=True, help="Print the bare essentials only.")
    return as_json(quiet(function))


def emit(text: str, payload: Any, json_path: str | None, commands: bool = False) -> None:
    """Show the text; with `--json`, write the payload as well, or instead where both want stdout."""
    if json_path != "-":
        say(text, commands=commands)
    write_json(payload, json_path)


def write_json(payload: Any, json_path: str | None) -> None:
    """Only what `--json` asks for: also where a wrong request has no text to show."""
    if json_path is None:
        return
    import json

    # What `visible` shows has the form of JSON's own escapes here: JSON has escaped what is below a space.
    rendered = visible(json.dumps(payload, indent=2, ensure_ascii=False, allow_nan=False))
    if json_path == "-":
        say(rendered)
    else:
        from sleuth.files import write_whole

        write_whole(Path(json_path), rendered + "\n")


WORTH_A_BAR = 40  # steps; fewer are over before a bar could be read


def steps_of(label: str) -> Callable[[int], Callable[[], None]]:
    """A progress bar on a terminal, nothing in a pipe: give it the number of steps, then call it for each."""

    def begin(total: int) -> Callable[[], None]:
        if total < WORTH_A_BAR or not sys.stderr.isatty():
            return lambda: None
        import click

        bar = click.progressbar(length=total, label=label, file=sys.stderr)

        def step() -> None:
            bar.update(1)
            if bar.finished:
                bar.render_finish()

        return step

    return begin
