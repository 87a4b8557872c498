"""`sleuth watch`: run a script as it is, and see what happens inside."""

from contextlib import suppress
from pathlib import Path

import click

from sleuth.cli.output import output_options, write_json
from sleuth.cli.running import ScriptCommand
from sleuth.errors import SleuthError


@click.command("watch", cls=ScriptCommand)
@click.option(
    "-m", "module", metavar="MODULE", help="Run a module, as `python -m` does, in place of a script."
)
@click.option(
    "--level",
    type=click.Choice(["default", "full", "deep"]),
    default="default",
    show_default=True,
    help="How closely to look: sampled, norms at every step, or every step in full.",
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write the page here."
)
@click.option(
    "--keep",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Keep files that the script wrote with the run, such as '*.pt'; may be given several times.",
)
@click.option(
    "--fail", is_flag=True, help="Exit with 1 when a cause was found, and the script itself succeeded."
)
@output_options
@click.argument("script", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    script: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    level: str,
    page: Path | None,
    patterns: tuple[str, ...],
    fail: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Run an unchanged training script under observation, and keep the record.

    The script sees its own arguments, streams and exit code; the report goes to standard error. Options of
    Sleuth stand before SCRIPT or after it; one that the script has, too, is the script's after it. The exit
    code is the script's.
    """
    from sleuth import archive
    from sleuth.files import write_whole
    from sleuth.needs import need
    from sleuth.show import watch_text
    from sleuth.show.watch_page import PAGE, document
    from sleuth.watching.judging import judge, load
    from sleuth.watching.kept import files_of
    from sleuth.watching.watch import Request, checked, run

    need("torch", "torch", "`sleuth watch`")
    if module is not None and script is not None:
        arguments = (script, *arguments)
    request = checked(Request(script, arguments, module, level))
    kept = archive.begin(["sleuth", "watch", *request.words], request.file, "watch")
    with files_of(kept) as files:
        code = run(request, files, stdout=2 if json_path == "-" else 1)
        record = load(files.record_path)
    report = judge(record)
    kept.finish(code, report.findings, {"verdict": report.verdict.to_dict()})
    if patterns:
        kept.keep(patterns)
    if kept.recording:
        with suppress(SleuthError):  # a full disk was told of already
            write_whole(kept.folder / PAGE, document(report, record))
    if page is not None:
        write_whole(page, document(report, record))
    where = str(kept.folder) if kept.recording else ""
    click.echo(watch_text.brief(report) if quiet else "\n" + watch_text.page(report, where), err=True)
    write_json(report.to_dict(), json_path)
    found = report.verdict.status == "cause-found"
    return 1 if fail and found and code == 0 else code
