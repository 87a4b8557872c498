"""Turns an experiment into a job for the stage, and what came back into an answer."""

import math
from collections.abc import Callable, Mapping

from sleuth.diagnosis import reading
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.judge.experiments import Experiment
from sleuth.judge.observed import Course
from sleuth.judge.relations import says
from sleuth.lab.job import Ending, Job
from sleuth.lab.workplace import Workplace
from sleuth.record.entries import LossCall, Model, Optimizer, Record
from sleuth.record.questions import adversarial

# `JUDGED_BY` of a cause: by what it is told whether undoing it helped, before the loss is asked.
MEASURES: Mapping[str, Callable[[Record, Record], bool | None]] = {
    "held-out": reading.held_out_better,
    "most scores": reading.mostly_better,
}
NOTHING_LEARNT = 0.93  # of the loss is left


def job_for(experiment: Experiment, request: Request, place: Workplace, base: Ending, name: str) -> Job:
    """The same script, as many steps as the first stretch, in the world of the experiment."""
    again = experiment.name == "again"
    undo = (experiment.cause,) if experiment.cause else ()
    return Job(
        name,
        place.script,
        request.arguments,
        request.module,
        place.folder,
        world="unchanged" if undo else experiment.name,
        undo=undo,
        steps=base.limit if base.limit is not None else max(base.steps, 1) * 2,
        only=reading.A_FEW if again else None,
        fresh=again,
        time_limit=max(40.0 if again else 15.0, 3 * base.seconds),  # a process of its own loads torch anew
        guarded=place.guarded,
    )


def worth_trying(name: str, trials: Trials) -> bool:
    """Whether a world can change anything in this script at all."""
    base = trials.base
    if name == "no-regularisation":
        decay = any(o.settings.get("weight_decay") for o in _optimizers(base))
        dropout = any("Dropout" in layer.type for model in base.of(Model) for layer in model.layers)
        return bool(decay or dropout)
    if name == "no-momentum":
        return any(o.settings.get("momentum") or o.settings.get("betas") for o in _optimizers(base))
    if name in ("lr×10", "lr×0.1"):
        return bool(base.steps) and bool(_optimizers(base)) and not adversarial(base)
    if name == "shuffled-labels":
        return bool(base.of(LossCall))
    if name == "noise-inputs":
        return bool(base.of(Model))
    return bool(base.steps)


def _optimizers(base: Record) -> tuple[Optimizer, ...]:
    return base.of(Optimizer)


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
        return f"the script cannot run in this world ({ending.exception}: {ending.message[:120]})"
    if ending.status == "killed" or (ending.out_of_time and len(record.steps) < MOST_OF_IT * base_steps):
        return "out of time"
    if ending.status in ("died", "wrote"):
        return f"the script could not go on in this world ({ending.message})"
    if experiment.name == "same-batch":
        return "" if reading.pinned(record) else "the batch could not be held fixed"
    if experiment.name != "again" and not sum(ending.took_hold.values()):
        return "nothing in the script could be changed this way"
    return ""


def _answer(experiment: Experiment, trials: Trials, world: Record) -> bool | None:
    base = trials.base
    if experiment.name == "same-batch":
        learnt = reading.memorises(world)
        return None if learnt is None else not learnt
    if experiment.name in ("noise-inputs", "shuffled-labels"):
        answer = reading.as_well(base, world)
        # Of a script that learns nothing at all this says nothing, unless it can learn a batch by heart.
        blank = trials.course is not None and trials.course.left > NOTHING_LEARNT
        return None if answer and blank and trials.yes("same-batch") is not False else answer
    if experiment.name == "other-seed":
        return reading.ends_elsewhere(base, world)
    if experiment.name == "again":
        return reading.parts(base, world)
    cause = experiment.cause
    measure = "held-out" if experiment.name == "no-regularisation" else says(cause, "JUDGED_BY", "")
    if measure and (served := MEASURES[measure](base, world)) is not None:
        return served
    return reading.better(base, world, not says(cause, "CHANGES_LOSS"), told_by_loss=not trials.plays)


def _detail(experiment: Experiment, yes: bool | None, base: Record, world: Record) -> str:
    """What was seen, in one line with numbers."""
    words = {True: experiment.yes, False: experiment.no, None: "no clear answer"}[yes]
    if experiment.name == "again":
        return f"{words} ({_parting(base, world)})" if yes else words
    before, after = reading.course(base), reading.course(world)
    parts = [part for part in (_losses(before, after), _scores(base, world)) if part]
    return f"{words} ({'; '.join(parts)})" if parts else words


def _parting(base: Record, again: Record) -> str:
    apart = reading.parting(base, again)
    if apart is None:
        return ""
    number, ours, theirs = apart
    return f"loss {_number(ours)} and {_number(theirs)} at step {number}"


def _losses(before: Course | None, after: Course | None) -> str:
    if before is None or after is None:
        return ""
    return f"loss {_number(before.head)} → {_number(before.tail)} before, → {_number(after.tail)} now"


def _scores(base: Record, world: Record) -> str:
    ours, theirs = reading.scores(base), reading.scores(world)
    for name in ours:
        if name in theirs and ours[name].name != "evaluation loss":
            return f"{ours[name].name} {_number(ours[name].value)} before, {_number(theirs[name].value)} now"
    return ""


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else str(value)
