"""The one line at the end: whether a cause was found, and in words what the run showed where none was."""

from collections.abc import Sequence

from sleuth.experiments.noise_inputs import EXPERIMENT as NOISE
from sleuth.finding import FAULTS, Evidence, Finding, Where
from sleuth.judge.crashes import meaning
from sleuth.judge.observed import Ended, Observed
from sleuth.judge.weigh import Weighed, learns_a_constant
from sleuth.report import Verdict


def findings(weighed: Weighed) -> tuple[Finding, ...]:
    """One a cause, the surest first, notes last; the known message of a crash is evidence like any other."""
    return weighed.with_more(_crash(weighed))


def verdict(observed: Observed, found: Sequence[Finding]) -> Verdict:
    serious = [finding for finding in found if finding.severity != "note"]
    if observed.ended is not None and observed.ended.by_itself:
        return Verdict("crashed", _crash_sentence(observed))
    if serious:
        first = serious[0]
        place = f" at {first.where}" if first.where is not None and first.where.line else ""
        return Verdict("cause-found", f"{first.cause}{place}: {first.message}")
    if observed.ended is not None and observed.ended.unrecorded:
        return Verdict("inconclusive", _unrecorded(observed.ended))
    if not observed.recorded or not observed.steps:
        return Verdict("inconclusive", _no_training(observed))
    return _without_a_cause(observed)


def _without_a_cause(observed: Observed) -> Verdict:
    """Nothing was found: is it healthy, or does it not learn for a reason nobody knows?"""
    hold = observed.circumstances
    told = "told-by-its-loss" in hold
    poor = told and {"poor", "had-its-time"} <= hold
    stuck = told and "stuck" in hold
    unstable = told and "unstable" in hold and "came-far" not in hold
    if poor and not stuck and not unstable and observed.answer(NOISE.name) is False:
        return Verdict("nothing-found", _high_floor(observed))
    if stuck or unstable or poor:
        what = "is not stable" if unstable else "does not fall as it should"
        return Verdict(
            "inconclusive",
            f"The loss {what}, and nothing in the catalog explains it: see the hypotheses, and compare "
            "with a trusted reference (`sleuth.diff`).",
        )
    if observed.guessing is not None and hold & {"learns", "had-its-time"}:
        return Verdict("inconclusive", _guesses(observed))
    if learns_a_constant(observed):
        return Verdict(
            "inconclusive",
            "The loss falls, but it falls as far with noise for inputs and with random labels: the model "
            "learned one prediction for all examples, and nothing in the catalog explains it.",
        )
    if "poor" in hold and told and observed.course is not None:
        return Verdict("nothing-found", _still_falling(observed))
    return Verdict(
        "nothing-found", "Nothing wrong was found: the model learns, and no check raised an alarm."
    )


def _high_floor(observed: Observed) -> str:
    course = observed.course
    told = f"only from {course.head:.3g} to {course.tail:.3g}" if course is not None else "little"
    return (
        f"Nothing wrong was found. The loss falls {told}, as losses whose minimum is high do; with noise "
        "as inputs it is clearly worse, so something is learned, and no check raised an alarm."
    )


def _guesses(observed: Observed) -> str:
    seen = observed.guessing
    assert seen is not None
    return (
        f"The loss falls, but the evaluation at line {seen.line} has an accuracy of only "
        f"{seen.correct:.0%} on {seen.rows} rows, no better than guessing, and nothing in the catalog "
        "explains it: check the evaluation's inputs, and which predictions count as correct."
    )


def _still_falling(observed: Observed) -> str:
    course = observed.course
    assert course is not None
    return (
        f"No check raised an alarm. The loss fell only from {course.head:.3g} to {course.tail:.3g} in the "
        f"{observed.losses} steps that were watched, and was still falling when they ended: a larger "
        "--budget shows more."
    )


def _crash(weighed: Weighed) -> tuple[Evidence, ...]:
    ended = weighed.observed.ended
    if ended is None or not ended.by_itself:
        return ()
    told = meaning(ended.exception, ended.message)
    named = {one.cause for one in weighed.evidence if one.telling in FAULTS}
    if not told.cause or named:
        return ()
    path, line, _ = ended.frames[-1] if ended.frames else ("", 0, "")
    return (
        Evidence(
            f"{ended.exception}: {ended.message[:200]} {told.sentence}",
            "proven",
            Where(path, line) if path else None,
            cause=told.cause,
            technique="crash",
        ),
    )


def _crash_sentence(observed: Observed) -> str:
    ended = observed.ended
    assert ended is not None
    if ended.status == "died":
        return (
            f"The process was ended by {ended.message or 'a signal'} after {ended.steps} steps, without a "
            "traceback: usually a crash in compiled code, or too little memory (SIGKILL)."
        )
    frame = f" at {ended.frames[-1][0]}:{ended.frames[-1][1]}" if ended.frames else ""
    told = meaning(ended.exception, ended.message).sentence
    message = ended.message[:300].rstrip(".")
    return f"{ended.exception}{frame}: {message}.{' ' + told if told else ''}"


def _unrecorded(ended: Ended) -> str:
    return (
        f"The script took {ended.steps} steps, but what was seen of them could not be written to the end "
        f"({ended.unrecorded}): it limits the size of files, or the disk is full. Lift the limit, or make "
        "room."
    )


def _no_training(observed: Observed) -> str:
    ended = observed.ended
    if ended is None or not observed.recorded:
        return "The script left no record."
    if ended.status == "wrote":
        return (
            f"The script writes to {ended.message} by its full path, or through a link, where an experiment "
            "must not: give it a path relative to the working folder, or allow it with `--allow-writes`."
        )
    if ended.status == "killed" or ended.out_of_time:
        return (
            f"No training step was seen within {ended.seconds:.0f} s, half of the budget: it does "
            "something else first, waits, or never ends. A larger --budget waits longer."
        )
    if not observed.torch:
        return "The script does not use torch, so only its source could be read."
    return "The script ended without an optimizer step."
