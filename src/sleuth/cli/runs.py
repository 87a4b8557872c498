"""`sleuth runs`: the archive, listed, shown, compared, exported and cleared."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sleuth.cli.output import Command, emit, output_options
from sleuth.errors import SleuthError

if TYPE_CHECKING:
    from sleuth.archive.run import Run, Status

STATUSES = ("running", "finished", "failed", "interrupted", "unfinished", "damaged")
home_option = click.option(
    "--home",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The archive (default: $SLEUTH_HOME, .sleuth).",
)


def listing_options(function: Command) -> Command:
    """Which runs to list."""
    for add in (
        click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The latest N."),
        click.option("--cause", metavar="CAUSE", help="Only runs in which this cause was found."),
        click.option("--status", type=click.Choice(STATUSES), help="Only runs of this status."),
        click.option("--since", metavar="TIME", help="Only runs begun since: 2d, 12h, today, 2026-03-01."),
        click.option("--script", metavar="TEXT", help="Only runs whose script has this in its path."),
    ):
        function = add(function)
    return function


@click.group("runs", invoke_without_command=True)
@listing_options
@home_option
@output_options
@click.pass_context
def command(
    context: click.Context,
    script: str | None,
    since: str | None,
    status: "Status | None",
    cause: str | None,
    limit: int,
    home: Path | None,
    json_path: str | None,
    quiet: bool,
) -> None:
    """List the runs Sleuth has watched, show them, and compare them.

    A RUN is named by the start of its id, by the letters at its end, by its folder, or as `last`.
    """
    if context.invoked_subcommand is not None:
        belongs_after(context, script, since, status, cause, home, json_path, quiet)
        return
    _list(script, since, status, cause, limit, home, json_path, quiet)


@command.command("list")
@listing_options
@home_option
@output_options
def list_runs(
    script: str | None,
    since: str | None,
    status: "Status | None",
    cause: str | None,
    limit: int,
    home: Path | None,
    json_path: str | None,
    quiet: bool,
) -> None:
    """List the runs, as `sleuth runs` alone does."""
    _list(script, since, status, cause, limit, home, json_path, quiet)


def _list(
    script: str | None,
    since: str | None,
    status: "Status | None",
    cause: str | None,
    limit: int,
    home: Path | None,
    json_path: str | None,
    quiet: bool,
) -> None:
    from sleuth.archive import home_folder, index, listed
    from sleuth.show import runs as show

    chosen = home_folder(home)
    rows = listed(chosen, script, _moment(since), status, cause)[-limit:]
    metrics = {} if quiet else index.metrics(chosen)
    text = "\n".join(row.run.id for row in rows) if quiet else show.listing(rows, metrics, Path.cwd())
    emit(text, show.listing_json(rows, index.metrics(chosen)), json_path)


@command.command("show")
@click.argument("name", metavar="RUN")
@click.option(
    "--series", metavar="NAME", help="Print one curve, such as step/loss: a step and a value a line."
)
@home_option
@output_options
def show_run(name: str, series: str | None, home: Path | None, json_path: str | None, quiet: bool) -> None:
    """Show one run: command, code, seeds, findings, and where every curve went."""
    from sleuth.errors import did_you_mean
    from sleuth.show import runs as show

    run = _find(name, home)
    if series is None:
        curves = run.all_series()
        text = f"{run.id} {run.status} {run.folder}" if quiet else show.page(run, curves)
        emit(text, show.page_json(run, curves), json_path)
        return
    curve = run.series(series)
    if not len(curve):
        raise SleuthError(f"Run {run.id} has no series {series!r}.{did_you_mean(series, run.all_series())}")
    emit(show.curve(curve), show.curve_json(run, curve), json_path)


@command.command("diff")
@click.argument("left", metavar="RUN")
@click.argument("right", metavar="RUN")
@home_option
@output_options
def diff_runs(left: str, right: str, home: Path | None, json_path: str | None, quiet: bool) -> int:
    """Compare two runs: code, command, environment, and the first step where their curves part.

    Exit code 1 means that they differ.
    """
    from sleuth.archive.differences import difference
    from sleuth.show import runs as show

    found = difference(_find(left, home), _find(right, home))
    first = found.first
    brief = f"{first.step} {first.name} {first.left!r} {first.right!r}" if first else "no curve parts"
    emit(brief if quiet else show.comparison(found), show.comparison_json(found), json_path)
    return int(not found.same)


@command.command("export")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@click.option("--to", "target", required=True, metavar="TARGET", help="FILE.csv, FILE.parquet or mlflow:URI.")
@click.option("--experiment", default="sleuth", show_default=True, help="The MLflow experiment to add to.")
@home_option
@output_options
def export_runs(
    names: tuple[str, ...],
    target: str,
    experiment: str,
    home: Path | None,
    json_path: str | None,
    quiet: bool,
) -> None:
    """Write the values of runs as one long table, or send the runs to MLflow.

    The columns are run, script, series, step and value.
    """
    runs = list({run.id: run for run in (_find(name, home) for name in names)}.values())
    if target.startswith("mlflow:"):
        from sleuth.archive.to_mlflow import send

        sent, there = send(runs, target.removeprefix("mlflow:"), experiment)
        text = f"Sent {sent} run{'s' * (sent != 1)} to MLflow" + (
            f"; {there} had been sent before." * bool(there) or "."
        )
        payload = {"sent": sent, "already_there": there}
    else:
        from sleuth.archive.export import export

        values = export(runs, Path(target))
        text = f"Wrote {values} values of {len(runs)} run{'s' * (len(runs) != 1)} to {target}."
        payload = {"values": values}
    damage = {run.id: list(run.damage) for run in runs}
    text = "\n".join([text, *(f"{name}: {told}" for name, found in damage.items() for told in found)])
    emit(
        "" if quiet else text,
        {"schema": "sleuth.export/1", "runs": [run.id for run in runs], **payload, "damage": damage},
        json_path,
    )


@command.command("remove")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Remove them; without it they are only named.")
@home_option
@output_options
def remove_runs(
    names: tuple[str, ...], yes: bool, home: Path | None, json_path: str | None, quiet: bool
) -> None:
    """Remove runs and all that was kept of them."""
    runs = {run.id: run for run in (_find(name, home) for name in names)}
    _take_out(list(runs.values()), yes, home, json_path, quiet)


@command.command("prune")
@click.option("--older-than", metavar="TIME", help="Begun before: 30d, 2026-03-01.")
@click.option("--keep", type=click.IntRange(0), metavar="N", help="All but the latest N.")
@click.option(
    "--status", type=click.Choice([one for one in STATUSES if one != "running"]), help="Of this status."
)
@click.option("--yes", is_flag=True, help="Remove them; without it they are only named.")
@home_option
@output_options
def prune_runs(
    older_than: str | None,
    keep: int | None,
    status: "Status | None",
    yes: bool,
    home: Path | None,
    json_path: str | None,
    quiet: bool,
) -> None:
    """Remove old runs: those that fit everything asked for. A run that goes on is never removed."""
    from sleuth.archive import home_folder
    from sleuth.archive.removing import to_prune

    runs = to_prune(home_folder(home), _moment(older_than), keep, status)
    _take_out(list(runs), yes, home, json_path, quiet)


def belongs_after(context: click.Context, *given: object) -> None:
    """Options of the list, written before a subcommand, would be lost without a word."""
    if any(given):
        path, name = context.command_path, context.invoked_subcommand
        raise click.UsageError(f"Write the options after the subcommand: `{path} {name} ...`.")


def _take_out(runs: "list[Run]", yes: bool, home: Path | None, json_path: str | None, quiet: bool) -> None:
    from sleuth.archive import home_folder
    from sleuth.archive.removing import remove, size

    room = sum(map(size, runs))
    if yes:
        remove(home_folder(home), runs)
    names = [run.id for run in runs]
    told = f"{len(runs)} run{'s' * (len(runs) != 1)}, {room / 1e6:.1f} MB"
    closing = f"Removed {told}." if yes else f"Would remove {told}; add --yes to do it."
    payload = {"schema": "sleuth.removed/1", "runs": names, "bytes": room, "removed": yes}
    emit("\n".join(names if quiet else [*names, closing]), payload, json_path)


def _find(name: str, home: Path | None) -> "Run":
    from sleuth.archive import find

    return find(name, home)


def _moment(text: str | None) -> float | None:
    from sleuth.archive.when import moment

    return None if text is None else moment(text, datetime.now())
