"""`sleuth judge`: a kept run, looked at again by this version of Sleuth."""

from pathlib import Path

import click

from sleuth.cli.output import emit, output_options


@click.command("judge")
@click.argument("name", metavar="RUN", default="last")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write a page.")
@output_options
def command(name: str, page: Path | None, json_path: str | None, quiet: bool) -> int:
    """Judge the record of a watched run again, without running anything.

    RUN is a run of the archive (see `sleuth runs`; 'last' is the newest) or a record file.
    """
    from sleuth.show import watch_text
    from sleuth.watching.judging import judge
    from sleuth.watching.kept import kept_record

    record = kept_record(name)
    report = judge(record)
    if page is not None:
        from sleuth.files import write_whole
        from sleuth.show.watch_page import document

        write_whole(page, document(report, record))
    emit(watch_text.brief(report) if quiet else watch_text.page(report), report.to_dict(), json_path)
    return 1 if report.verdict.status == "cause-found" else 0
