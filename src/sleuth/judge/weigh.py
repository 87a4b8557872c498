"""Weighs what was seen: evidence, circumstances and answers in, one ranked finding a cause out.

This is the only place where a finding's severity and credence are decided. Evidence passes four questions:
does it count in these circumstances, did an experiment refute or confirm it, is it the consequence of
something else that was found, and what is left of it beside all other hypotheses.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sleuth import catalog
from sleuth.finding import SEVERITIES, Finding
from sleuth.judge.board import Answer, Clue, credences, priors
from sleuth.judge.experiments import NOTHING, Experiment, can_be_undone, predictions
from sleuth.judge.observed import Observed
from sleuth.judge.relations import rivals_of, roots_of, says, silenced_in

HELPING = ("lr×10", "lr×0.1", "no-regularisation", "no-momentum", "float64")
LIBRARIES = ("site-packages", "dist-packages")
NOTE_AT_MOST = 0.2  # what a note says of itself
OF_A_NOTE = 0.05  # and what it weighs: it is worth knowing, and no clue to go by
CONFIRMED = 0.85
STRONG = 0.5  # a root must be at least this sure to explain a symptom away
PROVEN = 0.75  # and an error this sure, before settings give way to it
SURE_BY_ITSELF = 0.6  # a detector that proved its case keeps its say when a surer suspect takes most credence
KEPT = 0.2  # credence below which a warning is only worth a note
FAINT = 0.1  # below this nothing but a proven error is said aloud
UNDECIDED = 0.3  # credence of a note that asks for an experiment


@dataclass(frozen=True)
class Weighed:
    """What was seen, and what follows from it."""

    observed: Observed

    @cached_property
    def ranked(self) -> tuple[Finding, ...]:
        """All evidence: what counts as it was given, what does not as a note; roots before symptoms."""
        seen = self.observed
        given = [*seen.evidence, *seen.from_experiments, *_confirmed(seen)]
        counted = [_noted(one) if _is_silent(one, seen) or _is_refuted(one, seen) else one for one in given]
        return tuple(roots_before_symptoms(counted))

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """What the board is told. A note is a weak clue whatever it says of itself."""
        return tuple(
            Clue(f.cause, f.technique, min(f.credence, OF_A_NOTE) if f.severity == "note" else f.credence)
            for f in self.ranked
            if f.cause
        )

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(Answer(made.experiment, made.yes) for made in self.observed.outcomes)

    @cached_property
    def board(self) -> Mapping[str, float]:
        """Credences of all hypotheses, replayed from what was observed."""
        prior = priors(self.observed.prior, self.observed.shares)
        return credences(prior, self.clues, self.answers)

    def with_more(self, evidence: Iterable[Finding] = ()) -> tuple[Finding, ...]:
        """Findings, one a cause, the surest first, notes last. `evidence`: what is no clue for the board."""
        one_each = merged([*self.ranked, *map(_catalogued, evidence)]).values()
        concluded = [self.concluded(finding) for finding in one_each]
        return tuple(sorted(concluded, key=lambda f: (f.severity == "note", -f.credence)))

    def concluded(self, finding: Finding) -> Finding:
        """With the board's credence, and a note where too little is left of it."""
        credence = self.board.get(finding.cause, 0.0)
        confirmed = tuple(
            made.experiment.name
            for made in self.observed.outcomes
            if made.yes and _speaks_for(made.experiment, finding)
        )
        severity = "note" if self._faded(finding, credence, bool(confirmed)) else finding.severity
        shown = min(finding.credence, NOTE_AT_MOST) if severity == "note" else max(credence, OF_A_NOTE)
        return replace(
            finding,
            credence=round(shown, 3),
            confirmed_by=confirmed,
            severity=severity,
            unless=None,
            marks={},
        )

    def _faded(self, finding: Finding, credence: float, confirmed: bool) -> bool:
        """Whether what a detector held for a fault is, all in all, none."""
        undone_in_vain = self.observed.undone(finding.cause) is False
        by_numbers = "lint" not in finding.technique
        if by_numbers and undone_in_vain and (credence < FAINT or says(finding.cause, "UNDONE_EXACTLY")):
            return True
        if finding.severity != "warning":
            return False
        # Numbers that look odd, in a run that more likely than not has nothing wrong, are no accusation.
        outweighed = by_numbers and not confirmed and credence < self.board.get(NOTHING, 0.0)
        doubtful = finding.credence < SURE_BY_ITSELF and (
            undone_in_vain or (credence < KEPT and not confirmed)
        )
        return outweighed or doubtful or credence < FAINT


