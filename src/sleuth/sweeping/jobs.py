"""A plan spelled out: one job a run, with its command line and full configuration."""

import hashlib
import itertools
import json
import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sleuth.sweeping.plan import Plan, Range
from sleuth.sweeping.table import Scalar


@dataclass(frozen=True)
class Job:
    """One run to be: `key` names it within its sweep, `base` is a digest of everything else that is fixed."""

    key: str
    command: tuple[str, ...]
    group: str
    seed: Scalar
    values: Mapping[str, Scalar]
    config: Mapping[str, Any]
    base: str

    def record(self) -> dict[str, Any]:
        """What is kept about the run, whatever becomes of it."""
        return {
            "key": self.key,
            "group": self.group,
            "seed": self.seed,
            "values": dict(self.values),
            "config": dict(self.config),
            "base": self.base,
            "command": list(self.command),
        }


def jobs(plan: Plan) -> list[Job]:
    """Every run of a plan, seed by seed: an interrupted sweep then holds whole seeds."""
    return [_job(plan, values, seed) for values, seed in _cells(plan)]


def _cells(plan: Plan) -> Iterator[tuple[dict[str, Scalar], Scalar]]:
    if plan.cells:
        for value, seed in plan.cells:
            yield {plan.param: value}, seed
        return
    points = list(_samples(plan)) if plan.search else _grid(plan)
    for seed in plan.seeds:
        for point in points:
            yield point, seed


def _grid(plan: Plan) -> list[dict[str, Scalar]]:
    return [dict(zip(plan.params, point, strict=True)) for point in itertools.product(*plan.params.values())]


def _samples(plan: Plan) -> Iterator[dict[str, Scalar]]:
    """Random points, the same for each reading of the plan: a search can be resumed, too."""
    draw = random.Random(f"{plan.name}:{sorted(plan.search)}")
    for _ in range(plan.samples):
        yield {name: _drawn(draw, within) for name, within in plan.search.items()}


def _drawn(draw: random.Random, within: Range) -> Scalar:
    """One number of a range, in six digits: it goes into a command line."""
    if within.scale == "int":
        return draw.randint(math.ceil(within.low), math.floor(within.high))
    if within.scale == "log":
        return float(f"{math.exp(draw.uniform(math.log(within.low), math.log(within.high))):.6g}")
    return float(f"{draw.uniform(within.low, within.high):.6g}")


def _job(plan: Plan, values: dict[str, Scalar], seed: Scalar) -> Job:
    group = plan.group or plan.name
    key = ",".join(f"{name}={value}" for name, value in {**values, plan.seed_key: seed}.items())
    return Job(_safe(key), command_line(plan, values, seed), group, seed, values, plan.config, base(plan))


def base(plan: Plan) -> str:
    """What must not change between the runs of one sweep: the command and the fixed configuration."""
    fixed = json.dumps(
        [plan.command, plan.adapter, plan.config, plan.metric, plan.seed_key], sort_keys=True, default=str
    )
    return hashlib.sha256(fixed.encode()).hexdigest()[:12]


def command_line(plan: Plan, values: Mapping[str, Scalar], seed: Scalar) -> tuple[str, ...]:
    """The words of the command with {seed}, {value} and {name of a parameter} put in."""
    spelled = {name: spell(value) for name, value in values.items()}
    marks = {"seed": spell(seed), "value": next(iter(spelled.values())), "param": plan.param, **spelled}
    marks["group"] = plan.group or plan.name
    words = tuple(_filled(word, marks) for word in plan.command)
    extra = {**spelled, plan.seed_key: marks["seed"]}
    if plan.adapter == "hydra":
        return words + tuple(f"{name}={value}" for name, value in extra.items())
    if plan.adapter == "argparse":
        return words + tuple(word for name, value in extra.items() for word in (f"--{name}", value))
    return words


def _filled(word: str, marks: Mapping[str, str]) -> str:
    """Only the marks that a plan knows: other braces belong to the command."""
    return re.sub(r"\{([^{}]+)\}", lambda found: marks.get(found[1], found[0]), word)


def spell(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _safe(key: str) -> str:
    """A folder's name; where signs had to go, a digest keeps it unique."""
    plain = re.sub(r"[^\w.=,+-]", "_", key)[:120]
    return plain if plain == key else f"{plain}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"
