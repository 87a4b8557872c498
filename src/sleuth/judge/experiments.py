"""The experiments a diagnosis can make, and what each would show if a cause were the cause.

An experiment has one question that is answered yes, no, or not at all. A cause's file says in words how
often the answer is yes when that cause is at work (`PREDICTS`); what it leaves out is as in a healthy run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sleuth import catalog
from sleuth.judge.words import likelihood

NOTHING, OTHER = "nothing-wrong", "not-in-catalog"


@dataclass(frozen=True)
class Experiment:
    """The script, run again in a changed world. `cause`: the one it takes back, where it does.

    Of experiments of one `group`, which share a source of error, only the first that answers counts.
    """

    kind: str
    question: str
    yes: str
    no: str
    healthy: str  # how often yes when nothing is wrong
    group: str
    cost: float = 1.0  # runs of the first stretch
    likelihoods: Mapping[str, str] = field(default_factory=dict)  # words for hypotheses written by hand
    cause: str = ""

    @property
    def name(self) -> str:
        """What users type and read: "same-batch", "undo(zero-init)"."""
        return f"{self.kind}({self.cause})" if self.cause else self.kind


EXPERIMENTS: Mapping[str, Experiment] = {
    made.kind: made
    for made in (
        Experiment(
            "same-batch",
            "Does it fail to memorise one batch?",
            "stalls on one batch",
            "memorises one batch",
            "never",
            "memory",
        ),
        Experiment(
            "noise-inputs",
            "Does it do as well on noise?",
            "noise does as well",
            "noise does worse",
            "never",
            "signal",
        ),
        Experiment(
            "shuffled-labels",
            "Does it do as well with labels dealt at random?",
            "random labels do as well",
            "random labels do worse",
            "never",
            "signal",
        ),
        Experiment(
            "lr×10",
            "Is it clearly better at ten times the rate?",
            "ten times the rate is clearly better",
            "ten times the rate is no better",
            "rarely",
            "rate up",
        ),
        Experiment(
            "lr×0.1",
            "Is it clearly better at a tenth of the rate?",
            "a tenth of the rate is clearly better",
            "a tenth of the rate is no better",
            "never",
            "rate down",
        ),
        Experiment(
            "other-seed",
            "Does another seed end elsewhere?",
            "another seed ends elsewhere",
            "another seed ends alike",
            "rarely",
            "seed",
        ),
        Experiment(
            "float64",
            "Is it clearly better in double precision?",
            "double precision is clearly better",
            "double precision is no better",
            "never",
            "digits",
        ),
        Experiment(
            "no-regularisation",
            "Is it clearly better without regularisation?",
            "without regularisation it is clearly better",
            "without regularisation it is no better",
            "rarely",
            "regularisation",
        ),
        Experiment(
            "no-momentum",
            "Is it clearly better without momentum?",
            "without momentum it is clearly better",
            "without momentum it is no better",
            "rarely",
            "rate down",
        ),
        Experiment(
            "again", "Do two runs of it differ?", "two runs part", "two runs agree", "never", "repeat"
        ),
    )
}


UNDO = "undo"  # the kind of those that take one cause back
_UNDO_NAME = re.compile(rf"{UNDO}\((?P<cause>.*)\)")


def undoing(slug: str) -> Experiment:
    """The most telling experiment: take the suspect back and look whether it learns."""
    return Experiment(
        UNDO,
        f"Is it clearly better with {slug} undone?",
        f"with {slug} undone it is clearly better",
        f"with {slug} undone it is no better",
        "never",
        f"{UNDO} {slug}",
        cause=slug,
    )


def named(name: str) -> Experiment | None:
    """The experiment of that name; None for a name that is none's."""
    undo = _UNDO_NAME.fullmatch(name)
    return undoing(undo["cause"]) if undo else EXPERIMENTS.get(name)


def called(name: str) -> Experiment:
    """The experiment of that name, which there is."""
    found = named(name)
    if found is None:
        raise ValueError(f"there is no experiment called {name!r}")
    return found


def predicted(hypothesis: str, experiment: Experiment) -> float:
    """How likely yes is if the hypothesis holds."""
    if hypothesis in experiment.likelihoods:
        return likelihood(experiment.likelihoods[hypothesis])
    if hypothesis == OTHER:
        return 0.5
    if hypothesis == experiment.cause:
        return likelihood("always")
    if hypothesis == NOTHING or hypothesis not in catalog.causes():
        return likelihood(experiment.healthy)
    return likelihood(predictions(hypothesis).get(experiment.name, experiment.healthy))


def predictions(slug: str) -> Mapping[str, str]:
    """What the cause's file says."""
    table: Mapping[str, str] = getattr(catalog.find(slug).module, "PREDICTS", {})
    return table


def can_be_undone(slug: str) -> bool:
    return slug in catalog.causes() and callable(getattr(catalog.find(slug).module, "undo", None))
