"""A case: clues are gathered, hypotheses weighed, experiments chosen one by one, and a verdict is reached."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.diagnosis import clues, lines, reading
from sleuth.diagnosis.board import Answer, Clue, best_next, credences, priors
from sleuth.diagnosis.experiments import job_for, judged, worth_trying
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.sources import local_sources, optimizers_in
from sleuth.diagnosis.tests import NOTHING, OTHER, TESTS, Test, can_be_undone, undo_test
from sleuth.diagnosis.trials import Trial, Trials
from sleuth.diagnosis.workplace import Workplace, in_place, scratch_copy, unguarded, writes_files
from sleuth.facts.stage.client import Stage
from sleuth.facts.stage.job import Ending, Job
from sleuth.facts.step import Record, read
from sleuth.finding import Finding, Where

STRETCH = 8.0  # seconds of training that are looked at first, where the budget allows
SHARE = 8  # the budget holds so many stretches
FIRST_SHARE = 0.5  # of the budget, at most, for the first look; the rest is for experiments
SURE = 0.9  # credence at which a confirmed cause closes the case
SUSPECT = 0.02  # credence from which taking a suspect back is worth considering
LEAST_GAIN = 0.03  # bits; below this a test is a waste of time
AT_ONCE = 2
HELPING = ("lr×10", "lr×0.1", "no-regularisation", "no-momentum", "float64")
# What is asked of a script that shows no clue and no trouble: the settings that hold back quietly.
CALM = ("same-batch", "no-regularisation", "lr×10", "lr×0.1")

Tell = Callable[[str, str], None]  # what is done ("watch", "experiment", ...), and a few words on it


@dataclass
class Case:
    """Everything known so far. Credences are never stored: they are replayed from clues and answers."""

    request: Request
    began: float = field(default_factory=time.monotonic)
    findings: list[Finding] = field(default_factory=list)  # as the detectors gave them
    trials: Trials | None = None
    made: dict[str, Trial] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    base: Ending | None = None
    examined: list[Mapping[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    next_test: str = ""
    run_id: str = ""  # in the archive
    sources: list[Path] = field(default_factory=list)
    timing: dict[str, float] = field(default_factory=dict)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def answers(self) -> list[Answer]:
        return [Answer(_test(name), self.made[name].yes) for name in self.order]

    def board(self) -> dict[str, float]:
        """Credences, replayed from what was observed."""
        request = self.request
        return credences(priors(request.prior, request.overrides), self.clues(), self.answers)

    def clues(self) -> list[Clue]:
        return clues.as_clues(self.ranked())

    def ranked(self) -> list[Finding]:
        """Findings of detectors and of experiments, roots before symptoms."""
        found = [*self.findings, *self.from_experiments()]
        if self.trials is not None and self.trials.learns and not self.helped():
            found = clues.harmless_where_it_learns(found, self.made)
        return clues.roots_before_symptoms(found)

    def from_experiments(self) -> list[Finding]:
        if self.trials is None:
            return []
        found = [*catalog.ask("experiment", self.trials), *clues.confirmed(self.findings, self.made)]
        return lines.placed(found, self.trials.base, self.sources)

    def helped(self) -> bool:
        """Some change from outside made the script do clearly better."""
        return any(
            trial.yes for name, trial in self.made.items() if name in HELPING or name.startswith("undo(")
        )

    def suspects(self) -> list[str]:
        board = self.board()
        return sorted((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: -board[h])


def _test(name: str) -> Test:
    return TESTS[name] if name in TESTS else undo_test(name[5:-1])


def investigate(
    request: Request,
    tell: Tell = lambda what, words: None,
    keep: "Callable[[Case, Request, str], None] | None" = None,
) -> Case:
    """From a script to a case with everything observed. `keep` gets the scratch folder while it stands."""
    case = Case(request)
    sources = case.sources = local_sources(request.script)
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
        case.findings += _lint(sources, case)
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
        case.base = base
        if keep is not None:
            keep(case, request, stage.scratch)
        _take_in(case, _record(stage, "base"), place)
        _take_in_probe(case, endings.get("probe"), probing)
        record = None if case.trials is None else case.trials.base
        case.findings = lines.placed(case.findings, record, sources)
        case.findings = _placed(case.findings, place)
        if case.trials is not None and request.experiments and base.status != "raised":
            _experiment(case, stage, sources_write, tell)
    case.timing["total"] = case.elapsed
    return case


def _preload(sources: Iterable[Path]) -> list[str]:
    """Slow libraries that the script will import anyway."""
    text = b"\n".join(path.read_bytes() for path in sources)
    return [name for name in ("sklearn", "pandas", "scipy") if name.encode() in text]


def _workplace(request: Request, sources: list[Path], stage: Stage, name: str) -> Workplace:
    if request.allow_writes:
        return unguarded(request.script, Path.cwd())
    if writes_files(sources):
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
        purpose="probe",
        phases=max(1, min(3, optimizers)),
        seconds=stretch,
        time_limit=request.budget * FIRST_SHARE,
        guarded=place.guarded,
    )


def _lint(sources: list[Path], case: Case) -> list[Finding]:
    from sleuth.lint import Selection, lint

    started = time.monotonic()
    result = lint(sources, selection=Selection(notes=True), jobs=1)
    case.timing["lint"] = time.monotonic() - started
    return list(result.findings)


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
        case.trials = Trials(record, whole, case.made)
        case.findings += _placed(_watched(record, case), place)


def _take_in_probe(case: Case, probe: Ending | None, place: Workplace) -> None:
    if probe is not None and probe.report:
        for report in probe.report["reports"]:
            case.findings += _placed(map(Finding.from_dict, report["findings"]), place)
            case.examined += report["examined"]


def _record(stage: Stage, name: str) -> Record | None:
    path = Path(stage.scratch) / f"{name}.jsonl"
    return read(path) if path.is_file() else None


def _watched(record: Record, case: Case) -> list[Finding]:
    from sleuth.facts.seen import NotRecorded

    found, examined = catalog.examine("watch", record, NotRecorded)
    case.examined += [
        {"cause": e.cause, "technique": "watch", "done": e.done, "reason": e.reason} for e in examined
    ]
    return found


def _placed(findings: Iterable[Finding], place: Workplace) -> list[Finding]:
    """Findings at the user's own paths, whatever copy was run."""
    return [
        replace(finding, where=_moved(finding.where, place)) if finding.where is not None else finding
        for finding in findings
    ]


