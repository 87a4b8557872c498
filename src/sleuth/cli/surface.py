"""`sleuth surface`: the shape and slope of a loss, before training."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sleuth.cli.output import emit, output_options
from sleuth.errors import SleuthError, did_you_mean
from sleuth.terminal import coloured

if TYPE_CHECKING:
    from sleuth.loss_surface import Comparison, Surface


@click.command("surface")
@click.argument("target", metavar="MODULE:FUNCTION", required=False)
@click.option("--x", metavar="NAME=LO:HI", help="The first axis, an input of the function.")
@click.option("--y", metavar="NAME=LO:HI", help="The second axis.")
@click.option("--want", metavar="X[,Y]", help="Where training should end: 1,-1 or 0.5:1,-1:-0.5.")
@click.option("--start", metavar="X[,Y]", help="Where training begins, written like --want.")
@click.option("--fix", "fixed", multiple=True, metavar="NAME=VALUE", help="Hold an input fixed (repeatable).")
@click.option(
    "--slice", "slices", multiple=True, metavar="NAME=A,B,..", help="Draw the map again at each value."
)
@click.option("--n", default=80, show_default=True, metavar="N", help="Points along each axis.")
@click.option("--compare", "other", metavar="MODULE:FUNCTION", help="A second formula on the same axes.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="A picture (.png, .svg) or page (.html)."
)
@click.option(
    "--budget", default="60s", show_default=True, metavar="TIME", help="Time for the function: 60s, 5m."
)
@click.option("--poles", "show_poles", is_flag=True, help="Examples: torch's own losses at their poles.")
@output_options
def command(
    target: str | None,
    x: str | None,
    y: str | None,
    want: str | None,
    start: str | None,
    fixed: tuple[str, ...],
    slices: tuple[str, ...],
    n: int,
    other: str | None,
    out: Path | None,
    budget: str,
    show_poles: bool,
    json_path: str | None,
    quiet: bool,
) -> int:
    """Map the surface and gradients of a loss, without a model.

    MODULE:FUNCTION is a function in a file or package, such as losses.py:barrier; it takes the axes by name
    and returns one value a point, or a dict of terms. Exit code 1 means that a defect was found.
    """
    from sleuth.cli.diagnose import seconds
    from sleuth.cli.users_code import users_code
    from sleuth.loss_surface.shown.files import check_ending
    from sleuth.needs import need

    if out is not None:
        check_ending(out)
    if show_poles:
        return _poles(json_path)
    if target is None or x is None:
        raise SleuthError(
            "Say which function and along which input: sleuth surface losses.py:barrier --x distance=-1:3."
        )
    axes = [read_axis_option(text) for text in (x, y) if text is not None]
    places = {
        "want": read_place(want, "--want", len(axes)),
        "start": read_place(start, "--start", len(axes)),
    }
    cuts = {name: [_number(part, name) for part in text.split(",")] for name, text in map(_pair, slices)}
    held = {name: _value(text) for name, text in map(_pair, fixed)}
    need("torch", "torch", "sleuth surface")
    from sleuth.loss_surface import surface

    limit = seconds(budget)
    import torch  # noqa: F401  # not on the function's time, and not to be torn off in the middle

    with users_code(target, limit):
        seen = surface(load(target), *axes, fixed=held, slices=cuts, n=n, **places)
        shown: Surface | Comparison = seen if other is None else seen.compare(load(other))
    _show(seen, shown, out, json_path, quiet)
    return int(any(flaw.severity != "note" for flaw in seen.findings))


def load(target: str) -> Callable[..., Any]:
    """The function behind `file.py:name` or `package.module:name`; a class is made with its defaults."""
    import inspect

    where, colon, name = target.rpartition(":")
    if not colon or not where or not name:
        raise SleuthError(f"{target!r} names no function: write FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION.")
    module = _module(where)
    found = module.get(name)
    if found is None:
        known = [word for word, value in module.items() if callable(value) and not word.startswith("_")]
        raise SleuthError(f"There is no {name!r} in {where}.{did_you_mean(name, known)}")
    try:
        made = found() if inspect.isclass(found) else found
    except Exception as error:
        raise SleuthError(
            f"{target} cannot be made without arguments: {error}. Wrap it in a function."
        ) from None
    if not callable(made):
        raise SleuthError(f"{target} is {type(made).__name__}, not a function.")
    function: Callable[..., Any] = made
    return function


def read_axis_option(text: str) -> tuple[str, float, float]:
    name, span = _pair(text)
    lo, colon, hi = span.partition(":")
    if not colon:
        raise SleuthError(f"{text!r} is not an axis: write NAME=LO:HI, such as margin=0:2.")
    return name, _number(lo, name), _number(hi, name)


def read_place(text: str | None, option: str, axes: int) -> Any:
    """`1,-1` a point, `0.5:1,-1:-0.5` a region; one part an axis."""
    if text is None:
        return None
    if len(text.split(",")) != axes:
        raise SleuthError(
            f"{option} {text!r} does not fit: give one number or LO:HI for each of {axes} axes."
        )
    parts = []
    for part in text.split(","):
        ends = [_number(end, option) for end in part.split(":")]
        if len(ends) > 2:
            raise SleuthError(f"{option} {text!r}: an interval is LO:HI.")
        parts.append(ends[0] if len(ends) == 1 else (ends[0], ends[1]))
    return parts[0] if len(parts) == 1 else tuple(parts)


def _show(
    seen: "Surface", shown: "Surface | Comparison", out: Path | None, json_path: str | None, quiet: bool
) -> None:
    from sleuth.loss_surface.shown import as_text

    text = as_text.brief(seen) if quiet else shown.text(coloured())
    if out is not None:
        shown.save(out)
        text = "\n".join(part for part in (text, "" if quiet else f"\nWritten: {out}") if part)
    if text or json_path:
        emit(text, shown.to_dict() if json_path else None, json_path)


def _poles(json_path: str | None) -> int:
    from sleuth.needs import need

    need("torch", "torch", "sleuth surface")
    from sleuth.loss_surface import poles
    from sleuth.loss_surface.shown import as_text
    from sleuth.show.json_ready import json_ready

    examples = poles()
    data = {"schema": "sleuth.poles/1", "poles": [pole.to_dict() for pole in examples]}
    emit(as_text.poles(examples), json_ready(data), json_path)
    return 0


def _module(where: str) -> dict[str, Any]:
    """The names of a file or of an importable module; what it raises while loading is one sentence."""
    import importlib
    import os
    import runpy
    import sys

    is_file = where.endswith(".py") or os.sep in where
    if is_file and not Path(where).is_file():
        raise SleuthError(f"There is no file {where!r}.")
    sys.path.insert(0, str(Path(where).resolve().parent) if is_file else os.getcwd())
    try:
        return runpy.run_path(where) if is_file else vars(importlib.import_module(where))
    except Exception as error:
        raise SleuthError(f"{where} could not be loaded: {type(error).__name__}: {error}.") from None
    finally:
        sys.path.pop(0)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise SleuthError(f"{text!r} should be NAME=VALUE.")
    return name.strip(), value.strip()


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SleuthError(f"{text!r} (for {what}) is no number.") from None


def _value(text: str) -> Any:
    """A number where it is one, else the word itself; whole numbers without a point stay whole."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
