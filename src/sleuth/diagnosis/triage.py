"""The eleven questions of triage, answered from a case: which say yes, by which numbers, where it points."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from sleuth import catalog
from sleuth.diagnosis.case import Case, exceptional
from sleuth.experiments import experiments
from sleuth.experiments.same_batch import EXPERIMENT as ONE_BATCH
from sleuth.finding import FAULTS, Evidence
from sleuth.judge.crashes import meaning
from sleuth.judge.experiments import predicted
from sleuth.judge.relations import says
from sleuth.judge.words import likelihood
from sleuth.record import outcome
from sleuth.record.entries import Evaluation, Record
from sleuth.symptoms import Symptom, symptoms

OFF_CHANCE = 1.5  # a first loss beyond so many times chance, either way, is off

Reply = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class Question:
    """One branch of the tree."""

    name: str
    asks: str
    reply: Reply
    seen: str = ""
    points_at: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": self.name,
            "asks": self.asks,
            "answer": self.reply,
            "seen": self.seen,
            "points_at": list(self.points_at),
        }


@dataclass(frozen=True)
class _Look:
    """What the questions are answered from."""

    case: Case
    record: Record
    findings: Sequence[Evidence]
    board: Mapping[str, float]
    shown: Mapping[str, Symptom] = field(default_factory=dict)

    def answering(self, question: str) -> list[Evidence]:
        """What was found and says yes to that question."""
        named = _who_answer(question)
        return [f for f in self.findings if f.telling in FAULTS and f.cause in named]


def questions(case: Case) -> list[Question]:
    """All eleven, in the order they should be asked."""
    record = case.trials.base if case.trials is not None else Record()
    weighed = case.weighed()
    shown = {symptom.name: symptom for symptom in symptoms(record)}
    look = _Look(case, record, weighed.evidence, weighed.board, shown)
    asked = [ask(look) for ask in _ASKED]
    return [*asked, _none(asked)]


def _none(asked: Sequence[Question]) -> Question:
    """Yes only where all the others were answered with no: what is not known is not a no."""
    asks = "None of these?"
    if any(question.reply == "yes" for question in asked):
        return Question("none", asks, "no")
    open_ = sum(question.reply == "unknown" for question in asked)
    if open_:
        plural = "1 question" if open_ == 1 else f"{open_} questions"
        return Question("none", asks, "unknown", f"cannot say: {plural} could not be answered")
    return Question("none", asks, "yes")


def _traceback(look: _Look) -> Question:
    base = look.case.base
    asks = "Does it raise an exception?"
    if base is None or not exceptional(look.case):
        return Question("traceback", asks, "no")
    told = meaning(base.exception, base.message)
    frame = f" at {base.frames[-1][0]}:{base.frames[-1][1]}" if base.frames else ""
    seen = f"{base.exception}{frame}: {base.message[:160].rstrip('.')}. {told.sentence}".strip()
    return Question("traceback", asks, "yes", seen, (told.cause,) if told.cause else ())


def _from_symptom(name: str, asks: str, symptom: str) -> Callable[[_Look], Question]:
    def ask(look: _Look) -> Question:
        found = look.shown.get(symptom)
        if found is None:
            return Question(name, asks, "unknown")
        causes = _suspects(look, found.causes) if found.present == "yes" else ()
        return Question(name, asks, found.present, found.text, causes)

    return ask


def _initial_loss(look: _Look) -> Question:
    asks = "Is the first loss far from chance?"
    chance, losses = outcome.chance_level(look.record), look.record.losses
    found = look.answering("initial loss")
    if found:
        return Question("initial loss", asks, "yes", found[0].message, (found[0].cause,))
    if chance is None or not losses or not math.isfinite(losses[0]):
        return Question("initial loss", asks, "unknown")
    off = losses[0] / chance > OFF_CHANCE or losses[0] / chance < 1 / OFF_CHANCE
    seen = f"first loss {losses[0]:.3g}, chance {chance:.3g}"
    return Question(
        "initial loss", asks, "yes" if off else "no", seen, _who_answer("initial loss") if off else ()
    )


def _one_batch(look: _Look) -> Question:
    asks = "Does it fail to memorise one batch?"
    trial = look.case.made.get(ONE_BATCH.kind)
    if trial is None or trial.yes is None:
        return Question("one batch", asks, "unknown", "" if trial is None else trial.detail)
    causes = _suspects(look, _who_would_say_yes(look, ONE_BATCH.kind)) if trial.yes else ()
    return Question("one batch", asks, "yes" if trial.yes else "no", trial.detail, causes)


def _validation(look: _Look) -> Question:
    asks = "Is validation suspicious: far worse than training, or too good to be true?"
    odd = look.answering("validation")
    if odd:
        return Question("validation", asks, "yes", odd[0].message, tuple(f.cause for f in odd))
    if not look.record.of(Evaluation):
        return Question("validation", asks, "unknown", "no evaluation pass was seen")
    return _from_symptom("validation", asks, "good in training, bad in validation")(look)


@cache
def _who_answer(question: str) -> tuple[str, ...]:
    """The causes that answer it with yes where they are found (`ANSWERS`)."""
    return tuple(slug for slug in catalog.causes() if says(slug, "ANSWERS") == question)


def _who_would_say_yes(look: _Look, experiment: str) -> list[str]:
    """The causes of which that answer is expected, the likeliest on the board first."""
    expected = {slug: predicted(slug, experiments()[experiment]) for slug in catalog.causes()}
    likely = [slug for slug, yes in expected.items() if yes > likelihood("even")]
    return sorted(likely, key=lambda slug: -look.board[slug] * expected[slug])


def _suspects(look: _Look, causes: Iterable[str]) -> tuple[str, ...]:
    """Those of the symptom's causes that were found come first; without any, its three likeliest."""
    found = {finding.cause for finding in look.findings if finding.telling in FAULTS}
    listed = list(causes)
    named = tuple(cause for cause in listed if cause in found)
    return named or tuple(listed[:3])


_ASKED: tuple[Callable[[_Look], Question], ...] = (
    _traceback,
    _from_symptom("non-finite", "Is a loss or gradient not finite?", "not finite"),
    _initial_loss,
    _one_batch,
    _from_symptom("stuck", "Is the loss stuck from the start?", "stuck from the start"),
    _from_symptom("explodes", "Does it fall and then explode?", "falls, then explodes"),
    _validation,
    _from_symptom("metric", "Does the loss fall without the metric improving?", "metric apart from loss"),
    _from_symptom("constant", "Is the output the same for every input?", "constant output"),
    _from_symptom("slow", "Do steps take longer and longer?", "steps take longer and longer"),
)
