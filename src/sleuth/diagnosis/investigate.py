"""An investigation: clues are gathered, experiments chosen and run, until it is clear what is wrong."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sleuth import catalog
from sleuth.diagnosis import lines
from sleuth.diagnosis.case import Case
from sleuth.diagnosis.choosing import next_experiment
from sleuth.diagnosis.experiments import job_for, judged
from sleuth.diagnosis.joined import settled
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trials
from sleuth.experiments import Experiment
from sleuth.finding import Evidence, Where
from sleuth.judge.board import configured_priors
from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.lab.workplace import Workplace, crowded, in_place, scratch_copy, unguarded, writes_files
from sleuth.places.scene import from_here
from sleuth.record import outcome
from sleuth.record.entries import Record
from sleuth.record.json_lines import read
from sleuth.report import Examined
from sleuth.source.script_files import bootstraps, local_sources, optimizers_in, plays, thaws

STRETCH = 8.0  # seconds of training that are looked at first, where the budget allows
SHARE = 8  # the budget holds so many stretches
FIRST_SHARE = 0.5  # of the budget, at most, for the first look; the rest is for experiments
AT_ONCE = 2

Tell = Callable[[str, str], None]  # what is done ("watch", "experiment", ...), and a few words on it
Observed = Callable[[Case, str], None]  # called after the first stretch ("") and after each answer (its test)


def investigate(
    request: Request,
    tell: Tell = lambda what, words: None,
    keep: "Callable[[Case, Request, str], None] | None" = None,
    observed: Observed = lambda case, name: None,
) -> Case:
    """From a script to a case with everything observed. `keep` gets the scratch folder while it stands."""
    given = configured_priors(request.script.parent)
    request = replace(request, overrides={**given, **request.overrides})
    case = Case(request)
    sources = case.sources = local_sources(request.script)
    case.thaws = thaws(sources)
    with Stage(_preload(sources)) as stage:
        place = _workplace(request, sources, stage, "base")
        stretch = min(STRETCH, request.budget / SHARE)
        jobs = [_base_job(request, place, stretch)]
        probing = place
        if request.experiments:
            probing = _workplace(request, sources, stage, "probe")
            jobs.append(_probe_job(request, probing, stretch, optimizers_in(sources)))
        for job in jobs:
            stage.start(job)
        tell("lint", "reading the source")
        case.evidence += _lint(sources, case)
        tell("watch", "running a short stretch under observation")
        endings = _collect(stage, jobs, case, tell)
        base = endings["base"]
        if base.status == "wrote" and place.guarded:
            place = scratch_copy(request.script, Path.cwd(), stage.scratch, "base-again")
            stage.start(replace(_base_job(request, place, stretch), id="base"))
            base = stage.next_ending() or base
            sources_write = True
        else:
            sources_write = bool(place.origins)
        case.base = base = replace(base, frames=_users_frames(base.frames, place))
        if keep is not None:
            keep(case, request, stage.scratch)
        _take_in(case, _record(stage, "base"), place)
        _take_in_probe(case, endings.get("probe"), probing)
        record = None if case.trials is None else case.trials.base
        if record is not None:
            case.evidence = settled(case.evidence, record)
        case.evidence = lines.placed(case.evidence, record, sources)
        case.evidence = _placed(case.evidence, place)
        observed(case, "")
        if case.trials is not None and request.experiments and base.status != "raised":
            _experiment(case, stage, sources_write, tell, observed)
    case.timing["total"] = case.elapsed
    return case


# Slow to import: what a script's text names → what is loaded once, before the runs part.
SLOW = {
    b"sklearn": "sklearn",
    b"pandas": "pandas",
    b"scipy": "scipy",
    b"TrainingArguments": "transformers.trainer",
    b"import lightning": "lightning.pytorch",
    b"from lightning": "lightning.pytorch",
    b"pytorch_lightning": "pytorch_lightning",
}


def _preload(sources: Iterable[Path]) -> list[str]:
    """Slow libraries that the script will import anyway."""
    text = b"\n".join(path.read_bytes() for path in sources)
    return sorted({library for words, library in SLOW.items() if words in text})


def _workplace(request: Request, sources: list[Path], stage: Stage, name: str) -> Workplace:
    if request.allow_writes:
        return unguarded(request.script, Path.cwd())
    # A copy that takes long is not made in doubt: the guard breaks off a script that does write.
    if writes_files(sources) and not crowded(request.script, Path.cwd()):
        return scratch_copy(request.script, Path.cwd(), stage.scratch, name)
    return in_place(request.script, Path.cwd())


def _base_job(request: Request, place: Workplace, stretch: float) -> Job:
    return Job(
        "base",
        place.script,
        request.arguments,
        request.module,
        place.folder,
        steps=request.steps,
        seconds=None if request.steps else stretch,
        time_limit=request.budget * FIRST_SHARE,
        guarded=place.guarded,
    )


def _probe_job(request: Request, place: Workplace, stretch: float, optimizers: int) -> Job:
    return Job(
        "probe",
        place.script,
        request.arguments,
        request.module,
        place.folder,
        look="lab.probed",
        phases=max(1, min(3, optimizers)),
        seconds=stretch,
        time_limit=request.budget * FIRST_SHARE,
        guarded=place.guarded,
    )


def _lint(sources: list[Path], case: Case) -> list[Evidence]:
    from sleuth.lint import Selection, lint

    started = time.monotonic()
    result = lint(sources, selection=Selection(notes=True), jobs=1)
    case.timing["lint"] = time.monotonic() - started
    return list(result.evidence)


def _collect(stage: Stage, jobs: Sequence[Job], case: Case, tell: Tell) -> dict[str, Ending]:
    endings: dict[str, Ending] = {}
    while len(endings) < len(jobs):
        ending = stage.next_ending()
        if ending is None:
            break
        endings[ending.id] = ending
        case.timing[ending.id] = ending.seconds
        tell("done", f"{ending.id}: {ending.status} after {ending.steps} steps")
    return endings


def _take_in(case: Case, record: Record | None, place: Workplace) -> None:
    """Clues of the record."""
    if record is not None and case.base is not None:
        whole = case.base.status == "finished" and not case.base.cut
        moving = plays(case.sources) or (bootstraps(case.sources) and outcome.chases_itself(record))
        case.trials = Trials(record, whole, case.made, moving)
        case.evidence += _placed(_watched(record, case), place)


def _take_in_probe(case: Case, probe: Ending | None, place: Workplace) -> None:
    if probe is not None and probe.report:
        for report in probe.report["reports"]:
            case.evidence += _placed(map(Evidence.from_dict, report["findings"]), place)
            case.examined += [Examined(**entry) for entry in report["examined"]]


def _record(stage: Stage, name: str) -> Record | None:
    path = Path(stage.scratch) / f"{name}.jsonl"
    return read(path) if path.is_file() else None


def _watched(record: Record, case: Case) -> list[Evidence]:
    from sleuth.record.questions import NotRecorded

    found, examined = catalog.examine("watch", record, NotRecorded)
    case.examined += examined
    return found


def _placed(findings: Iterable[Evidence], place: Workplace) -> list[Evidence]:
    """Findings at the user's own paths, whatever copy was run."""
    return [
        replace(finding, where=_moved(finding.where, place)) if finding.where is not None else finding
        for finding in findings
    ]


