"""`sleuth sweep`: plan same-seed sweeps, run them, and read what they really show."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.sweep_run import plan_command, run_command
from sleuth.terminal import say

if TYPE_CHECKING:
    from sleuth.sweeping.result import Analysis


@click.group("sweep")
def command() -> None:
    """Plan same-seed sweeps, run them, and analyse the results."""


@command.command("analyze")
@click.argument("source")
@click.option("--param", metavar="COLUMN", help="The parameter that was varied.")
@click.option("--metric", metavar="COLUMN", help="What was measured, one number a run.")
@click.option("--seed", metavar="COLUMN", help="The seed (default: a column named seed).")
@click.option(
    "--group", metavar="COLUMN", help="Which sweep a run belongs to (default: a column named group)."
)
@click.option("--lower-is-better", is_flag=True, help="The metric is a loss, an error, a time.")
@click.option("--log", "log_scale", is_flag=True, help="Fit the trend to the logarithm of the values.")
@click.option(
    "--config", multiple=True, metavar="COLUMNS", help="Exactly these columns are the configuration."
)
@click.option(
    "--ignore-columns", multiple=True, metavar="COLUMNS", help="These columns are no configuration."
)
@click.option(
    "--fill",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan (TOML) of the missing runs.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with pictures.",
)
@click.option("--refresh/--no-refresh", default=None, help="Trackers: ask again, or use the cache alone.")
@click.option(
    "--logs",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Trackers: fetch the runs' logs into FOLDER.",
)
@output_options
def analyze_command(
    source: str,
    param: str | None,
    metric: str | None,
    seed: str | None,
    group: str | None,
    lower_is_better: bool,
    log_scale: bool,
    config: tuple[str, ...],
    ignore_columns: tuple[str, ...],
    fill: Path | None,
    html: Path | None,
    refresh: bool | None,
    logs: Path | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Say which values of a parameter are reliably better.

    SOURCE is a CSV, JSON-lines or parquet file with one row a run, the name of a sweep that `sleuth sweep
    run` ran, `archive` (every run Sleuth has kept here), a folder of TensorBoard or offline wandb runs, or a
    tracker: mlflow:URL/EXPERIMENT, wandb:ENTITY/PROJECT, trackio:PROJECT. A value is judged against the mean
    of the other values of its group. Exit code 1 means that something was found: a reliable difference,
    failed runs, a confounder.
    """
    from sleuth.needs import need

    need("numpy", "sweep", "sleuth sweep analyze")
    from sleuth.sweeping.analysis import Request, analyze
    from sleuth.sweeping.columns import Asked
    from sleuth.sweeping.sources import open_source

    opened = open_source(source, refresh, logs)
    for line in opened.said:
        say(f"sleuth: {line}", err=True)
    asked = Asked(
        opened.param if param is None else param, opened.metric if metric is None else metric,
        opened.seed if seed is None else seed, group, _words(config), _words(ignore_columns),
    )  # fmt: skip
    result = analyze(opened.table, Request(asked, lower_is_better or opened.lower_is_better, log_scale))
    _show(result, fill, html, json_path, quiet)
    return int(
        any(
            finding.kind != "missing-cells" and finding.kind != "apples-and-oranges"
            for finding in result.findings
        )
    )


def _show(
    result: "Analysis", fill: Path | None, html: Path | None, json_path: str | None, quiet: bool
) -> None:
    from sleuth.files import write_whole
    from sleuth.show import sweep as show

    written = []
    if fill is not None:
        from sleuth.sweeping.filling import fill_plan

        write_whole(fill, fill_plan(result))
        written.append(
            f"Written: {fill}, the plan of {sum(len(g.missing) for g in result.groups)} missing runs."
        )
    if html is not None:
        from sleuth.show.sweep_page import page

        write_whole(html, page(result))
        written.append(f"Written: {html}")
    text = (
        show.brief(result) if quiet else "\n".join([show.text(result), *([""] if written else []), *written])
    )
    if json_path is None:
        say(text)
        return
    emit(text, result.to_dict() | {"journal": show.paragraph(result)}, json_path)


def _words(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for option in options for word in option.split(",") if word.strip())


@command.command("tasks")
@click.argument("source")
@click.option(
    "--algorithm", required=True, metavar="COLUMN", help="Column of what is compared: an algorithm, a model."
)
@click.option("--task", required=True, metavar="COLUMN", help="Column of the task: a game, a dataset.")
@click.option("--metric", required=True, metavar="COLUMN", help="The score of one run.")
@click.option("--lower-is-better", is_flag=True, help="The metric is a loss, an error, a time.")
@click.option("--scale", is_flag=True, help="Scale each task so that its worst run is 0 and its best 1.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with performance profiles.",
)
@output_options
def tasks_command(
    source: str,
    algorithm: str,
    task: str,
    metric: str,
    lower_is_better: bool,
    scale: bool,
    html: Path | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Compare algorithms over many tasks.

    Interquartile means with bootstrap intervals (and how far to trust those at this size), probability of
    improvement, performance profiles (in the page and the JSON).
    """
    from sleuth.needs import need

    need("numpy", "sweep", "sleuth sweep tasks")
    from sleuth.files import write_whole
    from sleuth.show.sweep_more import tasks_page, tasks_text
    from sleuth.sweeping.sources import open_source
    from sleuth.sweeping.tasks import compare_tasks

    found = compare_tasks(open_source(source).table, algorithm, task, metric, lower_is_better, scale)
    if html is not None:
        write_whole(html, tasks_page(found))
    best = found.algorithms[0]
    emit(f"{best.name}\t{best.iqm:.4g}" if quiet else tasks_text(found), found.to_dict(), json_path)
    return 0


@command.command("sensitivity")
@click.argument("source")
@click.option("--metric", required=True, metavar="COLUMN", help="The score of one run.")
@click.option("--param", "params", multiple=True, metavar="COLUMN", help="Only this parameter (repeatable).")
@click.option("--lower-is-better", is_flag=True, help="The metric is a loss, an error, a time.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with one picture a parameter.",
)
@output_options
def sensitivity_command(
    source: str,
    metric: str,
    params: tuple[str, ...],
    lower_is_better: bool,
    html: Path | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Measure how much a result hangs on each parameter.

    And whether the best run was luck. Exit code 1 means that a parameter is too sensitive, or the best run
    stands above its neighbours.
    """
    from sleuth.needs import need

    need("numpy", "sweep", "sleuth sweep sensitivity")
    from sleuth.files import write_whole
    from sleuth.show import sweep_more as show
    from sleuth.sweeping.sensitivity import sensitivity
    from sleuth.sweeping.sources import open_source

    report = sensitivity(open_source(source).table, metric, params, lower_is_better)
    if html is not None:
        write_whole(html, show.sensitivity_page(report))
    brief = "\n".join(f"{one.param}\t{one.verdict}" for one in report.params)
    emit(brief if quiet else show.sensitivity_text(report), report.to_dict(), json_path)
    lucky = report.luck is not None and report.luck.verdict.startswith("probably")
    return int(lucky or any(one.verdict == "too sensitive" for one in report.params))


command.add_command(plan_command)
command.add_command(run_command)
