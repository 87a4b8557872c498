"""`sleuth evidence`: argument maps, checked, shown, explained, exported."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sleuth.cli.output import emit, output_options, write_json
from sleuth.errors import SleuthError
from sleuth.terminal import say

if TYPE_CHECKING:
    from sleuth.evidence.credence import Semantics, Weighed
    from sleuth.evidence.model import Map

SEMANTICS = ("beta", "product", "dfquad", "qe")
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("evidence")
def command() -> None:
    """Show where advice comes from, check it, and weigh it.

    A MAP is an Argdown file; without one, Sleuth's own map of debugging folklore is used.
    """


def _map_options(function: Command) -> Command:
    lenient = click.option("--lenient", is_flag=True, help="Go on with what can be read of a faulty map.")
    semantics = click.option(
        "--semantics", type=click.Choice(SEMANTICS), default="beta", help="How credences combine."
    )
    return lenient(semantics(function))


@command.command("check")
@click.argument("path", metavar="[MAP]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--evidence",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the evidence files are.",
)
@click.option("--fix", is_flag=True, help="Rewrite the anchors of quotes that are on other lines.")
@click.option("--lock", is_flag=True, help="Keep a hash of every evidence file in MAP.lock.")
@click.option("--strict", is_flag=True, help="Let warnings fail as errors do.")
@_map_options
@output_options
def check(
    path: Path | None,
    folder: Path | None,
    fix: bool,
    lock: bool,
    strict: bool,
    lenient: bool,
    semantics: "Semantics",
    json_path: str | None,
    quiet: bool,
) -> int:
    """Compare every quote with its source, and hold the map to its rules.

    Verdicts: EXACT, ELLIPSIS, GAPS (words left out silently), ALTERED, MOVED (other lines), MISSING, NO-FILE.
    Exit code 1 means an error: a quote missing or altered by more than two words, or a broken rule.
    Gaps, moved quotes and replaced sources are warnings.
    """
    from sleuth import evidence as room
    from sleuth.evidence.check import fixed_text
    from sleuth.evidence.files import write_lock
    from sleuth.files import write_whole
    from sleuth.show import evidence as show

    chosen = path or _own_map()
    result = room.check_map(room.read_file(chosen), folder, semantics)
    refusal = _refusal(result.map, result.unread, result.no_folder, len(result.quotes))
    if refusal and not lenient:
        write_json(show.check_json(result), json_path)
        raise SleuthError(refusal)
    if fix:
        text, done = fixed_text(chosen.read_bytes().decode("utf-8"), result)
        if done:
            write_whole(chosen, text)
            result = room.check_map(room.read_file(chosen), folder, semantics)
        say(f"Rewrote {done} anchor{'s' * (done != 1)} in {chosen}.", err=True)
    if lock:
        say(f"Wrote {write_lock(str(chosen), result.evidence)}.", err=True)
        result = room.check_map(room.read_file(chosen), folder, semantics)
    text = show.check_text(result, quiet)
    if text or json_path:
        emit(text, show.check_json(result) if json_path else None, json_path)
    warned = strict and any(problem.severity == "warning" for problem in result.problems)
    return int(bool(result.errors) or warned)


@command.command("show")
@click.argument("path", metavar="[MAP]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--html", "page", metavar="FILE", type=click.Path(path_type=Path), help="Write a page with the graph."
)
@click.option(
    "--evidence", "folder", metavar="DIR", type=click.Path(path_type=Path), help="For verdicts in the page."
)
@_map_options
@output_options
def show_map(
    path: Path | None,
    page: Path | None,
    folder: Path | None,
    lenient: bool,
    semantics: "Semantics",
    json_path: str | None,
    quiet: bool,
) -> None:
    """Print a map from its top claims down, or write it as one self-contained page with its graph."""
    from sleuth.show import evidence as show
    from sleuth.show import evidence_export as export

    weighed = _weighed(path or _own_map(), lenient, semantics)
    if page is not None:
        from sleuth.evidence.check import check_map
        from sleuth.files import write_whole
        from sleuth.show.evidence_page import page_html

        write_whole(page, page_html(weighed, check_map(weighed.map, folder)))
        say(f"Wrote {page}.", err=True)
        if json_path is None:
            return
    text = (
        "\n".join(f"{entry.credence:.2f} {entry.node}" for entry in weighed.claims)
        if quiet
        else show.tree(weighed)
    )
    emit(text, export.map_json(weighed) if json_path else None, json_path)


@command.command("why")
@click.argument("claim")
@click.argument("path", metavar="[MAP]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--map", "map_path", metavar="MAP", type=click.Path(path_type=Path), help="The same as the argument MAP."
)
@_map_options
@output_options
def why_claim(
    claim: str,
    path: Path | None,
    map_path: Path | None,
    lenient: bool,
    semantics: "Semantics",
    json_path: str | None,
    quiet: bool,
) -> None:
    """Explain a claim's credence: its arguments, their sources, and what each source adds."""
    from sleuth.evidence.why import why
    from sleuth.show import evidence as show

    weighed = _weighed(path or map_path or _own_map(), lenient, semantics)
    reasons = why(weighed, claim)
    text = f"{reasons.belief.node} {show.number(reasons.belief)}" if quiet else show.why_text(reasons)
    emit(text, show.why_json(reasons), json_path)


@command.command("export")
@click.argument("path", metavar="[MAP]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(("json", "dot")), default="json", help="JSON or Graphviz."
)
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Instead of standard output."
)
@_map_options
@output_options
def export_map(
    path: Path | None,
    form: str,
    output: Path | None,
    lenient: bool,
    semantics: "Semantics",
    json_path: str | None,
    quiet: bool,
) -> None:
    """Write the whole map, with its credences, as JSON or for Graphviz."""
    from sleuth.files import write_whole
    from sleuth.show import evidence_export as export

    weighed = _weighed(path or _own_map(), lenient, semantics)
    text = export.as_dot(weighed) if form == "dot" else export.as_json(weighed)
    if output is None:
        emit(text, export.map_json(weighed) if json_path else None, json_path)
        return
    write_whole(output, text + "\n")
    if not quiet:
        say(f"Wrote {output}.", err=True)


def _own_map() -> Path:
    from sleuth.evidence.folklore import PATH

    return PATH


def _weighed(path: Path, lenient: bool, semantics: "Semantics") -> "Weighed":
    """A map ready to be shown; a faulty one only where that was asked for, its faults told on the side."""
    from sleuth.evidence.credence import weigh
    from sleuth.evidence.reader import read_file
    from sleuth.evidence.structure import structure
    from sleuth.show import evidence as show

    found = read_file(path)
    faults = [*found.unread, *(problem for problem in structure(found) if problem.unread)]
    if faults and not lenient:
        raise SleuthError(show.places(found.path, faults))
    for fault in faults:
        say(f"sleuth: {found.path}:{fault.line}:{fault.column}: {fault.message}", err=True)
    return weigh(found, semantics)


def _refusal(found: "Map", unread: "tuple[Any, ...]", no_folder: Path | None, quotes: int) -> str:
    from sleuth.show import evidence as show

    if unread:
        return show.places(found.path, unread)
    if no_folder is not None:
        return (
            f"There is no evidence folder {str(no_folder)!r}, so none of the {quotes} quotes of "
            f"{found.path} can be compared; name it with --evidence DIR, or check the rest with --lenient."
        )
    return ""