Frames = tuple[tuple[str, int, str], ...]


def _users_frames(frames: Frames, place: Workplace) -> Frames:
    """A traceback through the user's own files, whatever copy was run."""
    moved = [(_moved(Where(path), place).path or path, line, name) for path, line, name in frames]
    return tuple(moved)


def _moved(where: Where, place: Workplace) -> Where:
    if where.path is None:
        return where
    return from_here(replace(where, path=place.original(where.path)))


def _experiment(case: Case, stage: Stage, copies: bool, tell: Tell, observed: Observed) -> None:
    """Choose, run, weigh, until it is clear or the budget is spent."""
    assert case.trials is not None
    assert case.base is not None
    seconds = max(1.0, case.base.seconds)
    running: dict[str, tuple[Experiment, Workplace]] = {}
    while True:
        while len(running) < AT_ONCE:
            chosen = next_experiment(case, set(running), seconds)
            if chosen is None:
                break
            place = _place_for(case.request, stage, copies, f"world{len(case.order) + len(running)}")
            job = job_for(chosen, case.request, place, case.base, f"e{len(case.order) + len(running)}")
            running[chosen.name] = (chosen, place)
            tell("experiment", chosen.question)
            limit = max(1.0, min(job.time_limit, case.left))
            stage.start(replace(job, id=_slug(chosen.name), time_limit=limit))
        if not running:
            return
        ending = stage.next_ending()
        if ending is None:
            return
        name = next(name for name in running if _slug(name) == ending.id)
        made, _ = running.pop(name)
        trial = judged(made, case.trials, ending, _record(stage, ending.id))
        case.order.append(name)
        case.made[name] = trial
        observed(case, name)
        tell("answer", f"{name}: {trial.detail}")


def _place_for(request: Request, stage: Stage, copies: bool, name: str) -> Workplace:
    if request.allow_writes:
        return unguarded(request.script, Path.cwd())
    if copies:
        return scratch_copy(request.script, Path.cwd(), stage.scratch, name)
    return in_place(request.script, Path.cwd())


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)
