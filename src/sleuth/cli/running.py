"""Verbs that run a user's script: their options, and whose a word on the command line is."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from sleuth.terminal import say

Command = TypeVar("Command", bound=Callable[..., Any])
# Parsers that make an option of every field or parameter, so that none is spelled out.
SPELLED_NOWHERE = re.compile(
    r"\b(tyro|HfArgumentParser|simple_parsing|fire|hydra|typer|jsonargparse|plac|draccus|getopt|absl)\b"
)


class ScriptCommand(click.Command):
    """`sleuth VERB [OPTIONS] SCRIPT [ARGS]`, where options of the verb may also come after the script.

    What the script (or a module of the project that it imports) spells as an option of its own is left to
    it, with a word about that, and so is one that was given before it already, and everything where a `--`
    says so.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["context_settings"] = {"ignore_unknown_options": True, "allow_interspersed_args": False}
        super().__init__(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _ours_first(args, self._takes(ctx)))

    def _takes(self, ctx: click.Context) -> dict[str, bool]:
        """Each spelling of an option, and whether a value follows."""
        options = [part for part in self.get_params(ctx) if isinstance(part, click.Option)]
        return {word: not part.is_flag for part in options for word in part.opts}


def _ours_first(words: list[str], takes: dict[str, bool]) -> list[str]:
    """The words of a command line, with the verb's own options in front of the script."""
    at = _place_of_script(words, takes)
    if "--" in words or at is None:
        return words
    ours: list[str] = []
    theirs: list[str] = []
    left: list[str] = []
    given = {word.partition("=")[0] for word in words[:at]}
    text = None
    rest = iter(words[at + 1 :])
    for word in rest:
        name, has_value, _ = word.partition("=")
        if name == "-m" or name not in takes or name in given:
            theirs.append(word)
            continue
        text = text if text is not None else _text(words[at])
        mine = not _is_spelled(name, text)
        value = next(rest, None) if takes[name] and not has_value else ""
        if value is None and mine:
            raise click.BadOptionUsage(name, f"Option {name!r} requires an argument.")
        (ours if mine else theirs).extend(part for part in (word, value) if part)
        if not mine:
            left.append(name)
    if left:
        _tell(words[at], left)
    return [*words[:at], *ours, words[at], *theirs]


def _place_of_script(words: list[str], takes: dict[str, bool]) -> int | None:
    """Where the script is named; with `-m`, where the module is."""
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
        elif word == "-m":
            return None  # its own arguments follow at once
        elif not word.startswith("-"):
            return place
        else:
            skip = takes.get(word, False)
    return None


def _tell(script: str, left: list[str]) -> None:
    names = " and ".join(f"`{name}`" for name in left)
    verb = "is" if len(left) == 1 else "are"
    say(
        f"sleuth: {names} {verb} left to {Path(script).name}, which takes that itself; "
        "options before the script are Sleuth's.",
        err=True,
    )


def _text(script: str) -> str:
    """What cannot be read spells nothing: whatever stands in the way of it, the script is to run."""
    with suppress(Exception):
        return "\n".join(_sources(script))
    return ""


def _sources(script: str) -> Iterator[str]:
    """The script and the project's modules that it imports, which may parse its arguments."""
    from sleuth.source.script_files import local_sources

    path = Path(script)
    if not path.is_file():
        return
    for file in local_sources(path):
        try:
            yield file.read_text("utf-8", "replace")
        except OSError:
            continue


def _is_spelled(option: str, text: str) -> bool:
    """Whether a program takes an option: it is written out, or is the name of a field where that does."""
    if re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text):
        return True
    field = option.lstrip("-").replace("-", "_")
    return len(field) > 1 and bool(SPELLED_NOWHERE.search(text) and re.search(rf"\b{field}\b", text))


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
