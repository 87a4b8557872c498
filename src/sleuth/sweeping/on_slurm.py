"""Runs jobs through submitit: on Slurm where there is one, else (for trying out) as local processes."""

import os
import time
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

PAUSE = 0.5  # seconds between looks at the queue
SPARE = (
    2.0  # minutes that a job's limit exceeds the run's own, so that the run ends itself and leaves a result
)


def on_slurm(plan: Plan, folder: Path, todo: Sequence[Job]) -> Iterator[Event]:
    """One Slurm job a run. What Slurm kills or loses is recorded as lost, and not submitted again."""
    need("submitit", "slurm", "sleuth sweep run --on slurm")
    executor = _executor(plan, folder / "slurm")
    tickets: dict[str, tuple[Any, Job, Path]] = {}
    try:
        for job in todo:
            place = store.begin(folder, job)
            ticket = executor.submit(
                shell.execute, list(job.command), marks(job), plan.metric, plan.pattern, plan.limits.seconds
            )
            tickets[ticket.job_id] = (ticket, job, place)
            yield Event(job, "running", folder=place)
        while tickets:
            over = [name for name, (ticket, _, _) in tickets.items() if ticket.done()]
            for name in over:
                ticket, job, place = tickets.pop(name)
                yield _collect(ticket, job, place)
            if not over:
                time.sleep(PAUSE)
    finally:
        for ticket, _, place in tickets.values():
            ticket.cancel(check=False)
            store.finish(place, INTERRUPTED, why="interrupted", metrics={})


def _executor(plan: Plan, folder: Path) -> Any:
    """`SLEUTH_SLURM=local` tries the same path without Slurm."""
    submitit: Any = import_module("submitit")
    cluster = os.environ.get("SLEUTH_SLURM") or None
    try:
        executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
    except RuntimeError as error:
        raise SleuthError(f"Slurm cannot be reached: {error}.") from None
    if executor.cluster != "slurm" and cluster is None:
        raise SleuthError("There is no Slurm here (no `srun`). Leave --on out to run on this machine.")
    minutes = (plan.limits.seconds or 24 * 3600) / 60 + SPARE
    executor.update_parameters(
        name=f"sleuth-{plan.name}", timeout_min=int(minutes + 1), cpus_per_task=plan.limits.cores,
        **({"gpus_per_node": int(plan.limits.gpus)} if plan.limits.gpus else {}),
        **({"mem_gb": plan.limits.memory_gb} if plan.limits.memory_gb else {}),
    )  # fmt: skip
    if plan.limits.parallel and executor.cluster == "slurm":
        executor.update_parameters(slurm_array_parallelism=plan.limits.parallel)
    return executor


def _collect(ticket: Any, job: Job, place: Path) -> Event:
    problems: Any = import_module("submitit.core.utils")
    try:
        result = ticket.result()
    except (problems.UncompletedJobError, problems.FailedJobError) as error:
        why = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"
        store.finish(place, LOST, why=why, metrics={}, seconds=0.0, job=ticket.job_id)
        return Event(job, LOST, 0.0, why, place)
    return settle(place, job, result, engine="slurm", ticket=str(ticket.job_id))
