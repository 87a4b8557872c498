"""From a case to a report: ranked causes, what confirmed them, what was ruled out, and what to do next."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sleuth import catalog
from sleuth.diagnosis import clues, reading
from sleuth.diagnosis.bisect import bisect
from sleuth.diagnosis.case import Case, exceptional
from sleuth.diagnosis.crashes import meaning
from sleuth.facts.step import Record
from sleuth.finding import Finding, Report, Verdict, Where
from sleuth.judge.board import Answer
from sleuth.judge.experiments import NOTHING, OTHER, can_be_undone, predicted, predictions, undo_test
from sleuth.judge.words import likelihood

KEPT = 0.2  # credence below which a warning is only worth a note
FAINT = 0.1  # below this nothing but a proven error is said aloud
MODES = frozenset({"train-mode-eval", "eval-mode-training"})
CURVE_POINTS = 200  # of a curve in a report
FEWEST_HYPOTHESES = 3
WORTH_SHOWING = 0.02  # credence
CLOSED = 0.01  # credence below which a hypothesis is closed, if something spoke against it


def report(case: Case) -> Report:
    """The case as it stands."""
    findings = _findings(case)
    verdict = _verdict(case, findings)
    return Report(
        verdict=verdict,
        findings=tuple(findings),
        observations=tuple(_observations(case)),
        experiments=tuple(_experiments(case)),
        hypotheses=tuple(_hypotheses(case, trouble=verdict.status == "inconclusive")),
        examined=tuple(case.examined),
        timing=case.timing,
    )


def _findings(case: Case) -> list[Finding]:
    board = case.board()
    one_each = clues.merged([*case.ranked(), *_crash(case)])
    return sorted(
        (_weighed(finding, board, case) for finding in one_each.values()),
        key=lambda finding: (finding.severity == "note", -finding.credence),
    )


def _weighed(finding: Finding, board: Mapping[str, float], case: Case) -> Finding:
    """With the board's credence. One that experiments spoke against is only worth a note."""
    credence = board.get(finding.cause, 0.0)
    undone = case.made.get(f"undo({finding.cause})")
    confirmed = tuple(name for name in case.order if _confirms(name, finding.cause, case))
    severity = finding.severity
    # A detector that proved its case keeps its say when a surer suspect takes most of the credence.
    if severity == "warning" and credence < KEPT and not confirmed and finding.credence < 0.6:
        severity = "note"
    if undone is not None and undone.yes is False and severity == "warning" and finding.credence < 0.6:
        severity = "note"
    # Numbers that look odd, in a run that more likely than not has nothing wrong, are no accusation.
    by_numbers = not confirmed and "lint" not in finding.technique
    if severity == "warning" and by_numbers and credence < board.get(NOTHING, 0.0):
        severity = "note"
    # Taken back exactly, it makes no difference: Monte-Carlo dropout, layers that are kept as they are.
    if (
        undone is not None
        and undone.yes is False
        and finding.cause in MODES
        and "lint" not in finding.technique
    ):
        severity = "note"
    if credence < FAINT and severity == "warning":
        severity = "note"
    # So is what numbers alone spoke for, when taking it back changed nothing and little credence is left.
    if credence < FAINT and undone is not None and undone.yes is False and "lint" not in finding.technique:
        severity = "note"
    shown = min(finding.credence, 0.2) if severity == "note" else max(credence, 0.05)
    return replace(finding, credence=round(shown, 3), confirmed_by=confirmed, severity=severity)


def _confirms(test: str, cause: str, case: Case) -> bool:
    if not case.made[test].yes:
        return False
    return test == f"undo({cause})" or predictions(cause).get(test) == "always"


def _crash(case: Case) -> list[Finding]:
    """A crash whose message is known to point at a cause is a clue like any other."""
    if not exceptional(case) or case.base is None:
        return []
    told = meaning(case.base.exception, case.base.message)
    named = {f.cause for f in case.ranked() if f.severity != "note"}
    if not told.cause or named:
        return []
    cause = catalog.find(told.cause)
    path, line, _ = case.base.frames[-1] if case.base.frames else ("", 0, "")
    return [
        Finding(
            f"{case.base.exception}: {case.base.message[:200]} {told.sentence}",
            "error",
            0.7,
            Where(path, line) if path else None,
            cause=cause.slug,
            family=cause.family,
            technique="crash",
            sources=cause.references,
        )
    ]


