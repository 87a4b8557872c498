"""`sleuth sweep plan` and `sleuth sweep run`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sleuth.cli.output import emit, output_options, write_json
from sleuth.errors import SleuthError
from sleuth.terminal import say

if TYPE_CHECKING:
    from sleuth.sweeping.plan import Plan
    from sleuth.sweeping.running import Event, Ran


@click.command("plan")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--question", default="", help="What you want to know.")
@click.option("--hypothesis", default="", help="What you expect.")
@click.option(
    "--command", "command_line", metavar="LINE", help="The command to run; {value} and {seed} are filled in."
)
@click.option("--param", metavar="NAME", help="The parameter to vary.")
@click.option("--values", metavar="A,B,..", help="The values of that parameter.")
@click.option(
    "--also", multiple=True, metavar="NAME=A,B,..", help="A second parameter (repeatable; see the warning)."
)
@click.option(
    "--search", multiple=True, metavar="NAME=LO:HI[:log|:int]", help="Explore a range at random (repeatable)."
)
@click.option("--samples", type=click.IntRange(1), help="Points of a random search.")
@click.option(
    "--seeds",
    default="5",
    show_default=True,
    metavar="N|A,B,..",
    help="How many seeds, or which: the same for each value.",
)
@click.option(
    "--metric", metavar="NAME", help="The metric to judge by; read from the log or from $SLEUTH_RESULT."
)
@click.option("--lower-is-better", is_flag=True, help="The metric is a loss, an error, a time.")
@click.option(
    "--adapter",
    type=click.Choice(["template", "hydra", "argparse"]),
    default="template",
    help="How values reach the command: {value}, key=value, or --key value.",
)
@click.option("--name", help="What to call the sweep (default: the file's name).")
@click.option("--set", "config", multiple=True, metavar="KEY=VALUE", help="Fixed configuration to record.")
@click.option("--parallel", type=click.IntRange(1), help="Runs at a time (default: as many as fit).")
@click.option("--seconds", type=float, help="A run that takes longer is ended and counts as failed.")
@click.option("--cores", type=click.IntRange(1), help="Cores of one run.")
@click.option("--priority", type=int, help="Order among several plans; higher runs first.")
@click.option(
    "--time", "time_first", is_flag=True, help="Run the first one now, to estimate how long all take."
)
@click.option("--force", is_flag=True, help="Replace an existing plan.")
@output_options
def plan_command(file: Path, json_path: str | None, quiet: bool, **options: Any) -> int:
    """Write a plan, or say what an existing one takes and can show.

    FILE is a TOML file. With --command it is written; without, it is read.
    """
    from sleuth.show import sweep_plan as show
    from sleuth.sweeping import store
    from sleuth.sweeping.plan import make_plan, read_plan, toml
    from sleuth.sweeping.running import engine_for, run, standing

    time_first, force = options.pop("time_first"), options.pop("force")
    if options["command_line"] is None:
        plan = read_plan(file)
    else:
        if file.exists() and not force:
            raise SleuthError(f"{file} exists; --force replaces it.")
        data = _plan_data(options)
        plan = make_plan(data, str(file), file.stem)
        from sleuth.files import write_whole

        write_whole(file, toml(data))
    if time_first:
        run(plan, engine_for("local"), lambda event: None, most=1)
    seen = standing(plan, store.sweep_folder(plan.name))
    written = f"\nWritten: {file}" if options["command_line"] is not None else ""
    text = (
        f"{len(seen.todo)} runs to do"
        if quiet
        else f"{show.text(plan, seen)}{written}\nnext: sleuth sweep run {file}"
    )
    emit(text, show.payload(plan, seen), json_path)
    return 0


def _plan_data(options: dict[str, Any]) -> dict[str, Any]:
    """The options as the keys of a plan file; what was not said is left out."""
    param, values = options["param"], options["values"]
    if not options["search"] and (param is None or values is None):
        raise SleuthError("Say what to vary: --param lr --values 0.1,0.01 (or --search lr=1e-5:1e-1:log).")
    if options["metric"] is None:
        raise SleuthError("Say what to judge by: --metric acc.")
    data: dict[str, Any] = {
        "name": options["name"], "question": options["question"], "hypothesis": options["hypothesis"],
        "command": options["command_line"],
        "adapter": options["adapter"] if options["adapter"] != "template" else None,
        "param": param if not options["search"] else None,
        "values": _cells(values) if values and not options["search"] else None,
        "seeds": _seeds(options["seeds"]), "metric": options["metric"],
        "direction": "lower" if options["lower_is_better"] else "higher",
        "priority": options["priority"], "samples": options["samples"],
        "params": {name: _cells(text) for name, text in map(_pair, options["also"])},
        "search": dict(map(_range, options["search"])),
        "config": {name: _cell(text) for name, text in map(_pair, options["config"])},
        "limits": {key: options[key] for key in ("parallel", "seconds", "cores") if options[key] is not None},
    }  # fmt: skip
    return {key: value for key, value in data.items() if value not in (None, {}, "")}


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise SleuthError(f"{text!r} is not of the form NAME=VALUE.")
    return name, value


def _range(text: str) -> tuple[str, dict[str, Any]]:
    name, span = _pair(text)
    parts = span.split(":")
    try:
        low, high = float(parts[0]), float(parts[1])
    except (ValueError, IndexError):
        raise SleuthError(
            f"{text!r} is no range: write NAME=LOW:HIGH, NAME=LOW:HIGH:log or NAME=LOW:HIGH:int."
        ) from None
    return name, {"low": low, "high": high, "scale": parts[2] if len(parts) > 2 else "linear"}


def _cells(text: str) -> list[Any]:
    return [_cell(part) for part in text.split(",") if part.strip()]


def _cell(text: str) -> Any:
    from sleuth.sweeping.table import as_number

    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    found = as_number(text)
    return text if found is None else found


def _seeds(text: str) -> Any:
    return int(text) if text.isdigit() else _cells(text)


@click.command("run")
@click.argument(
    "plans", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="PLAN..."
)
@click.option(
    "--on",
    "where",
    type=click.Choice(["local", "ray", "slurm"]),
    default="local",
    show_default=True,
    help="This machine, an existing Ray cluster, or Slurm (through submitit).",
)
@click.option("--parallel", type=click.IntRange(1), help="Runs at a time on this machine.")
@click.option("--retry-failed", is_flag=True, help="Run failed ones again; their first attempts are kept.")
@output_options
def run_command(
    plans: tuple[Path, ...],
    where: str,
    parallel: int | None,
    retry_failed: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Run plans, by falling priority; finished runs are not repeated.

    Ctrl-C ends the running ones; the same command resumes. A failed run is kept with its log and is not run
    again unless you say --retry-failed. Exit code 1 means that runs failed.
    """
    from dataclasses import replace

    from sleuth.show.sweep_plan import queue
    from sleuth.sweeping.plan import read_plan
    from sleuth.sweeping.running import engine_for, run

    read = [read_plan(path) for path in plans]
    results = []
    for plan in queue(read):
        if parallel is not None:
            plan = replace(plan, limits=replace(plan.limits, parallel=parallel))
        ran = run(plan, engine_for(where), _teller(plan, quiet, retry_failed), retry_failed)
        results.append(_summary(plan, ran))
        if json_path != "-":
            say(_ended(plan, ran))
        if ran.interrupted:
            write_json({"schema": "sleuth.sweep.run/1", "sweeps": results}, json_path)
            raise KeyboardInterrupt
    write_json({"schema": "sleuth.sweep.run/1", "sweeps": results}, json_path)
    return int(any(result["failed"] or result["failed_before"] for result in results))


