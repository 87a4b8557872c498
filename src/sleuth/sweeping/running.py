"""Runs a plan: what is finished is not repeated, what failed is kept, what was interrupted is run again."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.sweeping import store
from sleuth.sweeping.jobs import Job, base, jobs
from sleuth.sweeping.plan import Plan
from sleuth.sweeping.store import FAILED, FINISHED, INTERRUPTED, LOST


@dataclass(frozen=True)
class Event:
    """Something to tell while a sweep runs."""

    job: Job
    state: str  # running, finished, failed, lost
    seconds: float = 0.0
    why: str = ""
    folder: Path | None = None


@dataclass(frozen=True)
class Standing:
    """What a sweep has and what it still needs."""

    todo: tuple[Job, ...]
    finished: int
    failed: tuple[str, ...]  # and not to be run again
    interrupted: int
    foreign: int  # attempts of another command or configuration under the same name
    seconds: tuple[float, ...] = ()  # of finished runs
    elsewhere: tuple[
        float, ...
    ] = ()  # of the same script's finished runs in the archive, when there are none


@dataclass(frozen=True)
class Ran:
    """How a run of a plan ended."""

    folder: Path
    finished: int
    failed: tuple[Event, ...]
    before: Standing
    interrupted: bool = False
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())


Tell = Callable[[Event], None]
# An engine runs jobs and yields an event whenever one starts or ends. It writes through `store` only.
Engine = Callable[[Plan, Path, Sequence[Job]], Iterator[Event]]


def standing(plan: Plan, folder: Path, retry_failed: bool = False) -> Standing:
    """Compare the plan with the runs that are there."""
    wanted, mine = jobs(plan), base(plan)
    latest: dict[str, store.Record] = {}
    foreign, seconds = 0, []
    for record in store.records(folder):
        if record.config.get("base") != mine:
            foreign += 1
            continue
        # A finished attempt counts, whatever came after.
        key = str(record.config.get("key"))
        if key not in latest or latest[key].state != FINISHED:
            latest[key] = record
        if record.state == FINISHED:
            seconds.append(float(record.result.get("seconds") or 0))
    states = {job.key: latest[job.key].state if job.key in latest else "" for job in wanted}
    done = {FINISHED} if retry_failed else {FINISHED, FAILED, LOST}
    todo = tuple(job for job in wanted if states[job.key] not in done)
    bad = tuple(key for key, state in states.items() if state in done - {FINISHED})
    cut = sum(state in (INTERRUPTED, "running") for state in states.values())
    finished = sum(state == FINISHED for state in states.values())
    elsewhere = () if seconds else store.earlier(plan.command)
    return Standing(todo, finished, bad, cut, foreign, tuple(seconds), elsewhere)


def run(plan: Plan, engine: Engine, tell: Tell, retry_failed: bool = False, most: int | None = None) -> Ran:
    """Run what is missing. Ctrl-C ends the running ones, records them, and leaves the rest for the next
    time.
    """
    folder = store.sweep_folder(plan.name)
    with store.only_one(folder):
        before = standing(plan, folder, retry_failed)
        _close_abandoned(folder)
        store.write_json(folder / "plan.json", _plan_record(plan))
        finished, failed, began = 0, [], time.time()
        try:
            for event in engine(plan, folder, before.todo[:most]):
                finished += event.state == FINISHED
                if event.state in (FAILED, LOST):
                    failed.append(event)
                tell(event)
        except KeyboardInterrupt:
            return Ran(folder, finished, tuple(failed), before, True, time.time() - began)
    return Ran(folder, finished, tuple(failed), before, False, time.time() - began)


def _close_abandoned(folder: Path) -> None:
    """Attempts without a result belong to a Sleuth that was killed: nobody else holds this sweep."""
    for record in store.records(folder):
        if not record.result:
            store.finish(record.folder, INTERRUPTED, why="Sleuth was killed while it ran")


def _plan_record(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "question": plan.question,
        "hypothesis": plan.hypothesis,
        "param": plan.param,
        "params": {name: list(values) for name, values in plan.params.items()},
        "seeds": list(plan.seeds),
        "metric": plan.metric,
        "direction": "lower" if plan.lower_is_better else "higher",
        "command": list(plan.command),
        "adapter": plan.adapter,
        "config": dict(plan.config),
        "group": plan.group or plan.name,
    }


def marks(job: Job) -> dict[str, str]:
    """What a run may read from its environment."""
    first = next(iter(job.values.values()))
    return {"SLEUTH_SEED": str(job.seed), "SLEUTH_VALUE": str(first), "SLEUTH_GROUP": job.group}


def settle(place: Path, job: Job, result: dict[str, Any], **where: str) -> Event:
    """Keep what came back from another machine, log included."""
    from sleuth.files import write_whole

    write_whole(place / "log.txt", str(result.get("log", "")))
    state, why = str(result["state"]), str(result.get("why", ""))
    store.finish(
        place, state, why=why, metrics=result.get("metrics", {}), code=result.get("code"),
        seconds=result.get("seconds", 0.0), host=result.get("host", ""), **where,
    )  # fmt: skip
    return Event(job, state, float(result.get("seconds", 0.0)), why, place)


def engine_for(name: str) -> Engine:
    """local, ray or slurm."""
    if name == "local":
        from sleuth.sweeping.local import local

        return local
    if name == "ray":
        from sleuth.sweeping.on_ray import on_ray

        return on_ray
    if name == "slurm":
        from sleuth.sweeping.on_slurm import on_slurm

        return on_slurm
    raise SleuthError(f"Runs go to local, ray or slurm, not to {name!r}.")
