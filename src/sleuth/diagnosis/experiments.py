"""Turns an experiment into a job for the stage, and what came back into an answer."""

from collections.abc import Callable, Mapping

from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.experiments import Experiment, part_of
from sleuth.judge.relations import says
from sleuth.lab.job import Ending, Job
from sleuth.lab.workplace import Workplace
from sleuth.record import outcome
from sleuth.record.entries import Record
from sleuth.record.outcome import Course

# `JUDGED_BY` of a cause: by what it is told whether undoing it helped, before the loss is asked.
MEASURES: Mapping[str, Callable[[Record, Record], bool | None]] = {
    "held-out": outcome.held_out_better,
    "most scores": outcome.mostly_better,
}


def job_for(experiment: Experiment, request: Request, place: Workplace, base: Ending, name: str) -> Job:
    """The same script, as many steps as the first stretch, in the world of the experiment."""
    undo = (experiment.cause,) if experiment.cause else ()
    return Job(
        name,
        place.script,
        request.arguments,
        request.module,
        place.folder,
        world="" if undo else experiment.kind,
        undo=undo,
        steps=base.limit if base.limit is not None else max(base.steps, 1) * 2,
        only=outcome.A_FEW if experiment.fresh else None,
        fresh=experiment.fresh,
        # A process of its own loads torch anew.
        time_limit=max(40.0 if experiment.fresh else 15.0, 3 * base.seconds),
        guarded=place.guarded,
    )


def worth_trying(experiment: Experiment, trials: Trials) -> bool:
    """Whether its world can change anything in this script at all."""
    ask = part_of(experiment, "worth_trying")
    return bool(trials.base.steps if ask is None else ask(trials.base))


def judged(experiment: Experiment, trials: Trials, ending: Ending, record: Record | None) -> Trial:
    """The answer of an experiment; an experiment that could not be made has none."""
    reason = _unavailable(experiment, ending, record, len(trials.base.steps))
    if reason or record is None:
        return Trial(experiment, None, f"not available: {reason}", record, ending.seconds)
    yes = _answer(experiment, trials, record)
    return Trial(experiment, yes, _detail(experiment, yes, trials.base, record), record, ending.seconds)


MOST_OF_IT = 0.7  # of the first stretch: a run that was broken off before does not compare


def _unavailable(experiment: Experiment, ending: Ending, record: Record | None, base_steps: int) -> str:
    if record is None:
        return "nothing was recorded"
    if ending.status == "raised":
        return f"the script cannot run this way ({ending.exception}: {ending.message[:120]})"
    if ending.status == "killed" or (ending.out_of_time and len(record.steps) < MOST_OF_IT * base_steps):
        return "out of time"
    if ending.status in ("died", "wrote"):
        return f"the script could not continue this way ({ending.message})"
    if (ask := part_of(experiment, "unavailable")) is not None:
        return str(ask(record))
    return "" if sum(ending.took_hold.values()) else "nothing in the script could be changed this way"


def _answer(experiment: Experiment, trials: Trials, world: Record) -> bool | None:
    read: Callable[[Trials, Record], bool | None] | None = part_of(experiment, "answer")
    if read is not None:
        return read(trials, world)
    cause = experiment.cause
    measure = experiment.judged_by or says(cause, "JUDGED_BY", "")
    if measure and (served := MEASURES[measure](trials.base, world)) is not None:
        return served
    return outcome.better(trials.base, world, not says(cause, "CHANGES_LOSS"), told_by_loss=not trials.plays)


def _detail(experiment: Experiment, yes: bool | None, base: Record, world: Record) -> str:
    """What was seen, in one line with numbers."""
    words = {True: experiment.yes, False: experiment.no, None: "no clear answer"}[yes]
    figures: Callable[[Record, Record], str] = part_of(experiment, "figures") or _figures
    numbers = figures(base, world)
    return f"{words} ({numbers})" if numbers else words


def _figures(base: Record, world: Record) -> str:
    return "; ".join(
        part for part in (_losses(outcome.course(base), outcome.course(world)), _scores(base, world)) if part
    )


def _losses(before: Course | None, after: Course | None) -> str:
    if before is None or after is None:
        return ""
    start, end, now = map(outcome.short, (before.head, before.tail, after.tail))
    return f"loss {start} → {end} before, → {now} now"


def _scores(base: Record, world: Record) -> str:
    ours, theirs = outcome.scores(base), outcome.scores(world)
    for name in ours:
        if name in theirs and ours[name].name != "evaluation loss":
            before, now = outcome.short(ours[name].value), outcome.short(theirs[name].value)
            return f"{ours[name].name} {before} before, {now} now"
    return ""