def _teller(plan: "Plan", quiet: bool, retry_failed: bool) -> "Callable[[Event], None]":
    """One line that is rewritten on a terminal; one line an ended run elsewhere."""
    from sleuth.show.sweep_plan import Progress, ended_line, progress_line
    from sleuth.sweeping import store
    from sleuth.sweeping.running import standing

    todo = standing(plan, store.sweep_folder(plan.name), retry_failed).todo
    state = Progress(plan.name, len(todo), time.time())
    live = sys.stderr.isatty() and not quiet

    def tell(event: "Event") -> None:
        nonlocal state
        state = state.after(event)
        if event.state not in ("running", "finished") or (
            event.state == "finished" and not live and not quiet
        ):
            say(ended_line(event, state), err=True, redraw=live)
        if live:
            over = state.ended == state.total
            say(progress_line(state), err=True, end="\n" if over else "", redraw=True)

    return tell


def _ended(plan: "Plan", ran: "Ran") -> str:
    from sleuth.show.sweep_plan import duration

    before = ran.before
    parts = [f"{plan.name}: {ran.finished} finished"]
    if before.finished:
        parts.append(f"{before.finished} were finished before")
    if ran.failed:
        parts.append(f"{len(ran.failed)} failed (kept with their logs)")
    elif before.failed:
        parts.append(f"{len(before.failed)} failed before (--retry-failed runs them again)")
    if before.foreign:
        parts.append(f"{before.foreign} runs of another command or configuration are kept, not reused")
    text = ", ".join(parts) + f"; {duration(ran.seconds)}. Kept in {ran.folder}."
    if ran.interrupted:
        left = len(before.todo) - ran.finished - len(ran.failed)
        return f"\n{text}\n{left} runs are left: the same command resumes."
    return f"{text}\nnext: sleuth sweep analyze {plan.name}"


def _summary(plan: "Plan", ran: "Ran") -> dict[str, Any]:
    return {
        "name": plan.name,
        "folder": str(ran.folder),
        "finished": ran.finished,
        "finished_before": ran.before.finished,
        "failed": [
            {"run": event.job.key, "state": event.state, "why": event.why, "log": f"{event.folder}/log.txt"}
            for event in ran.failed
        ],
        "failed_before": list(ran.before.failed),
        "interrupted": ran.interrupted,
        "seconds": ran.seconds,
    }
