"""`sleuth probe`: examine a model, one batch and a loss."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError, did_you_mean
from sleuth.terminal import coloured

if TYPE_CHECKING:
    from sleuth.probing import ProbeReport

KNOWN = ("model", "batch", "loss_fn", "step", "optimizer", "loader", "val_loader")


@click.command("probe")
@click.argument("target", metavar="FILE:FUNCTION")
@click.option(
    "--budget", default=30.0, show_default=True, metavar="SECONDS", help="Time for the whole probe."
)
@click.option("--no-memorise", is_flag=True, help="Leave out the short training on one batch.")
@click.option("--quick", is_flag=True, help="Only what causes are judged by: no training, no rate test.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Seed of what is drawn at random.")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Also write a page.")
@output_options
def command(
    target: str,
    budget: float,
    no_memorise: bool,
    quick: bool,
    seed: int,
    page: Path | None,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Examine a model, one batch and a loss, in seconds.

    FUNCTION takes nothing and returns model, batch and loss, in this order or as a dict with the keys model,
    batch, loss_fn or step, optimizer, loader, val_loader. Exit code 1 means that something was found.
    """
    from sleuth.cli.users_code import users_code
    from sleuth.needs import need

    need("torch", "torch", "`sleuth probe`")
    from sleuth.probing import probe
    from sleuth.show import probe_html, probe_text

    with users_code(target):
        found = probe(**_made(target), budget=budget, seed=seed, memorise=not no_memorise, quick=quick)
    if page is not None:
        from sleuth.files import write_whole

        write_whole(page, probe_html.document(found.report))
    emit(probe_text.brief(found.report) if quiet else _page(found), found.to_dict(), json_path)
    return 1 if any(finding.severity != "note" for finding in found.findings) else 0


def _page(found: "ProbeReport") -> str:
    """With colour on a terminal, plain in a pipe."""
    if not coloured():
        return str(found)
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    Console(file=out, force_terminal=True, highlight=False).print(found, soft_wrap=True, end="")
    return out.getvalue().rstrip("\n")


def _made(target: str) -> dict[str, Any]:
    """What the user's function returns, by name."""
    made = _function(target)()
    if isinstance(made, Mapping):
        strange = [str(key) for key in made if key not in KNOWN]
        if strange:
            hint = did_you_mean(strange[0], KNOWN)
            raise SleuthError(f"{target} returns a dict with the key {strange[0]!r}.{hint}")
        return dict(made)
    if isinstance(made, (tuple, list)) and 2 <= len(made) <= 6:
        return dict(
            zip(("model", "batch", "loss_fn", "optimizer", "loader", "val_loader"), made, strict=False)
        )
    raise SleuthError(
        f"{target} returns a {type(made).__name__}; expected (model, batch, loss_fn) or a dict."
    )


def _function(target: str) -> Any:
    import runpy
    import sys

    path, _, name = target.rpartition(":")
    if not path or not name:
        raise SleuthError(f"{target!r} names no function; write FILE:FUNCTION, such as train.py:make.")
    file = Path(path)
    if not file.is_file():
        raise SleuthError(f"There is no file {path!r}.")
    sys.path.insert(0, str(file.resolve().parent))
    space = runpy.run_path(str(file), run_name="sleuth_probe")
    if not callable(space.get(name)):
        hint = did_you_mean(name, [key for key, value in space.items() if callable(value)])
        raise SleuthError(f"{path} has no function {name!r}.{hint}")
    return space[name]
