"""The options of every verb that runs a user's script."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def script_options(function: Command) -> Command:
    """The script and its own arguments, how long to look, and whether it may write."""
    for add in (
        click.argument("arguments", nargs=-1, type=click.UNPROCESSED),
        click.argument("script", required=False),
        click.option(
            "--allow-writes", is_flag=True, help="Let experiments write into the real working folder."
        ),
        click.option(
            "--budget", default="60s", show_default=True, metavar="TIME", help="Time for everything: 60s, 5m."
        ),
        click.option(
            "--steps",
            type=click.IntRange(5),
            metavar="N",
            help="Optimizer steps to look at (default: what fits).",
        ),
        click.option(
            "-m", "module", metavar="MODULE", help="Run a module, as `python -m` does, in place of a script."
        ),
    ):
        function = add(function)
    return function
