"""What `sleuth lint` does with a request whose words are read. It needs no command-line library for that."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth.cli.output import emit, steps_of
from sleuth.errors import SleuthError
from sleuth.quick_dataclass import dataclass, replace
from sleuth.terminal import coloured, say

if TYPE_CHECKING:
    from sleuth.lint import LintResult, Selection
    from sleuth.lint.cache import Cache


@dataclass(frozen=True)
class Request:
    """One lint request, which `--watch` repeats."""

    paths: tuple[Path, ...]
    selection: "Selection"
    since: str | None
    stdin_filename: str | None
    no_cache: bool
    jobs: int | None

    def run(self) -> "LintResult":
        from sleuth.lint import lint

        result = lint(
            self.paths,
            self.selection,
            None if self.no_cache else _cache(),
            self.stdin_filename,
            self.jobs,
            steps_of("Reading"),
        )
        if result.files == 0:
            raise SleuthError(f"There are no Python files in {', '.join(map(str, self.paths))}.")
        if self.since is None:
            return result
        from sleuth.lint.changes import only_changed

        return only_changed(result, self.since)


def _cache() -> "Cache":
    from sleuth.lint.cache import Cache

    """Where Sleuth keeps what it may forget: `$SLEUTH_HOME`, else `.sleuth` in the current folder.

    The first is the user's choice, wherever it leads; the other may have come with the project.
    """
    chosen = os.environ.get("SLEUTH_HOME")
    if chosen is not None:
        return Cache(Path(chosen, "cache", "lint"), links_up_to=Path(chosen))
    return Cache(Path(".sleuth", "cache", "lint"), links_up_to=Path())


def answer(request: Request, form: str, json_path: str | None, quiet: bool) -> int:
    """Lint, show, and say by the exit code whether anything was found."""
    paths, missing = sorted_out(request.paths)
    result = replace(request, paths=paths).run()
    if form == "text" and len(result.unreadable) == result.files and unread_code(result, request):
        say_troubles(result)  # nothing could be read: there is no result to show or to write
        return 2
    report(result, form, json_path, quiet)
    return 2 if missing else exit_code(result, request)


def sorted_out(paths: tuple[Path, ...]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The paths that can be linted and those that cannot, which are named: one slip does not cost the rest.

    Where none can, all are handed back: that is a wrong request, and lint says so.
    """
    if len(paths) == 1:
        return paths, ()
    sentences = {path: _objection(path) for path in paths}
    present = tuple(path for path, sentence in sentences.items() if not sentence)
    if not present:
        return paths, ()
    missing = {path: sentence for path, sentence in sentences.items() if sentence}
    for sentence in missing.values():
        say(f"sleuth: {sentence}", err=True)
    return present, tuple(missing)


def _objection(path: Path) -> str:
    """Why there is nothing to lint at a path, in lint's own words; nothing where there is."""
    from sleuth.lint import python_files

    try:
        next(python_files((path,)), None)
    except SleuthError as error:
        return str(error)
    return ""


def report(result: "LintResult", form: str, json_path: str | None, quiet: bool) -> None:
    from sleuth.show import lint_text

    say_troubles(result)
    if form == "text":
        text = (lint_text.brief if quiet else lint_text.full)(result, coloured())
    else:
        from sleuth.show import lint_formats

        text = lint_formats.render(result, form)
    if text or json_path:
        emit(text, lint_text.as_json(result) if json_path else None, json_path, form == "github")


def say_troubles(result: "LintResult") -> None:
    for trouble in result.troubles:
        say(f"sleuth: {trouble}", err=True)


def exit_code(result: "LintResult", request: Request) -> int:
    return unread_code(result, request) or int(bool(result.findings))


def unread_code(result: "LintResult", request: Request) -> int:
    """2 where a file was not read, or only in part: of that nobody can say that nothing was found."""
    return 2 if result.troubles and request.selection.unreadable == "error" else 0