def _verdict(case: Case, findings: list[Finding]) -> Verdict:
    serious = [finding for finding in findings if finding.severity != "note"]
    if exceptional(case):
        return Verdict("crashed", _crash_sentence(case))
    if serious:
        first = serious[0]
        place = f" at {first.where}" if first.where is not None and first.where.line else ""
        return Verdict("cause-found", f"{first.cause}{place}: {first.message}")
    if case.trials is None or not case.trials.base.steps:
        return Verdict("inconclusive", _no_training(case))
    trials = case.trials
    poor = trials.poor and trials.had_its_time and trials.told_by_its_loss
    stuck = trials.stuck and trials.told_by_its_loss
    unstable = trials.unstable and trials.told_by_its_loss and not trials.came_far
    if poor and not stuck and not unstable and _learns_from_inputs(case):
        course = trials.course
        told = f"only from {course.head:.3g} to {course.tail:.3g}" if course is not None else "little"
        return Verdict(
            "nothing-found",
            f"Nothing wrong was found. The loss falls {told}, as losses with a high floor do; without the "
            "inputs it does clearly worse, so something is learnt, and no check raised an alarm.",
        )
    if stuck or unstable or poor:
        what = "is not stable" if unstable else "does not fall as it should"
        return Verdict(
            "inconclusive",
            f"The loss {what}, and nothing in the catalog explains it: see the board, and compare with a "
            "trusted reference (`sleuth.diff`).",
        )
    if trials.guesses is not None and (trials.learns or trials.had_its_time):
        return Verdict(
            "inconclusive",
            f"The loss falls, but the evaluation at line {trials.guesses.line} is right in only "
            f"{trials.guesses.correct:.0%} of {trials.guesses.rows} rows, as by guessing, and nothing in the "
            "catalog explains it: look at what it is given, and which answers count as right.",
        )
    if case.learns_a_constant():
        return Verdict(
            "inconclusive",
            "The loss falls, but it falls as far with noise for inputs and with random labels: what was "
            "learnt is one answer for all, and nothing in the catalog explains it.",
        )
    if trials.poor and trials.course is not None and trials.told_by_its_loss:
        return Verdict(
            "nothing-found",
            f"No check raised an alarm. The loss fell only from {trials.course.head:.3g} to "
            f"{trials.course.tail:.3g} in the {len(trials.losses)} steps that were watched, and was still "
            "falling when they ended: a larger --budget shows more.",
        )
    return Verdict("nothing-found", "Nothing wrong was found: it learns, and no check raised an alarm.")


def _learns_from_inputs(case: Case) -> bool:
    noise = case.made.get("noise-inputs")
    return noise is not None and noise.yes is False


def _crash_sentence(case: Case) -> str:
    base = case.base
    assert base is not None
    if base.status == "died":
        return (
            f"The process was ended by {base.message or 'a signal'} after {base.steps} steps, without a "
            "traceback: as by a fault in compiled code, or for want of memory (SIGKILL)."
        )
    frame = f" at {base.frames[-1][0]}:{base.frames[-1][1]}" if base.frames else ""
    told = meaning(base.exception, base.message).sentence
    message = base.message[:300].rstrip(".")
    return f"{base.exception}{frame}: {message}.{' ' + told if told else ''}"


def _no_training(case: Case) -> str:
    base = case.base
    if base is None or case.trials is None:
        return "The script left no record."
    if base.status == "wrote":
        return (
            f"The script writes to {base.message} by its full path, or through a link, where an experiment "
            "must not: give it a path relative to the working folder, or allow it with `--allow-writes`."
        )
    if base.status == "killed" or base.out_of_time:
        return (
            f"No training step was seen within {base.seconds:.0f} s, half of the budget: it does something "
            "else for long, waits, or never ends. A larger --budget waits longer."
        )
    if case.trials.base.run.versions.get("torch") is None:
        return "The script does not use torch, so only its source could be read."
    return "The script ended without an optimizer step."


