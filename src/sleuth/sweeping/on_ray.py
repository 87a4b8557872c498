"""Runs jobs on an existing Ray cluster, as core tasks that are never retried behind the user's back."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.needs import need
from sleuth.sweeping import shell, store
from sleuth.sweeping.jobs import Job
from sleuth.sweeping.plan import Plan
from sleuth.sweeping.running import Event, marks, settle
from sleuth.sweeping.store import INTERRUPTED, LOST


def on_ray(plan: Plan, folder: Path, todo: Sequence[Job]) -> Iterator[Event]:
    """All jobs are handed to Ray at once; a task whose worker or node dies is recorded as lost, once."""
    need("ray", "ray", "sleuth sweep run --on ray")
    ray: Any = import_module("ray")
    _join(ray)
    # The cluster's workers need no Sleuth: the function travels with the task.
    ray.cloudpickle.register_pickle_by_value(shell)
    task: Any = ray.remote(
        num_cpus=plan.limits.cores,
        num_gpus=plan.limits.gpus,
        max_retries=0,  # a silent retry would hide that a worker was killed
        **({"memory": plan.limits.memory_gb * 2**30} if plan.limits.memory_gb else {}),
    )(shell.execute)
    open_tasks: dict[Any, tuple[Job, Path]] = {}
    try:
        for job in todo:
            place = store.begin(folder, job)
            ticket = task.remote(
                list(job.command), marks(job), plan.metric, plan.pattern, plan.limits.seconds
            )
            open_tasks[ticket] = (job, place)
            yield Event(job, "running", folder=place)
        while open_tasks:
            ready, _ = ray.wait(list(open_tasks), num_returns=1, timeout=1.0)
            for ticket in ready:
                job, place = open_tasks.pop(ticket)
                yield _collect(ray, ticket, job, place)
    finally:
        for ticket, (_, place) in open_tasks.items():
            ray.cancel(ticket, force=True)
            store.finish(place, INTERRUPTED, why="interrupted", metrics={})


def _join(ray: Any) -> None:
    """The cluster named by RAY_ADDRESS, or the one on this machine; none is started."""
    if ray.is_initialized():
        return
    try:
        ray.init(address="auto", log_to_driver=False, logging_level="ERROR", configure_logging=True)
    except Exception as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SleuthError(
            f"There is no Ray cluster to join ({first}). Start one with `ray start --head`, or set "
            "RAY_ADDRESS."
        ) from None


def _collect(ray: Any, ticket: Any, job: Job, place: Path) -> Event:
    try:
        result = ray.get(ticket)
    except ray.exceptions.RayError as error:
        why = f"{type(error).__name__}: {_first_sentence(str(error))}"
        store.finish(place, LOST, why=why, metrics={}, seconds=0.0)
        return Event(job, LOST, 0.0, why, place)
    return settle(place, job, result, engine="ray")


def _first_sentence(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line[:200]
