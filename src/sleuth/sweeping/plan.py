"""A plan: the question, the command, one varied parameter, the same seeds for each value, limits."""

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, did_you_mean
from sleuth.shapes import Damage, content, from_toml
from sleuth.sweeping.table import Scalar

SCALES = ("linear", "log", "int")  # of a random search; int draws whole numbers
ADAPTERS = ("template", "hydra", "argparse")
KEYS = (
    "name question hypothesis command adapter param values params search samples seeds metric direction "
    "group config cells priority limits seed_key pattern train"
).split()
LIMITS = "parallel seconds cores gpus memory_gb".split()


@dataclass(frozen=True)
class Limits:
    """What one run may take, and how many may run at once (0: as many as fit)."""

    parallel: int = 0
    seconds: float | None = None
    cores: int = 1
    gpus: float = 0
    memory_gb: float | None = None


@dataclass(frozen=True)
class Range:
    """Where a random search looks."""

    low: float
    high: float
    scale: str = "linear"


@dataclass(frozen=True)
class Plan:
    """What a plan file says. `params` holds every varied parameter; a proper sweep has one."""

    name: str
    command: tuple[str, ...]
    params: Mapping[str, tuple[Scalar, ...]]
    seeds: tuple[Scalar, ...]
    metric: str
    question: str = ""
    hypothesis: str = ""
    lower_is_better: bool = False
    adapter: str = "template"
    group: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    cells: tuple[tuple[Scalar, Scalar], ...] = ()
    search: Mapping[str, Range] = field(default_factory=dict)
    samples: int = 0
    priority: int = 0
    limits: Limits = field(default_factory=Limits)
    seed_key: str = "seed"
    pattern: str = ""

    @property
    def param(self) -> str:
        return next(iter(self.params or self.search))

    @property
    def values(self) -> tuple[Scalar, ...]:
        return self.params.get(self.param, ())


def read_plan(path: Path) -> Plan:
    """The plan in a TOML file, or in a Python file that sets the same names."""
    if not path.is_file():
        raise SleuthError(f"There is no plan {str(path)!r}. `sleuth sweep plan {path}` writes one.")
    data = _from_python(path) if path.suffix == ".py" else _from_toml(path)
    return make_plan(data, str(path), path.stem)


def _from_toml(path: Path) -> dict[str, Any]:
    data = content(path)
    told = data if isinstance(data, Damage) else from_toml(data, path.name)
    if isinstance(told, Damage):
        raise SleuthError(f"{path.parent / str(told)}.")
    return told


def _from_python(path: Path) -> dict[str, Any]:
    """The plan's names in the file; a function `train` becomes the command."""
    import runpy
    import sys

    try:
        names = runpy.run_path(str(path))
    except Exception as error:
        raise SleuthError(f"{path} does not run: {type(error).__name__}: {error}.") from None
    data = {key: names[key] for key in KEYS if key in names and key != "train"}
    if callable(names.get("train")) and "command" not in data:
        data["command"] = [
            sys.executable,
            "-m",
            "sleuth.sweeping.call",
            str(path.absolute()),
            "{param}",
            "{value}",
            "{seed}",
        ]
    return data


def make_plan(data: Mapping[str, Any], source: str, name: str) -> Plan:
    """A plan from plain data, checked; every mistake is one sentence."""
    _known(data, KEYS, source)
    limits = data.get("limits", {})
    _known(limits, LIMITS, f"{source}, [limits],")
    for key in ("command", "metric", "seeds"):
        if not data.get(key):
            raise SleuthError(
                f"{source} has no {key!r}: a plan needs a command, a metric, seeds, and a parameter."
            )
    search = {key: _range(key, value, source) for key, value in data.get("search", {}).items()}
    plan = Plan(
        name=_name(str(data.get("name", name)), source),
        command=_command(data["command"], source),
        params={} if search else _params(data, source),
        seeds=_seeds(data["seeds"], source),
        metric=str(data["metric"]),
        question=str(data.get("question", "")),
        hypothesis=str(data.get("hypothesis", "")),
        lower_is_better=_direction(str(data.get("direction", "higher")), source),
        adapter=str(data.get("adapter", "template")),
        group=str(data.get("group", "")),
        config=dict(data.get("config", {})),
        cells=tuple((value, seed) for value, seed in data.get("cells", ())),
        search=search,
        samples=int(data.get("samples", 20 if search else 0)),
        priority=int(data.get("priority", 0)),
        limits=Limits(**limits),
        seed_key=str(data.get("seed_key", "seed")),
        pattern=str(data.get("pattern", "")),
    )
    _check(plan, source)
    return plan