def weigh(observed: Observed) -> Weighed:
    return Weighed(observed)


def helped(seen: Observed) -> bool:
    """Some change from outside made the script do clearly better."""
    changes = (made for made in seen.outcomes if made.experiment.kind in HELPING or made.experiment.cause)
    return any(made.yes for made in changes)


def learns_a_constant(seen: Observed) -> bool:
    """Noise for inputs and labels drawn at random bring the loss as far down as the real ones."""
    return all(seen.answer(name) is True for name in ("noise-inputs", "shuffled-labels"))


def learns(seen: Observed) -> bool:
    """The loss came down far, and no change from outside brought it further."""
    return "learns" in seen.circumstances and not helped(seen) and not learns_a_constant(seen)


def overcome(seen: Observed) -> bool:
    """What looked like a hindrance did not keep it from learning, nor its answers from being right."""
    return learns(seen) and seen.guessing is None


def holding(seen: Observed) -> frozenset[str]:
    """The circumstances that hold, with those that follow from the answers."""
    return seen.circumstances | ({"overcome"} if overcome(seen) else frozenset())


def _catalogued(finding: Finding) -> Finding:
    cause = catalog.find(finding.cause)
    return replace(finding, family=cause.family, sources=cause.references)


def _is_silent(finding: Finding, seen: Observed) -> bool:
    """Whether a circumstance keeps it from counting."""
    if _in_library(finding):  # what numbers show inside a library's training code is not the user's to mend
        return True
    unless = _unless(finding)
    hold = set(unless & holding(seen))
    if "overcome" in hold and seen.undone(finding.cause):
        hold.discard("overcome")
    return bool(hold) or ("moving" in unless and _module(finding) in seen.moving)


def _is_refuted(finding: Finding, seen: Observed) -> bool:
    """A setting that was tried otherwise, to no avail."""
    decides = says(finding.cause, "DECIDED_BY", "")
    return finding.technique != "lint" and bool(decides) and seen.answer(decides) is False


def _in_library(finding: Finding) -> bool:
    path = finding.where.path if finding.where is not None else None
    return path is not None and any(name in path for name in LIBRARIES)


def _module(finding: Finding) -> str:
    return (finding.where.module or "") if finding.where is not None else ""


def _noted(finding: Finding) -> Finding:
    return replace(finding, severity="note", credence=min(finding.credence, NOTE_AT_MOST))


def _confirmed(seen: Observed) -> list[Finding]:
    """Suspects whose undoing made the script learn are found, however faint the clue that led to them."""
    found = []
    for finding in merged(seen.evidence).values():
        made = seen.undoing(finding.cause)
        if made is not None and made.yes:
            told = f" ({made.figures})" if made.figures != made.seen else ""  # no numbers: nothing new
            message = f"{finding.message} With it undone the script does clearly better{told}."
            found.append(
                replace(
                    finding,
                    severity="error",
                    credence=CONFIRMED,
                    technique="experiment",
                    message=message,
                    unless=(),
                )
            )
    return found


def _speaks_for(experiment: Experiment, finding: Finding) -> bool:
    foretold = predictions(finding.cause).get(experiment.name) == "always"
    return experiment.cause == finding.cause or foretold


def roots_before_symptoms(findings: Iterable[Finding]) -> list[Finding]:
    """A symptom beside its root becomes a note that says whose consequence it is."""
    found = list(findings)
    return [_explained(finding, found) for finding in found]


def _explained(finding: Finding, found: Sequence[Finding]) -> Finding:
    if finding.severity == "note" or not (above := _above(finding, found)):
        return finding
    message = f"{finding.message} Probably a consequence of {above[0]}."
    return replace(_noted(finding), message=message)