def _moved(where: Where, place: Workplace) -> Where:
    if where.path is None:
        return where
    path = place.original(where.path)
    relative = os.path.relpath(path)
    return replace(where, path=relative if not relative.startswith("..") else path)


def _experiment(case: Case, stage: Stage, copies: bool, tell: Tell) -> None:
    """Choose, run, weigh, until it is clear or the budget is spent."""
    assert case.trials is not None
    assert case.base is not None
    seconds = max(1.0, case.base.seconds)
    running: dict[str, tuple[Test, Workplace]] = {}
    while True:
        while len(running) < AT_ONCE:
            test = _next_test(case, {name for name, _ in running.items()}, seconds)
            if test is None:
                break
            place = _place_for(case.request, stage, copies, f"world{len(case.order) + len(running)}")
            job = job_for(test, case.request, place, case.base, f"e{len(case.order) + len(running)}")
            running[test.name] = (test, place)
            tell("experiment", test.question)
            left = case.request.budget - case.elapsed
            stage.start(replace(job, id=_slug(test.name), time_limit=max(1.0, min(job.time_limit, left))))
        if not running:
            return
        ending = stage.next_ending()
        if ending is None:
            return
        name = next(name for name in running if _slug(name) == ending.id)
        test, _ = running.pop(name)
        trial = judged(test, case.trials, ending, _record(stage, ending.id))
        case.order.append(name)
        case.made[name] = trial
        tell("answer", f"{name}: {trial.detail}")


def _place_for(request: Request, stage: Stage, copies: bool, name: str) -> Workplace:
    if request.allow_writes:
        return unguarded(request.script, Path.cwd())
    if copies:
        return scratch_copy(request.script, Path.cwd(), stage.scratch, name)
    return in_place(request.script, Path.cwd())


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def _next_test(case: Case, running: set[str], seconds: float) -> Test | None:
    """The most telling test for its cost; None when the case is closed."""
    left = case.request.budget - case.elapsed
    if left < seconds * 1.2 or case.trials is None:
        return None
    board = case.board()
    tests = [
        test for test in _open_tests(case, board) if test.name not in case.made and test.name not in running
    ]
    for test in tests:
        if test.name in case.request.wanted:
            return test
    if _closed(case, board):
        return None
    if _calm(case):
        return next((test for name in CALM for test in tests if test.name == name), None)
    confirming = [test for test in tests if test.name == f"undo({_leader(board)})"]
    if confirming and board[_leader(board)] > 0.5:
        return confirming[0]  # the leading suspect taken back: the one test that confirms
    chosen = best_next(board, tests, seconds)
    if chosen is None or chosen[1] < LEAST_GAIN:
        return None
    case.next_test = chosen[0].name
    return chosen[0]


def _leader(board: Mapping[str, float]) -> str:
    return max((h for h in board if h not in (NOTHING, OTHER)), key=lambda h: board[h])


def _open_tests(case: Case, board: Mapping[str, float]) -> list[Test]:
    assert case.trials is not None
    named = [test for test in TESTS.values() if worth_trying(test.name, case.trials)]
    undone = [
        undo_test(slug)
        for slug, share in board.items()
        if slug not in (NOTHING, OTHER) and share > SUSPECT and can_be_undone(slug)
    ]
    return named + undone


def _closed(case: Case, board: Mapping[str, float]) -> bool:
    leader = _leader(board)
    undo = f"undo({leader})"
    asked = undo in case.made or not can_be_undone(leader)
    return board[leader] > SURE and asked


def _calm(case: Case) -> bool:
    """Neither a serious clue, nor an experiment that helped, nor trouble in the run itself."""
    assert case.trials is not None
    trials = case.trials
    serious = any(finding.severity != "note" for finding in case.ranked())
    return not serious and not case.helped() and not (trials.stuck or trials.unstable or trials.poor)


def exceptional(case: Case) -> bool:
    """Whether the script crashed on its own account."""
    return case.base is not None and case.base.status in ("raised", "exited") and not case.base.cut


__all__ = ["Case", "Request", "exceptional", "investigate", "reading"]
