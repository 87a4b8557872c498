"""Weighs what was seen: evidence, circumstances and answers in, one ranked finding a cause out.

This is the only place where a finding's severity and credence are decided. Evidence passes four questions:
does it count in these circumstances, did an experiment refute or confirm it, is it the consequence of
something else that was found, and what is left of it beside all other hypotheses.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sleuth import catalog
from sleuth.experiments import Experiment, experiments
from sleuth.experiments.noise_inputs import EXPERIMENT as NOISE
from sleuth.finding import FAULTS, Evidence, Finding
from sleuth.judge.board import Answer, Clue, credences, priors
from sleuth.judge.experiments import NOTHING, can_be_undone, predictions
from sleuth.judge.explain import roots_before_symptoms
from sleuth.judge.observed import Observed
from sleuth.judge.relations import says, silenced_in
from sleuth.judge.strength import alone, strength
from sleuth.judge.suspects import Suspect, suspects
from sleuth.quick_dataclass import replace

LIBRARIES = ("site-packages", "dist-packages")
NOTE_AT_MOST = 0.2  # what a note says of itself
OF_A_NOTE = 0.05  # and what it weighs: it is worth knowing, and no clue to go by
SURE_BY_ITSELF = 0.6  # a detector that proved its case keeps its say when a surer suspect takes most credence
KEPT = 0.2  # credence below which a warning is only worth a note
FAINT = 0.1  # below this nothing but a proven error is said aloud


@dataclass(frozen=True)
class Weighed:
    """What was seen, and what follows from it."""

    observed: Observed

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """What counts, as it was given; what does not, as an aside; roots before symptoms."""
        seen = self.observed
        given = [*seen.evidence, *seen.from_experiments, *_confirmed(seen)]
        counted = [_aside(one) if _is_silent(one, seen) or _is_refuted(one, seen) else one for one in given]
        return tuple(roots_before_symptoms(counted))

    @cached_property
    def ranked(self) -> tuple[Finding, ...]:
        """Every piece of it by itself, where nothing else was asked: as of a probe, or of a record."""
        return tuple(alone(one) for one in self.evidence)

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """What the board is told. What is no fault is a weak clue, whatever it shows."""
        return tuple(
            Clue(one.cause, one.technique, strength(one) if one.telling in FAULTS else OF_A_NOTE)
            for one in self.evidence
            if one.cause
        )

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(Answer(made.experiment, made.yes) for made in self.observed.outcomes)

    @cached_property
    def board(self) -> Mapping[str, float]:
        """Credences of all hypotheses, replayed from what was observed."""
        prior = priors(self.observed.prior, self.observed.shares)
        return credences(prior, self.clues, self.answers)

    def with_more(self, evidence: Iterable[Evidence] = ()) -> tuple[Finding, ...]:
        """Findings, one a cause, the surest first, notes last. `evidence`: what is no clue for the board."""
        concluded = [self.concluded(one) for one in suspects([*self.evidence, *evidence]).values()]
        return tuple(sorted(concluded, key=lambda f: (f.severity == "note", -f.credence)))

    def concluded(self, suspect: Suspect) -> Finding:
        """With the board's credence, and a note where too little is left of it."""
        credence = self.board.get(suspect.evidence.cause, 0.0)
        confirmed = tuple(
            made.experiment.name
            for made in self.observed.outcomes
            if made.yes and _speaks_for(made.experiment, suspect.evidence)
        )
        faded = self._faded(suspect, credence, bool(confirmed))
        finding = alone(_aside(suspect.evidence) if faded else suspect.evidence)
        note = finding.severity == "note"
        shown = min(suspect.strength, NOTE_AT_MOST) if note else max(credence, OF_A_NOTE)
        technique = "+".join(suspect.techniques)
        return replace(finding, credence=round(shown, 3), confirmed_by=confirmed, technique=technique)

    def _faded(self, suspect: Suspect, credence: float, confirmed: bool) -> bool:
        """Whether what a detector held for a fault is, all in all, none."""
        cause = suspect.evidence.cause
        undone_in_vain = self.observed.undone(cause) is False
        if suspect.by_numbers and undone_in_vain and (credence < FAINT or says(cause, "UNDONE_EXACTLY")):
            return True
        if _needs_an_answer(suspect) and not confirmed:
            return suspect.evidence.telling == "likely" or _denied(cause, self.observed)
        if suspect.evidence.telling != "likely":
            return False
        # Numbers that look odd, in a run that more likely than not has nothing wrong, are no accusation.
        outweighed = suspect.by_numbers and not confirmed and credence < self.board.get(NOTHING, 0.0)
        doubtful = suspect.strength < SURE_BY_ITSELF and (
            undone_in_vain or (credence < KEPT and not confirmed)
        )
        return outweighed or doubtful or credence < FAINT


