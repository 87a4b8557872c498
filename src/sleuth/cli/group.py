"""The verbs as commands of click: help, options, and what is wrong with a request."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from sleuth._version import __version__
from sleuth.cli import VERBS, WRONG_REQUEST, complain
from sleuth.errors import ReaderLeft, did_you_mean
from sleuth.terminal import say


class VerbGroup(click.Group):
    """Loads a verb's module only when needed, so that help and light verbs start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"sleuth.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _broken_pipe_told():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _broken_pipe_told():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            hint = did_you_mean(args[0], VERBS)
            raise click.UsageError(f"There is no verb {args[0]!r}.{hint} `sleuth --help` lists them.")
        return super().resolve_command(ctx, args)


@contextmanager
def _broken_pipe_told() -> Iterator[None]:
    """Click would end the process, with 1, which means that something was found."""
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderLeft from error


@click.group(cls=VerbGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sleuth")
@click.pass_context
def sleuth(ctx: click.Context) -> None:
    """Find out why a machine-learning model does not learn.

    Exit codes: 0 nothing found, 1 something found, 2 the request was wrong, 3 Sleuth's own fault.
    """
    if "NO_COLOR" in os.environ:
        ctx.color = False


def answer(words: list[str]) -> object:
    """What the verb gives back; a wrong request is complained about."""
    try:
        return sleuth.main(args=words, prog_name="sleuth", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return WRONG_REQUEST
    except click.ClickException as error:
        return complain(error.format_message())
    except click.Abort:
        raise KeyboardInterrupt from None
