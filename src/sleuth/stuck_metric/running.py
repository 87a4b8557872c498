"""Runs the questions about a script's metric, each in a process of its own: the looks, then without terms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from sleuth.errors import SleuthError
from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.stuck_metric.answers import Answers
from sleuth.stuck_metric.asking import DECIDED, concluded
from sleuth.stuck_metric.without import MOST_RIVALS, Counterfactual

LOOKING = 0.5  # of the budget; the rest is for training without terms
TAIL = 10  # last steps whose mean is what training has reached: one batch is noisy
LEAST_SECONDS = 2.0  # for a run to be worth its start
# What every run needs, loaded once for all. An optimizer's first step brings torch._dynamo: two seconds.
PRELOADED = (
    "sleuth.stuck_metric.asking",
    "sleuth.stuck_metric.script",
    "sleuth.lab.worlds.doors",
    "torch._dynamo",
)


def answered(
    script: Path, arguments: tuple[str, ...], metric: str, steps: int, budget: float
) -> dict[str, Any]:
    """The last look at the metric, with the counterfactual; an error when the script could not be run.

    `answer` is a Standstill, or None when nothing could be asked: then `trouble` and `candidates` say why.
    """
    began = monotonic()
    with Stage(PRELOADED) as stage:
        job = _job(stage, script, arguments, metric, steps)
        told = _first_look(stage, replace(job("stuck"), time_limit=budget * LOOKING), script)
        if told["answers"] is None:
            return {**told, "answer": None}
        answers = Answers.from_dict(told["answers"])
        seconds = budget - (monotonic() - began)
        unasked = _not_worth(answers, told, seconds)
        if unasked:
            answers = replace(answers, unasked=unasked)
        else:
            names = list(dict.fromkeys((answers.rivals.own, *told["switches"])))[: 1 + MOST_RIVALS]
            answers = _with_proof(answers, told, _without(stage, job, names, seconds))
    return {**told, "answer": concluded(answers, monotonic() - began)}


def _job(
    stage: Stage, script: Path, arguments: tuple[str, ...], metric: str, steps: int
) -> Callable[[str], Job]:
    """Jobs by their names, each in a copy of its own when the script writes files."""
    from sleuth.lab.workplace import in_place, scratch_copy, writes_files
    from sleuth.source.script_files import local_sources

    writes = writes_files(local_sources(script))

    def job(name: str) -> Job:
        here = Path.cwd()
        place = scratch_copy(script, here, stage.scratch, name) if writes else in_place(script, here)
        return Job(
            name,
            place.script,
            arguments,
            folder=place.folder,
            look="stuck_metric.script",
            metric=metric,
            steps=steps,
            guarded=place.guarded,
        )

    return job


def _without(
    stage: Stage, job: Callable[[str], Job], names: Sequence[str], seconds: float
) -> dict[str, Mapping[str, Any] | None]:
    """What each run showed that was trained without a term; None where the script ended badly."""
    share = seconds / ((len(names) + 1) // 2)  # two at a time
    jobs = [
        replace(job(f"without-{index}"), without=(name,), time_limit=share)
        for index, name in enumerate(names)
    ]
    endings = {ending.id: ending for ending in stage.run(jobs)}
    return {name: _report(endings[one.id]) for name, one in zip(names, jobs, strict=True)}


def _first_look(stage: Stage, job: Job, script: Path) -> Mapping[str, Any]:
    ending = stage.run([job])[0]
    told = _report(ending)
    if told is None:
        raise SleuthError(
            f"{script.name} could not be run: {ending.exception or ending.status} {ending.message}"
        )
    return told


def _report(ending: Ending) -> Mapping[str, Any] | None:
    reports = (ending.report or {}).get("reports") or []
    found: Mapping[str, Any] | None = reports[0] if reports else None
    return found


def _not_worth(answers: Answers, told: Mapping[str, Any], seconds: float) -> str:
    """Why the script is not trained without the term."""
    if not answers.undecided:
        return DECIDED
    if not told["switches"]:
        return (
            "the loss is one term where the script calls backward, so there is nothing to train on without it"
        )
    if told["step"] == 0:
        return "the script was not seen to train"
    if seconds < LEAST_SECONDS:
        return "no time was left; a larger --budget gives more"
    return ""


def _with_proof(
    answers: Answers, told: Mapping[str, Any], runs: Mapping[str, Mapping[str, Any] | None]
) -> Answers:
    """Compare where training ends with every term and without each."""
    own = answers.rivals.own
    ends = {name: _reached(told, run) for name, run in runs.items() if run and name in run["switches"]}
    pair = ends.get(own)
    if pair is None:
        why = "it did not get as far in time" if runs[own] else "the script does not run without it"
        return replace(answers, unasked=f"of training without {own}, {why}")
    others = {name: both[1] for name, both in ends.items() if both is not None and name != own}
    first = next(iter(told["values"].values()))
    return replace(answers, counterfactual=Counterfactual(first, pair[0], pair[1], others))


def _reached(told: Mapping[str, Any], run: Mapping[str, Any]) -> tuple[float, float] | None:
    """The metric in the last steps of both runs, as a mean of the same steps; None when one is shorter."""
    steps = sorted(told["values"], key=int)[-TAIL:]
    if not steps or any(step not in run["values"] for step in steps):
        return None
    with_all, without = (sum(one["values"][step] for step in steps) / len(steps) for one in (told, run))
    return with_all, without