def weigh(observed: Observed) -> Weighed:
    return Weighed(observed)


def helped(seen: Observed) -> bool:
    """Some change from outside made the script do clearly better."""
    changes = (made for made in seen.outcomes if made.experiment.helps or made.experiment.cause)
    return any(made.yes for made in changes)


def learns_a_constant(seen: Observed) -> bool:
    """Noise for inputs and labels drawn at random bring the loss as far down as the real ones."""
    robbed = [one.name for one in experiments().values() if one.group == NOISE.group]
    return all(seen.answer(name) is True for name in robbed)


def learns(seen: Observed) -> bool:
    """The loss came down far, and no change from outside brought it further."""
    return "learns" in seen.circumstances and not helped(seen) and not learns_a_constant(seen)


def overcome(seen: Observed) -> bool:
    """What looked like a hindrance did not keep it from learning, nor its answers from being right."""
    return learns(seen) and seen.guessing is None


def holding(seen: Observed) -> frozenset[str]:
    """The circumstances that hold, with those that follow from the answers."""
    return seen.circumstances | ({"overcome"} if overcome(seen) else frozenset())


def _is_silent(evidence: Evidence, seen: Observed) -> bool:
    """Whether a circumstance keeps it from counting."""
    if _in_library(evidence):  # what numbers show inside a library's training code is not the user's to mend
        return True
    unless = _unless(evidence)
    hold = set(unless & holding(seen))
    if "overcome" in hold and seen.undone(evidence.cause):
        hold.discard("overcome")
    return bool(hold) or ("moving" in unless and _module(evidence) in seen.moving)


def _is_refuted(evidence: Evidence, seen: Observed) -> bool:
    """A setting that was tried otherwise, to no avail."""
    decides = says(evidence.cause, "DECIDED_BY", "")
    return evidence.technique != "lint" and bool(decides) and seen.answer(decides) is False


def _in_library(evidence: Evidence) -> bool:
    path = evidence.where.path if evidence.where is not None else None
    return path is not None and any(name in path for name in LIBRARIES)


def _module(evidence: Evidence) -> str:
    return (evidence.where.module or "") if evidence.where is not None else ""


def _unless(evidence: Evidence) -> frozenset[str]:
    """The circumstances in which it does not count: its own, or those its cause names."""
    if evidence.unless is not None:
        return frozenset(evidence.unless)
    return silenced_in(evidence.cause, evidence.technique)


def _aside(evidence: Evidence) -> Evidence:
    return replace(evidence, telling="aside")


def _confirmed(seen: Observed) -> Iterator[Evidence]:
    """Suspects whose undoing made the script learn are found, however faint the clue that led to them."""
    for suspect in suspects(seen.evidence).values():
        evidence = suspect.evidence
        made = seen.undoing(evidence.cause)
        if made is not None and made.yes:
            told = f" ({made.figures})" if made.figures != made.seen else ""  # no numbers: nothing new
            message = f"{evidence.message} With this corrected the script does clearly better{told}."
            yield replace(evidence, telling="proven", technique="experiment", message=message, unless=())


def _speaks_for(experiment: Experiment, evidence: Evidence) -> bool:
    foretold = predictions(evidence.cause).get(experiment.name) == "always"
    return experiment.cause == evidence.cause or foretold


def _needs_an_answer(suspect: Suspect) -> bool:
    """Seen in the source alone, in a family whose faults look alike there, where an experiment can ask."""
    known = catalog.causes().get(suspect.evidence.cause)
    if suspect.techniques != ("lint",) or known is None or not catalog.families()[known.family].asks:
        return False
    return can_be_undone(known.slug) or "always" in predictions(known.slug).values()


def _denied(cause: str, seen: Observed) -> bool:
    """An experiment that would have said yes said no."""
    foretold = [kind for kind, word in predictions(cause).items() if word == "always"]
    return seen.undone(cause) is False or any(seen.answer(kind) is False for kind in foretold)


def doubts(seen: Observed) -> list[str]:
    """What a calm run leaves open and an experiment can close: hindrances that it seems to have overcome,
    what its numbers make likely and do not show, and what the source shows that is often meant so."""
    overcome = [e for e in seen.evidence if e.telling in FAULTS and "overcome" in _unless(e)]
    asked = [e for e in seen.evidence if _asks(e)] + (overcome if learns(seen) else [])
    return sorted({e.cause for e in asked if can_be_undone(e.cause)})


def _asks(evidence: Evidence) -> bool:
    """What cannot tell, and is worth an experiment."""
    in_source = evidence.technique == "lint"
    in_numbers = evidence.technique == "watch" and bool(says(evidence.cause, "WORTH_ASKING"))
    return evidence.telling == "open" and (in_source or in_numbers)