def _known(data: Mapping[str, Any], keys: Sequence[str], source: str) -> None:
    for key in data:
        if key not in keys:
            raise SleuthError(f"{source} has an unknown key {key!r}.{did_you_mean(key, keys)}")


def _name(name: str, source: str) -> str:
    if not re.fullmatch(r"[\w][\w.=+-]*", name):
        raise SleuthError(f"{source}: the name {name!r} is used for a folder: letters, digits, - and _ only.")
    return name


def _command(command: Any, source: str) -> tuple[str, ...]:
    if isinstance(command, str):
        try:
            return tuple(shlex.split(command))
        except ValueError as error:
            raise SleuthError(f"{source}: the command cannot be split into words: {error}.") from None
    return tuple(map(str, command))


def _params(data: Mapping[str, Any], source: str) -> dict[str, tuple[Scalar, ...]]:
    params = dict(data.get("params", {}))
    if "param" in data:
        params = {str(data["param"]): data.get("values", ()), **params}
    if not params:
        raise SleuthError(f"{source} varies nothing: it needs param = 'lr' and values = [0.1, 0.01].")
    for name, values in params.items():
        if not isinstance(values, (list, tuple)) or not values:
            raise SleuthError(f"{source}: {name} needs a list of values.")
        if len({str(value) for value in values}) < len(values):
            raise SleuthError(f"{source}: a value of {name} is twice in {list(values)}.")
    return {name: tuple(values) for name, values in params.items()}


def _seeds(seeds: Any, source: str) -> tuple[Scalar, ...]:
    if isinstance(seeds, int) and not isinstance(seeds, bool) and seeds > 0:
        return tuple(range(seeds))
    if isinstance(seeds, (list, tuple)) and seeds and len(set(seeds)) == len(seeds):
        return tuple(seeds)
    raise SleuthError(f"{source}: seeds is a number of seeds or a list of different ones, not {seeds!r}.")


def _range(name: str, value: Any, source: str) -> Range:
    try:
        found = Range(float(value["low"]), float(value["high"]), str(value.get("scale", "linear")))
    except (TypeError, KeyError, ValueError, AttributeError):
        raise SleuthError(
            f"{source}: search.{name} needs low and high, and scale = 'linear', 'log' or 'int'."
        ) from None
    if found.scale not in SCALES or not found.low < found.high or not math.isfinite(found.high):
        raise SleuthError(f"{source}: search.{name} needs low < high, and scale 'linear', 'log' or 'int'.")
    if found.scale == "log" and found.low <= 0:
        raise SleuthError(f"{source}: search.{name}: a log scale needs low > 0, not {found.low:g}.")
    return found


def _direction(word: str, source: str) -> bool:
    if word not in ("higher", "lower"):
        raise SleuthError(f"{source}: direction is 'higher' or 'lower' (which is better), not {word!r}.")
    return word == "lower"


def _check(plan: Plan, source: str) -> None:
    if plan.adapter not in ADAPTERS:
        raise SleuthError(f"{source}: adapter is one of {', '.join(ADAPTERS)}, not {plan.adapter!r}.")
    if plan.pattern:
        try:
            re.compile(plan.pattern)
        except re.error as error:
            raise SleuthError(f"{source}: the pattern is no regular expression: {error}.") from None
    if plan.adapter != "template":
        return
    text = " ".join(plan.command)
    varied = [*plan.params, *plan.search]
    wanted = {"{seed}": ("{seed}",), **{name: (f"{{{name}}}", "{value}") for name in varied}}
    for what, marks in wanted.items():
        if not any(mark in text for mark in marks):
            raise SleuthError(
                f"{source}: the command does not use {marks[-1]}, so every run would be the same in "
                f"{what}: write "
                f"{marks[-1]} where it belongs, or adapter = 'hydra' (key=value) or 'argparse' (--key value)."
            )


def toml(data: Mapping[str, Any]) -> str:
    """A plan as TOML: strings, numbers, truth values, lists and one level of tables."""
    plain = [f"{key} = {_literal(value)}" for key, value in data.items() if not isinstance(value, Mapping)]
    tables = [
        "\n".join([f"\n[{key}]", *(f"{_key(name)} = {_literal(item)}" for name, item in value.items())])
        for key, value in data.items()
        if isinstance(value, Mapping) and value
    ]
    return "\n".join([*plain, *tables]) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_literal(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    return repr(value) if isinstance(value, (int, float)) else json.dumps(str(value), ensure_ascii=False)