def _observations(case: Case) -> list[Mapping[str, Any]]:
    seen: list[Mapping[str, Any]] = []
    if case.base is not None:
        seen.append(
            {
                "name": "run",
                "status": case.base.status,
                "steps": case.base.steps,
                "shortened": sorted(case.base.cut),
                "seconds": round(case.base.seconds, 3),
            }
        )
    if case.trials is not None and (course := case.trials.course) is not None:
        seen.append(
            {"name": "loss", "first": _n(course.head), "last": _n(course.tail), "lowest": _n(course.lowest)}
        )
        seen += [
            {"name": name, "value": _n(score.value)}
            for name, score in reading.scores(case.trials.base).items()
        ]
    if case.trials is not None:
        seen += [guilty.to_dict() for guilty in bisect(case.trials.base)]
    if case.next_test:
        seen.append({"name": "budget", "spent": True, "next": case.next_test})
    seen += [{"name": "note", "text": text} for text in case.notes]
    return seen


def _experiments(case: Case) -> list[Mapping[str, Any]]:
    base = [] if case.trials is None else curve(case.trials.base)
    return [
        {
            "name": name,
            "answer": {True: "yes", False: "no", None: "none"}[trial.yes],
            "seen": trial.detail,
            "seconds": round(trial.seconds, 3),
            "base_curve": base if trial.record is not None else [],
            "curve": [] if trial.record is None else curve(trial.record),
        }
        for name in case.order
        for trial in (case.made[name],)
    ]


def curve(record: Record) -> list[float | None]:
    """The loss in at most so many points; None where it was not finite."""
    losses = reading.main_losses(record)
    stride = max(1, math.ceil(len(losses) / CURVE_POINTS))
    return [_n(value) for value in losses[::stride]]


def _hypotheses(case: Case, trouble: bool) -> list[Mapping[str, Any]]:
    """The board: the likeliest first, at least three, each with what would refute it. A crash has none."""
    if exceptional(case):
        return []
    board = case.board()
    if trouble:
        board = _in_trouble(board)
    ranked = sorted(board, key=lambda h: -board[h])
    shown = {*[h for h in ranked if board[h] >= WORTH_SHOWING][:10], NOTHING, OTHER}
    shown |= set([h for h in ranked if h not in shown][: max(0, FEWEST_HYPOTHESES - len(shown))])
    return [
        {
            "hypothesis": h,
            "credence": round(board[h], 4),
            "refuted_by": _falsifier(h),
            "closed": bool(closed := _closed_by(h, board, case)),
            "closed_by": closed,
        }
        for h in ranked
        if h in shown
    ]


def _in_trouble(board: Mapping[str, float]) -> dict[str, float]:
    """Of a run that does not learn as it should, that nothing is wrong is the one thing hard to believe."""
    odds = {h: share * (likelihood("never" if h == NOTHING else "even")) for h, share in board.items()}
    return {h: share / sum(odds.values()) for h, share in odds.items()}


def _closed_by(hypothesis: str, board: Mapping[str, float], case: Case) -> list[str]:
    """What spoke against a hypothesis of which next to nothing is left: experiments that came out otherwise
    than it foretold; of the two standing ones, what confirmed a cause."""
    if board[hypothesis] >= CLOSED:
        return []
    spoke = [a.test.name for a in case.answers if a.yes is not None and _against(hypothesis, a)]
    if not spoke and hypothesis in (NOTHING, OTHER):
        spoke = [f"{f.technique} ({f.cause})" for f in case.ranked() if f.severity == "error"][:1]
    return spoke


def _against(hypothesis: str, answer: Answer) -> bool:
    yes = predicted(hypothesis, answer.test)
    return (yes if answer.yes else 1 - yes) <= likelihood("rarely")


def _falsifier(hypothesis: str) -> str:
    if hypothesis == NOTHING:
        return "any check that fails"
    if hypothesis == OTHER:
        return "a cause of the catalog that is confirmed by experiment"
    told = catalog.find(hypothesis).page.tells.get("refuted by", "")
    if told:
        return " ".join(told.split())
    return undo_test(hypothesis).no if can_be_undone(hypothesis) else ""


def _n(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
