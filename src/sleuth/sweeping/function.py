"""`sleuth.sweep(train, ...)`: a sweep of a Python function, kept and judged like any other."""

import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sleuth.files import write_whole
from sleuth.needs import need
from sleuth.sweeping import store
from sleuth.sweeping.call import plain
from sleuth.sweeping.jobs import Job
from sleuth.sweeping.plan import Plan, make_plan
from sleuth.sweeping.result import Analysis
from sleuth.sweeping.running import Event, run
from sleuth.sweeping.store import FAILED, FINISHED, INTERRUPTED
from sleuth.sweeping.table import Scalar, from_rows


def sweep(
    train: Callable[..., Any],
    param: str,
    values: Sequence[Scalar],
    seeds: int | Sequence[Scalar] = 5,
    *,
    metric: str = "metric",
    lower_is_better: bool = False,
    name: str | None = None,
    question: str = "",
    hypothesis: str = "",
    config: dict[str, Any] | None = None,
    retry_failed: bool = False,
) -> Analysis:
    """Call `train(param=value, seed=seed, **config)` for each value and seed, and say what the runs show.

    `train` returns a number, or a dict of numbers that holds `metric`. Runs are kept under the name (default:
    the function's) in `.sleuth/sweeps`; finished ones are not repeated, an exception is a failed run.
    """
    need("numpy", "sweep", "sleuth.sweep")
    from sleuth.sweeping.analysis import Request, analyze
    from sleuth.sweeping.columns import Asked

    called = getattr(train, "__name__", "sweep").strip("<>")
    data = {
        "command": [f"{getattr(train, '__module__', '')}.{getattr(train, '__qualname__', called)}"],
        "adapter": "argparse", "param": param, "values": list(values), "metric": metric,
        "seeds": seeds if isinstance(seeds, int) else list(seeds),
        "question": question, "hypothesis": hypothesis,
        "direction": "lower" if lower_is_better else "higher", "config": config or {},
    }  # fmt: skip
    plan = make_plan(data, "sleuth.sweep", name or called)
    ran = run(plan, _engine(train, config or {}), lambda event: None, retry_failed)
    if ran.interrupted:
        raise KeyboardInterrupt
    rows = [row for row in store.rows(ran.folder) if row.get("seed") in plan.seeds]
    return analyze(
        from_rows(rows, f"sweep {plan.name}"), Request(Asked(param, metric, "seed"), lower_is_better)
    )


def _engine(train: Callable[..., Any], config: dict[str, Any]) -> Any:
    """Jobs one after another in this process: closures and notebooks work, nothing is pickled."""

    def engine(plan: Plan, folder: Path, todo: Sequence[Job]) -> Any:
        for job in todo:
            place = store.begin(folder, job)
            yield Event(job, "running", folder=place)
            yield _call(train, config, plan, job, place)

    return engine


def _call(train: Callable[..., Any], config: dict[str, Any], plan: Plan, job: Job, place: Path) -> Event:
    began = time.time()
    try:
        result = plain(train(**{**config, **job.values, "seed": job.seed}))
    except Exception as error:
        write_whole(place / "log.txt", traceback.format_exc())
        why = f"{type(error).__name__}: {error}"
        store.finish(place, FAILED, why=why, metrics={}, seconds=time.time() - began)
        return Event(job, FAILED, time.time() - began, why, place)
    except BaseException:
        store.finish(place, INTERRUPTED, why="interrupted", metrics={}, seconds=time.time() - began)
        raise
    metrics = result if isinstance(result, dict) else {plan.metric: result}
    write_whole(place / "log.txt", "")
    state, why = (FINISHED, "") if plan.metric in metrics else (FAILED, f"returned no {plan.metric!r}")
    store.finish(place, state, why=why, metrics=metrics, seconds=time.time() - began)
    return Event(job, state, time.time() - began, why, place)
