"""`sleuth lint`: silent bugs, read from the source."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sleuth.cli.linting import (
    Request,
    answer,
    exit_code,
    report,
    say_troubles,
    sorted_out,
    unread_code,
)
from sleuth.cli.output import emit, output_options, write_json
from sleuth.quick_dataclass import replace
from sleuth.settings import UNREADABLE
from sleuth.terminal import coloured, say

if TYPE_CHECKING:
    from sleuth.lint import Selection

FORMATS = ("text", "json", "sarif", "github", "junit")
AUDIT_FORMATS = ("text", "json")


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True), metavar="[PATHS]...")
@click.option("--select", multiple=True, metavar="NAME", help="Only this cause or family (repeatable).")
@click.option("--ignore", multiple=True, metavar="NAME", help="All but this cause or family (repeatable).")
@click.option("--notes", is_flag=True, help="Show notes as well: places worth a look.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print findings.")
@click.option("--diff", "since", metavar="REV", help="Only lines changed since a git revision.")
@click.option("--fix", is_flag=True, help="Show safe repairs as a diff, and write them if you confirm.")
@click.option("--fix-unsafe", is_flag=True, help="As --fix, including repairs that may change behaviour.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option("--audit", is_flag=True, help="List places to look at (view, detach, += ...), judging none.")
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until interrupted.")
@click.option("--stdin-filename", metavar="NAME", help="What to call standard input (path '-').")
@click.option("--no-cache", is_flag=True, help="Ignore the cache and read everything again.")
@click.option(
    "--unreadable",
    type=click.Choice(UNREADABLE),
    help="Whether a file that is not read, or only in part, is exit code 2 (default: error).",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes to use (default: all cores).")
@output_options
def command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    notes: bool,
    form: str,
    since: str | None,
    fix: bool,
    fix_unsafe: bool,
    yes: bool,
    audit: bool,
    watch: bool,
    stdin_filename: str | None,
    no_cache: bool,
    unreadable: str | None,
    jobs: int | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Read source files and name the silent bugs in them.

    Nothing is run or imported.

    PATHS are Python files, notebooks or folders; '-' is standard input; without PATHS, the current folder.
    A comment `# sleuth: ignore[CAUSE]` silences a line, `# sleuth: ignore-file[CAUSE]` a file. Settings stand
    in pyproject.toml under [tool.sleuth.lint]. Exit code 1 means that something was found, 2 that a path is
    missing or a file could not be read, or only in part (see --unreadable).
    """
    from sleuth.lint.selection import combined, configured

    repair = "--fix-unsafe" if fix_unsafe else "--fix" if fix else ""
    objections = [
        *_against_output(form, json_path, repair, yes, audit),
        *_against_names(select, ignore, audit),
    ]
    if objections:
        raise click.UsageError(objections[0])
    paths = paths or (Path(),)
    config = configured(Path.cwd() if paths[0] == Path("-") else paths[0].absolute())
    selection = combined(config, _words(select), _words(ignore), notes, unreadable)
    if audit:
        return _audit(paths, selection, form, json_path)
    request = Request(paths, selection, since, stdin_filename, no_cache, jobs)
    if watch:
        return _watch(request, quiet)
    if repair:
        return _fix(request, fix_unsafe, yes)
    return answer(request, form, json_path, quiet)


def _against_output(form: str, json_path: str | None, repair: str, yes: bool, audit: bool) -> Iterator[str]:
    """What the wishes for output ask for that cannot be had together."""
    if yes and not repair:
        yield "--yes goes with --fix or --fix-unsafe: without them there is nothing to write."
    if repair and audit:
        yield f"--audit repairs nothing: it does not go with {repair}."
    if repair and form != "text":
        yield f"{repair} shows a diff: it does not go with --format {form}."
    if repair and json_path:
        yield f"{repair} shows a diff: it does not go with --json."
    if audit and form not in AUDIT_FORMATS:
        yield f"--audit is printed as {' or '.join(AUDIT_FORMATS)}: it does not go with --format {form}."
    if form != "text" and json_path == "-":
        yield f"--format {form} and --json - both want standard output."


def _against_names(select: tuple[str, ...], ignore: tuple[str, ...], audit: bool) -> Iterator[str]:
    if not all(_words((option,)) for option in select):
        yield "--select names no cause or family; leave it out to look for all."
    if audit and (select or ignore):
        option = "--select" if select else "--ignore"
        yield f"--audit takes no {option}: it lists places by question, not by cause."


def _audit(paths: tuple[Path, ...], selection: "Selection", form: str, json_path: str | None) -> int:
    from sleuth.lint.audit import audit
    from sleuth.show import lint_text

    present, missing = sorted_out(paths)
    found, unread = audit(present, selection.exclude)
    for error in unread:
        say(f"sleuth: {error}", err=True)
    payload = lint_text.audit_json(found)
    if form == "json":
        write_json(payload, "-")
        write_json(payload, json_path)
    else:
        emit(lint_text.audit(found, coloured()), payload, json_path)
    return 2 if missing or (unread and selection.unreadable == "error") else 0


def _fix(request: Request, unsafe: bool, yes: bool) -> int:
    from sleuth.lint.fix import repairs, write

    paths, missing = sorted_out(request.paths)
    result = replace(request, paths=paths).run()
    say_troubles(result)
    planned = repairs(result.findings, unsafe)
    for repair in planned:
        say(repair.diff(), end="")
    total = f"{len(result.findings)} finding{'s' if len(result.findings) != 1 else ''}"
    if not planned:
        how = "" if unsafe else " safely (--fix-unsafe may know more)"
        say(f"Nothing that can be repaired{how}; {total}.", err=True)
        return 2 if missing else exit_code(result, request)
    if not yes and not (sys.stdin.isatty() and click.confirm("Write these changes?", err=True)):
        say("Nothing was written; --yes writes without asking.", err=True)
        return 2 if missing else max(1, exit_code(result, request))
    write(planned)
    done = sum(repair.count for repair in planned)
    say(f"Repaired {done} of {total}.", err=True)
    left = int(done != len(result.findings))
    return 2 if missing else max(left, unread_code(result, request))


def _watch(request: Request, quiet: bool) -> int:
    """Lint, wait for a change, lint again. Ctrl-C ends it; the last result decides the exit code."""
    from sleuth.lint.changes import stamps, wait_for_change

    result = None
    try:
        while True:
            click.clear()
            before = stamps(request.paths, request.selection.exclude)  # what changes meanwhile has changed
            result = request.run()
            report(result, "text", None, quiet)
            say("Watching; Ctrl-C ends.", err=True)
            wait_for_change(request.paths, request.selection.exclude, before)
    except KeyboardInterrupt:
        return exit_code(result, request) if result is not None else 0


def _words(options: tuple[str, ...]) -> tuple[str, ...]:
    """`--select a,b --select c` and `--select a --select b --select c` mean the same."""
    return tuple(word for option in options for word in option.replace(",", " ").split())
