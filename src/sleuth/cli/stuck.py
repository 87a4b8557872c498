"""`sleuth stuck`: why a metric of a script will not move."""

from typing import TYPE_CHECKING

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.running import ScriptCommand
from sleuth.errors import SleuthError, did_you_mean

if TYPE_CHECKING:
    from sleuth.stuck_metric import Standstill


@click.command("stuck", cls=ScriptCommand)
@click.option(
    "--metric",
    metavar="NAME",
    help="A tensor of the script, by its name where the script calls backward.",
)
@click.option(
    "--steps",
    default=120,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Optimizer steps to run.",
)
@click.option(
    "--budget", default="60s", show_default=True, metavar="TIME", help="Time for everything: 60s, 5m."
)
@output_options
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    metric: str | None,
    steps: int,
    budget: str,
    script: str,
    arguments: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
) -> int:
    """Find out why a metric does not change: the loss, the parameters, or a conflicting term.

    The script is run as it is; NAME is a variable (or self.attribute) that holds the metric as a tensor with
    its graph where the script calls backward. Exit code 1 means that a cause was found.
    """
    from sleuth.cli.diagnose import seconds
    from sleuth.cli.scripts import checked
    from sleuth.needs import need

    path = checked(script)
    words = list(arguments)
    metric = metric or _metric(words)
    if metric is None:
        raise SleuthError("Which metric? Write `sleuth stuck SCRIPT --metric NAME`.")
    need("torch", "torch", "`sleuth stuck`")
    from sleuth.stuck_metric.running import answered

    told = answered(path, tuple(words), metric, steps, seconds(budget))
    if told["answer"] is None:
        raise SleuthError(_why_not(metric, told))
    answer: Standstill = told["answer"]
    payload = {**answer.to_dict(), "step": told["step"], "metric": metric}
    emit(f"Before step {told['step']}, {metric}:\n{answer.text()}", payload, json_path)
    return 1 if answer.findings else 0


def _metric(words: list[str]) -> str | None:
    """Behind the script, where the script has a `--metric`, too: one is needed here, so it is taken."""
    if "--metric" not in words[:-1]:
        return None
    at = words.index("--metric")
    value = words[at + 1]
    del words[at : at + 2]
    return value


def _why_not(metric: str, told: dict[str, object]) -> str:
    if told["trouble"]:
        return f"{told['trouble']}."
    seen = list(told["candidates"])  # type: ignore[call-overload]
    if not seen:
        return "The script made no backward call with a gradient graph, so there is nothing to ask."
    return (
        f"Nothing named {metric!r} is visible where the script calls "
        f"backward.{did_you_mean(metric, seen)} Tensors with a graph there: {', '.join(seen)}."
    )
