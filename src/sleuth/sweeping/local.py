"""Runs jobs as processes on this machine, as many as fit."""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sleuth.sweeping import shell, store
from sleuth.sweeping.jobs import Job
from sleuth.sweeping.plan import Limits, Plan
from sleuth.sweeping.running import Event, marks
from sleuth.sweeping.store import FAILED, INTERRUPTED

PAUSE = 0.05  # seconds between looks at the processes


@dataclass(frozen=True)
class _Live:
    job: Job
    place: Path
    process: "subprocess.Popen[bytes]"
    log: IO[bytes]
    began: float


def slots(limits: Limits) -> int:
    """How many runs fit: by their cores, and by their memory where the plan says what one takes."""
    if limits.parallel:
        return limits.parallel
    fitting = max(1, len(os.sched_getaffinity(0)) // max(1, limits.cores))
    if limits.memory_gb:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        fitting = max(1, min(fitting, int(free // limits.memory_gb)))
    return fitting


def local(plan: Plan, folder: Path, todo: Sequence[Job]) -> Iterator[Event]:
    """An event whenever a run starts or ends; whatever stops this generator ends its runs."""
    waiting, live = list(todo), list[_Live]()
    room = slots(plan.limits)
    try:
        while waiting or live:
            while waiting and len(live) < room:
                event, one = _begin(folder, waiting.pop(0))
                live += [one] if one else []
                yield event
            over = [one for one in live if one.process.poll() is not None or _too_long(one, plan)]
            for one in over:
                live.remove(one)
                yield _end(one, plan)
            if not over and live:
                time.sleep(PAUSE)
    finally:
        for one in live:
            shell.stop(one.process)
            one.log.close()
            store.finish(one.place, INTERRUPTED, why="interrupted", seconds=time.time() - one.began)


def _begin(folder: Path, job: Job) -> tuple[Event, _Live | None]:
    place = store.begin(folder, job)
    log = (place / "log.txt").open("wb")
    try:
        process = shell.start(list(job.command), place, marks(job), log)
    except OSError as error:
        log.close()
        why = f"cannot start {job.command[0]!r}: {error.strerror}"
        store.finish(place, FAILED, why=why, metrics={}, seconds=0.0)
        return Event(job, FAILED, 0.0, why, place), None
    return Event(job, "running", folder=place), _Live(job, place, process, log, time.time())


def _too_long(one: _Live, plan: Plan) -> bool:
    return plan.limits.seconds is not None and time.time() - one.began > plan.limits.seconds


def _end(one: _Live, plan: Plan) -> Event:
    seconds = time.time() - one.began
    code = one.process.poll()
    if code is None:
        shell.stop(one.process)
    one.log.close()
    if code is None:
        result: dict[str, Any] = {
            "state": FAILED,
            "why": f"over the limit of {plan.limits.seconds:g} s",
            "metrics": {},
        }
    else:
        result = shell.outcome(one.place, code, plan.metric, plan.pattern)
    store.finish(one.place, **result, seconds=seconds)
    return Event(one.job, str(result["state"]), seconds, str(result.get("why", "")), one.place)