def _above(finding: Finding, found: Sequence[Finding]) -> list[str]:
    """What was found and explains it: roots first, then what settings give way to."""
    cause = finding.cause
    strong = {f.cause for f in found if f.severity != "note" and f.credence >= STRONG} - {cause}
    gives_way = says(cause, "GIVES_WAY_TO", "")
    roots = strong if gives_way == ANYTHING else strong & (roots_of(cause) | rivals_of(cause))
    above = [
        root for root in sorted(roots) if not _mutual(root, cause) or _better_shown(root, finding, found)
    ]
    if gives_way == "proven" and finding.technique != "lint":
        proven = {f.cause for f in found if _is_proven(f)} - {cause, *roots}
        above += sorted(other for other in proven if not _explains(cause, other))
    return above


ANYTHING = "anything"


def _explains(root: str, symptom: str) -> bool:
    return root in roots_of(symptom) | rivals_of(symptom) or says(symptom, "GIVES_WAY_TO") == ANYTHING


def _mutual(root: str, symptom: str) -> bool:
    """Two that could each be the other's symptom, and would both vanish: the better shown one stays."""
    return _explains(symptom, root)


def _is_proven(finding: Finding) -> bool:
    """Settings prove nothing against one another."""
    sure = finding.severity == "error" and finding.credence >= PROVEN
    family = catalog.families().get(finding.family)
    return sure and not (family is not None and family.settings)


def _better_shown(rival: str, finding: Finding, found: Sequence[Finding]) -> bool:
    """Whether the rival is shown by the source where this is not, or else is the surer of the two."""
    others = [f for f in found if f.cause == rival]
    shown = any(map(_by_source, others))
    if shown != _by_source(finding):
        return shown
    return max(f.credence for f in others) > finding.credence


def _by_source(finding: Finding) -> bool:
    return finding.severity == "error" and finding.technique.startswith("lint")


def merged(findings: Iterable[Finding]) -> dict[str, Finding]:
    """One finding a cause: the surest speaks; line, numbers and edits come from whoever has them."""
    by_cause: dict[str, list[Finding]] = {}
    for finding in findings:
        by_cause.setdefault(finding.cause, []).append(finding)
    return {cause: _one(group) for cause, group in by_cause.items()}


def _one(group: list[Finding]) -> Finding:
    ranked = sorted(group, key=lambda f: (SEVERITIES.index(f.severity), -f.credence, _order(f)))
    first = ranked[0]
    placed = next((f for f in sorted(ranked, key=_order) if f.where is not None and f.where.line), first)
    numbers = {key: value for f in reversed(ranked) for key, value in f.numbers.items()}
    techniques = "+".join(sorted({f.technique for f in group}, key=list(_ORDER).index))
    return replace(
        first,
        where=placed.where if placed.where is not None else first.where,
        numbers=numbers,
        fix=next((f.fix for f in ranked if f.fix), ""),
        edits=next((f.edits for f in ranked if f.edits), ()),
        technique=techniques,
    )


# Whose line is trusted most: the source says where it is written, a probe or a record where it was seen.
_ORDER = {"lint": 0, "watch": 1, "probe": 2, "experiment": 3, "crash": 4}


def _order(finding: Finding) -> int:
    return _ORDER.get(finding.technique, 5)


def doubts(seen: Observed) -> list[str]:
    """What a calm run leaves open and an experiment can close: hindrances that it seems to have overcome,
    what its numbers make likely and do not show, and what the source shows that is often meant so."""
    open_ = [f for f in seen.evidence if f.technique == "lint" and f.severity == "note"]
    open_ += [f for f in seen.evidence if _is_undecided(f)]
    if learns(seen):
        open_ += [f for f in seen.evidence if f.severity != "note" and "overcome" in _unless(f)]
    return sorted({f.cause for f in open_ if can_be_undone(f.cause)})


def _unless(finding: Finding) -> frozenset[str]:
    """The circumstances in which it does not count: its own, or those its cause names."""
    if finding.unless is not None:
        return frozenset(finding.unless)
    return silenced_in(finding.cause, finding.technique)


def _is_undecided(finding: Finding) -> bool:
    """Numbers of the run that may or may not hold it back: a detector that cannot tell says so by how sure it
    is of its note."""
    note = finding.technique == "watch" and finding.severity == "note"
    return note and finding.credence >= UNDECIDED and bool(says(finding.cause, "WORTH_ASKING"))
