"""`sleuth lint`: silent bugs, read from the source."""

from pathlib import Path

import click

from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError


@click.command("lint")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATHS...")
@click.option("--select", multiple=True, metavar="NAME", help="Only this cause or family (repeatable).")
@click.option("--ignore", multiple=True, metavar="NAME", help="All but this cause or family (repeatable).")
@click.option("--notes", is_flag=True, help="Show notes as well: places worth a look.")
@output_options
def command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    notes: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Read source files and name the silent bugs in them, without running anything.

    PATHS are Python files or folders. Exit code 1 means that something was found.
    """
    from sleuth.lint import Selection, lint
    from sleuth.show import lint_text

    result = lint(paths, Selection(_words(select), _words(ignore), notes))
    for trouble in result.unreadable:
        click.echo(f"sleuth: {trouble}", err=True)
    if result.files == 0:
        raise SleuthError(f"There are no Python files in {', '.join(map(str, paths))}.")
    text = lint_text.brief(result) if quiet else lint_text.full(result)
    emit(text, lint_text.as_json(result), json_path)
    if result.findings:
        return 1
    return 2 if len(result.unreadable) == result.files else 0


def _words(options: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` and `--select a --select b --select c` mean the same."""
    return tuple(word for option in options for word in option.replace(",", " ").split())
