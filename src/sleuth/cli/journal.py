"""`sleuth journal`: notes and runs, day by day."""

from datetime import datetime
from pathlib import Path

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.runs import belongs_after, home_option


@click.group("journal", invoke_without_command=True)
@click.option("--since", metavar="TIME", help="Only entries since: 2d, today, 2026-03-01.")
@home_option
@output_options
@click.pass_context
def command(
    context: click.Context, since: str | None, home: Path | None, json_path: str | None, quiet: bool
) -> None:
    """Keep a work log: your notes and the runs, day by day.

    The notes stand in journal.md in the archive, as plain markdown: edit it as you like.
    """
    if context.invoked_subcommand is not None:
        belongs_after(context, since, home, json_path, quiet)
        return
    from sleuth.archive import home_folder, listed
    from sleuth.archive.journal import notes
    from sleuth.archive.when import moment
    from sleuth.show import journal as show

    chosen = home_folder(home)
    found = show.entries(notes(chosen), [] if quiet else listed(chosen))
    if since is not None:
        first = datetime.fromtimestamp(moment(since, datetime.now()))
        found = [entry for entry in found if entry[:2] >= (f"{first:%Y-%m-%d}", f"{first:%H:%M}")]
    emit(show.text(found, Path.cwd()), show.as_json(found), json_path)


@command.command("add")
@click.argument("text", nargs=-1, required=True)
@click.option("--run", "run_name", metavar="RUN", help="The run that the note is about.")
@home_option
@output_options
def add_note(
    text: tuple[str, ...], run_name: str | None, home: Path | None, json_path: str | None, quiet: bool
) -> None:
    """Add a note, with the time."""
    from sleuth.archive import find, home_folder
    from sleuth.archive.journal import add

    about = find(run_name, home).id if run_name else ""
    note = add(home_folder(home), " ".join(text), datetime.now(), about)
    payload = {
        "schema": "sleuth.note/1",
        "day": note.day,
        "time": note.time,
        "note": note.text,
        "run": note.run or None,
    }
    emit("" if quiet else f"{note.day} {note.time} {note.text}", payload, json_path)
