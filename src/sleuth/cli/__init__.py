"""The command line: parse, call a verb, show. One module a verb, imported when it is asked for."""

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from sleuth._version import __version__
from sleuth.errors import SleuthError, did_you_mean

# The page of `sleuth --help`, in the order of what people reach for first. It stands here so that help need
# not load every verb; a test holds it against their own first lines.
VERBS = {
    "lint": "Read source files and name the silent bugs in them.",
    "probe": "Examine a model, one batch and a loss, in seconds.",
    "surface": "Look at the surface and slopes of a loss, without a model.",
    "explain": "Print the page of a cause or a rule.",
    "causes": "List the causes Sleuth knows, and what sees each of them.",
    "evidence": "Show where advice comes from, check it, and weigh it.",
    "lsp": "Serve findings to an editor (language server protocol).",
}

FOUND_NOTHING, FOUND_SOMETHING, WRONG_REQUEST, OWN_FAULT = 0, 1, 2, 3
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            hint = did_you_mean(args[0], VERBS)
            raise click.UsageError(f"There is no verb {args[0]!r}.{hint} `sleuth --help` lists them.")
        return super().resolve_command(ctx, args)


@click.group(cls=VerbGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sleuth")
@click.pass_context
def sleuth(ctx: click.Context) -> None:
    """Find out why a machine-learning model does not learn.

    Exit codes: 0 nothing found, 1 something found, 2 the request was wrong, 3 Sleuth's own fault.
    """
    if "NO_COLOR" in os.environ:
        ctx.color = False


def main(argv: Sequence[str] | None = None) -> None:
    sys.exit(run(argv))


def run(argv: Sequence[str] | None = None) -> int:
    """One request, start to end; every way it can go becomes an exit code."""
    try:
        code = sleuth.main(args=argv, prog_name="sleuth", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return WRONG_REQUEST
    except click.ClickException as error:
        return _complain(error.format_message())
    except SleuthError as error:
        return _complain(str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("sleuth: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, `less`) has left; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND_NOTHING
    except OSError as error:
        # Errors of the user's own files are caught where they arise; what is left is the output itself.
        if error.errno != errno.ENOSPC:
            raise
        return _complain("Cannot write the result: no space left on the device.")
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("sleuth: this is a bug in Sleuth, not in your code. Please report it.", err=True)
        return OWN_FAULT
    return code if isinstance(code, int) else FOUND_NOTHING


def _complain(sentence: str) -> int:
    click.echo(f"sleuth: {' '.join(sentence.split())}", err=True)
    return WRONG_REQUEST
