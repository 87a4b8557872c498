"""`sleuth diagnose`: from a script that does not learn to a confirmed cause."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sleuth.cli.output import output_options
from sleuth.cli.running import ScriptCommand, script_options
from sleuth.errors import SleuthError

if TYPE_CHECKING:
    from sleuth.diagnosis.request import Request
    from sleuth.report import Report


@click.command("diagnose", cls=ScriptCommand)
@click.option(
    "--prior",
    type=click.Choice(["folklore", "measured"]),
    default="measured",
    show_default=True,
    help="Which set of family shares to start from.",
)
@click.option("--no-experiments", is_flag=True, help="Only read, watch and probe.")
@click.option("--no-archive", is_flag=True, help="Keep nothing in .sleuth/.")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write a page.")
@click.option("--apply-fix", is_flag=True, help="Write a patched copy, run it again, show before and after.")
@click.option("--in-place", is_flag=True, help="Apply the fix to the file itself (implies --apply-fix).")
@output_options
@script_options
def command(
    script: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    steps: int | None,
    budget: str,
    prior: str,
    allow_writes: bool,
    no_experiments: bool,
    no_archive: bool,
    page: Path | None,
    apply_fix: bool,
    in_place: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Find out why a training script does not learn: read, watch, experiment, name the cause.

    The script is run as it is for a short stretch, then again with one change at a time; it is never edited.
    What it writes lands in a scratch copy. Options of Sleuth stand before SCRIPT or after it; one that the
    script has, too, is the script's after it.
    Exit code 1 means that a cause was found, 2 that the script could not be run.
    """
    from sleuth.cli.scripts import script_request

    request = script_request(
        script,
        arguments,
        module,
        steps=steps,
        budget=seconds(budget),
        prior=prior,
        allow_writes=allow_writes,
        experiments=not no_experiments,
        keep=not no_archive,
    )
    from sleuth.diagnosis.diagnose import answered
    from sleuth.show.progress import telling

    with telling(quiet or json_path == "-", request.budget) as tell:
        found = answered(request, tell)
    return _show(found, request, page, (apply_fix or in_place, in_place), json_path, quiet)


def _show(
    found: "Report",
    request: "Request",
    page: Path | None,
    repair: tuple[bool, bool],
    json_path: str | None,
    quiet: bool,
) -> int:
    from sleuth.cli.output import write_json
    from sleuth.show import diagnosis_text
    from sleuth.terminal import coloured, say

    script = str(_from_here(request.script))
    if page is not None:
        from sleuth.files import write_whole
        from sleuth.show import diagnosis_html

        write_whole(page, diagnosis_html.document(found, script))
    text = diagnosis_text.brief(found) if quiet else diagnosis_text.page(found, script, coloured())
    payload = found.to_dict()
    if json_path != "-":
        say(text)
    apply_fix, in_place = repair
    if apply_fix:
        from sleuth.diagnosis.mending import mend

        tried = mend(found, request, in_place)
        payload["fix_applied"] = tried.to_dict()
        say(diagnosis_text.mended(tried), err=json_path == "-")
    write_json(payload, json_path)
    if found.verdict.status == "crashed":
        return 2
    return 1 if any(finding.severity != "note" for finding in found.findings) else 0


def _from_here(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def seconds(text: str) -> float:
    """`90`, `90s`, `1.5m`, `2h`."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        value = float(number) * unit
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise SleuthError(f"{text!r} is no time; write 60s, 5m or 1h.")
    return value
