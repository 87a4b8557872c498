"""The board of hypotheses: priors, clues and answers in, credences out; always replayed, never edited."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleuth import catalog
from sleuth.errors import SleuthError, did_you_mean
from sleuth.experiments import Experiment
from sleuth.judge.experiments import NOTHING, OTHER, predicted
from sleuth.settings import section

# Simulated: where the cause is on no list, a wrong one is named in 90% of runs; with an "other" in 40%.
PRIOR_OTHER = 0.1
# Half of the scripts that people bring have nothing wrong that this catalog knows.
PRIOR_NOTHING = 0.35
KINDS_OF_LOOK = {"probe": "numbers", "watch": "numbers", "crash": "numbers"}
FLOOR_COST = 1.0  # seconds; below that the choice would be made by noise


@dataclass(frozen=True)
class Clue:
    """A detector pointed at a cause. `strength` is its own credence."""

    cause: str
    technique: str
    strength: float


@dataclass(frozen=True)
class Answer:
    """An experiment was made; `yes` is None when it could not be, or said nothing."""

    experiment: Experiment
    yes: bool | None


Prior = Mapping[str, float]


def priors(which: str = "measured", overrides: Mapping[str, float] | None = None) -> Prior:
    """Every cause gets an equal part of its family's share; `overrides` are shares by cause or family."""
    overrides = overrides or {}
    shares = {
        name: overrides.get(name, getattr(family, which) if getattr(family, which) is not None else 0.02)
        for name, family in catalog.families().items()
    }
    members: dict[str, list[str]] = {}
    for slug, cause in catalog.causes().items():
        members.setdefault(cause.family, []).append(slug)
    raw = {
        slug: overrides.get(slug, shares[family] / len(slugs))
        for family, slugs in members.items()
        for slug in slugs
    }
    scale = (1 - PRIOR_NOTHING - PRIOR_OTHER) / sum(raw.values())
    return {NOTHING: PRIOR_NOTHING, OTHER: PRIOR_OTHER} | {slug: raw[slug] * scale for slug in raw}


def configured_priors(start: Path) -> dict[str, float]:
    """Shares by cause or family that a project gives in its pyproject.toml, under `[tool.sleuth.priors]`."""
    found = section(start, "priors")
    if found is None:
        return {}
    file, table = found
    known = {*catalog.families(), *catalog.causes()}
    for name, share in table.items():
        if name not in known:
            told = did_you_mean(name, known)
            raise SleuthError(f"{file}: [tool.sleuth.priors] names {name!r}, no cause or family.{told}")
        if type(share) not in (int, float) or not 0 <= share <= 1:
            raise SleuthError(f"{file}: the share of {name!r} in [tool.sleuth.priors] must lie from 0 to 1.")
    return {name: float(share) for name, share in table.items()}


def credences(prior: Prior, clues: Iterable[Clue], answers: Sequence[Answer]) -> dict[str, float]:
    """Bayes over the board. A clue sets the odds of its cause; an answer weighs every hypothesis."""
    odds = _after_clues(prior, clues)
    for answer in _counted_once(answers):
        for hypothesis in odds:
            yes = predicted(hypothesis, answer.experiment)
            odds[hypothesis] *= yes if answer.yes else 1 - yes
    total = sum(odds.values())
    return {hypothesis: weight / total for hypothesis, weight in odds.items()}


def _after_clues(prior: Prior, clues: Iterable[Clue]) -> dict[str, float]:
    """A detector that looked at the very code or numbers overrides the prior: its credence becomes the odds.

    Source, numbers and experiment are independent looks; a probe and a record misread the same numbers alike,
    so of each kind only the best counts.
    """
    best: dict[tuple[str, str], float] = {}
    for clue in clues:
        key = (clue.cause, KINDS_OF_LOOK.get(clue.technique, clue.technique))
        best[key] = max(best.get(key, 0.0), min(clue.strength, 0.97))
    doubt: dict[str, float] = {}
    for (cause, _), strength in best.items():
        doubt[cause] = doubt.get(cause, 1.0) * (1 - strength)
    odds = dict(prior)
    for cause, left in doubt.items():
        odds[cause] = max(odds.get(cause, 0.0), (1 - left) / max(left, 0.01))
    return odds


def _counted_once(answers: Sequence[Answer]) -> list[Answer]:
    """Of the experiments that share a source of error, the first that answered."""
    seen: set[str] = set()
    counted = []
    for answer in answers:
        if answer.yes is not None and answer.experiment.group not in seen:
            seen.add(answer.experiment.group)
            counted.append(answer)
    return counted


def gain(credence: Mapping[str, float], experiment: Experiment) -> float:
    """Expected information in bits: how far the answer is expected to move the board."""
    says_yes = {hypothesis: predicted(hypothesis, experiment) for hypothesis in credence}
    p_yes = sum(credence[hypothesis] * says_yes[hypothesis] for hypothesis in credence)
    bits = 0.0
    for hypothesis, share in credence.items():
        for likely, overall in ((says_yes[hypothesis], p_yes), (1 - says_yes[hypothesis], 1 - p_yes)):
            if share > 0 and likely > 0:
                bits += share * likely * math.log2(likely / overall)
    return bits


def best_next(
    credence: Mapping[str, float], experiments: Iterable[Experiment], seconds_per_run: float
) -> tuple[Experiment, float] | None:
    """The experiment with the highest expected gain per second, and that gain."""
    rated = [
        (gain(credence, one) / max(FLOOR_COST, one.cost * seconds_per_run), gain(credence, one), one)
        for one in experiments
    ]
    if not rated:
        return None
    _, bits, best = max(rated, key=lambda entry: entry[0])
    return best, bits
