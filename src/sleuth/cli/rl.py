"""`sleuth rl`: probe an agent, check an environment, watch a run."""

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sleuth.cli.output import emit, output_options
from sleuth.cli.users_code import users_code
from sleuth.errors import SleuthError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sleuth.finding import Finding
    from sleuth.rl.ladder import Rung


@click.group("rl")
def command() -> None:
    """Reinforcement learning: probe an agent, check an environment, watch a run."""


@command.command("probe")
@click.argument("target", metavar="TARGET")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS...]")
@click.option("--gamma", default=0.99, show_default=True, type=click.FloatRange(0, 1), help="The discount.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Seed of the first attempt.")
@click.option("--steps", type=click.IntRange(100), metavar="N", help="Where patience ends, in steps a probe.")
@click.option("--only", multiple=True, metavar="PROBE", help="Only this probe (repeatable, or with commas).")
@click.option("--spaces", metavar="KIND", help="Observations: vector, discrete, image, dict, multi-discrete.")
@click.option("--like", metavar="ENV_ID", help="Keep the spaces of this environment in every probe.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of an sb3: target.")
@output_options
def probe(
    target: str,
    arguments: tuple[str, ...],
    gamma: float,
    seed: int,
    steps: int | None,
    only: tuple[str, ...],
    spaces: str | None,
    like: str | None,
    settings: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
) -> int:
    """Train an agent in tiny environments with known values, and name what is broken.

    TARGET is module:learn or file.py:learn with learn(make_env, steps, seed, gamma) -> agent (any of
    value(obs), q(obs), policy(obs)); a Stable-Baselines3 class such as sb3:PPO; or a script, followed by --
    and its arguments, in which {env} stands for the environment's id ({seed}, {gamma} work as well).
    Exit code 1 means that something is broken.
    """
    from sleuth.needs import need

    need("gymnasium", "rl", "`sleuth rl`")
    from sleuth.rl.probing import Request
    from sleuth.show import rl as show

    words = tuple(word for entry in only for word in entry.split(",") if word)
    request = Request(gamma, seed, steps, words, spaces, _like(like), _settings(settings))
    with users_code(target):
        result = _probed(target, arguments, request)
    if not result.examined:
        reasons = [rung.reason for rung in result.rungs if rung.reason]
        raise SleuthError(
            f"Nothing could be probed: {reasons[0] if reasons else 'the agent has nothing to ask'}"
        )
    page = (
        show.brief(result.findings)
        if quiet
        else "\n\n".join([show.ladder(result), *_tuning(target, request, result)])
    )
    emit(page, result.to_dict(), json_path)
    return _code(result.findings)


def _tuning(target: str, request: Any, result: Any) -> list[str]:
    """Common settings, only for an agent that is known to be right: they do not repair a sign."""
    from sleuth.rl.defaults import TABLE
    from sleuth.show import rl as show

    name = target.removeprefix("sb3:")
    whole = not request.only and all(rung.result in ("passed", "implied", "skipped") for rung in result.rungs)
    return [show.settings(name, TABLE[name])] if target != name and whole and name in TABLE else []


def _probed(target: str, arguments: tuple[str, ...], request: Any) -> Any:
    from sleuth.rl import probing, targets

    with _climbing(len(probing.tables_for(request))) as step:
        if target.startswith("sb3:"):
            return probing.probe_sb3(target.removeprefix("sb3:"), request, step)
        if target.endswith(".py"):
            from sleuth.rl import script

            return script.probe_script(target, arguments, request, step)
        return probing.probe_learn(targets.function(target), request, step)


@contextmanager
def _climbing(probes: int) -> "Iterator[Callable[[Rung], None]]":
    """A bar that grows by one a probe, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), words)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("the first probe", total=probes)
        yield lambda rung: bar.update(task, advance=1, description=f"{rung.table.name} {rung.result}")


def _like(name: str | None) -> Any:
    if name is None:
        return None
    from sleuth.rl.rollouts import made

    return made(name)()


def _settings(words: tuple[str, ...]) -> dict[str, Any]:
    """`key=value`, the value as JSON where it is JSON, else as a word."""
    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise SleuthError(f"--set wants KEY=VALUE, not {word!r}.")
        try:
            found[key] = json.loads(value)
        except json.JSONDecodeError:
            found[key] = value
    return found


def _code(found: "tuple[Finding, ...] | list[Finding]") -> int:
    return 1 if any(entry.severity != "note" for entry in found) else 0


@command.command("check")
@click.argument("target", metavar="ENV_ID|MODULE:MAKE_ENV")
@click.option("--gamma", default=0.99, show_default=True, type=click.FloatRange(0, 1), help="Your discount.")
@click.option(
    "--steps", default=3000, show_default=True, type=click.IntRange(200), help="Random steps to play."
)
@click.option("--agents", "train", is_flag=True, help="Also train tabular Q and the cross-entropy method.")
@click.option("--pictures", metavar="FILE", help="Draw random rollouts into a PNG file.")
@output_options
def check(
    target: str,
    gamma: float,
    steps: int,
    train: bool,
    pictures: str | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Play an environment and say what is wrong with it.

    Scales, NaN, frozen or unbounded observations, ignored actions, ends, seeds, state that survives a reset.
    """
    from sleuth.rl.rollouts import made
    from sleuth.rl.soundness import check as checked
    from sleuth.show import rl as show

    with users_code(target):
        make = made(target)
        result = checked(target, make, gamma, steps, train)
    if pictures is not None:
        from sleuth.show import rl_pictures

        rl_pictures.write(result, make, pictures)
    emit(show.brief(result.findings) if quiet else show.soundness(result), result.to_dict(), json_path)
    return _code(result.findings)


@command.command("watch")
@click.argument("target", metavar="RUN_DIR|SCRIPT")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS...]")
@click.option("--actions", type=click.IntRange(2), metavar="N", help="Number of discrete actions.")
@click.option("--threshold", type=float, metavar="R", help="A seed that ends below this return has failed.")
@output_options
def watch(
    target: str,
    arguments: tuple[str, ...],
    actions: int | None,
    threshold: float | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Read the logs of a run (TensorBoard, CSV, JSON) and say what went wrong, and when.

    A folder with several runs is read as several seeds. A SCRIPT is run first; the logs it writes are read.
    """
    from sleuth.rl.watching import watch as watched
    from sleuth.show import rl as show

    result = watched(target, arguments, actions, threshold)
    emit(show.brief(result.findings) if quiet else show.watched(result), result.to_dict(), json_path)
    return _code(result.findings)


@command.command("defaults")
@click.argument("algorithm", metavar="ALGORITHM")
@output_options
def defaults(algorithm: str, json_path: str | None, quiet: bool) -> int:
    """Print common settings of PPO, A2C, DQN, SAC or TD3; look here after the probes pass."""
    from sleuth.rl.defaults import settings
    from sleuth.show import rl as show

    table = settings(algorithm)
    emit(
        show.settings(algorithm.upper(), table), {"schema": "sleuth.rl/1", "settings": dict(table)}, json_path
    )
    return 0
