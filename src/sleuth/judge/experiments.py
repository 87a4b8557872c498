"""What an experiment would show if a cause were the cause.

A cause's file says in words how often the answer is yes when that cause is at work (`PREDICTS`); what it
leaves out is as in a healthy run.
"""

from collections.abc import Mapping

from sleuth import catalog
from sleuth.experiments import Experiment
from sleuth.judge.words import likelihood

NOTHING, OTHER = "nothing-wrong", "not-in-catalog"


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
