"""The experiments a diagnosis can make, and what each would show if a cause were the cause.

An experiment has one question that is answered yes, no, or not at all. A cause's file says in words how
often the answer is yes when that cause is at work (`PREDICTS`); what it leaves out is as in a healthy run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sleuth import catalog
from sleuth.judge.words import likelihood

NOTHING, OTHER = "nothing-wrong", "not-in-catalog"


@dataclass(frozen=True)
class Test:
    """An experiment. `group`: tests that share a source of error are counted once."""

    name: str
    question: str
    yes: str
    no: str
    healthy: str  # how often yes when nothing is wrong
    group: str
    cost: float = 1.0  # runs of the first stretch
    likelihoods: Mapping[str, str] = field(default_factory=dict)  # words for hypotheses written by hand


TESTS: Mapping[str, Test] = {
    test.name: test
    for test in (
        Test("same-batch", "Does it fail to memorise one batch?", "stalls on one batch",
             "memorises one batch", "never", "memory"),
        Test("noise-inputs", "Does it do as well on noise?", "noise does as well", "noise does worse",
             "never", "signal"),
        Test("shuffled-labels", "Does it do as well with labels dealt at random?", "random labels do as well",
             "random labels do worse", "never", "signal"),
        Test("lr×10", "Is it clearly better at ten times the rate?", "ten times the rate is clearly better",
             "ten times the rate is no better", "rarely", "rate up"),
        Test("lr×0.1", "Is it clearly better at a tenth of the rate?",
             "a tenth of the rate is clearly better", "a tenth of the rate is no better",
             "never", "rate down"),
        Test("other-seed", "Does another seed end elsewhere?", "another seed ends elsewhere",
             "another seed ends alike", "rarely", "seed"),
        Test("float64", "Is it clearly better in double precision?", "double precision is clearly better",
             "double precision is no better", "never", "digits"),
        Test("no-regularisation", "Is it clearly better without regularisation?",
             "without regularisation it is clearly better", "without regularisation it is no better",
             "rarely", "regularisation"),
        Test("no-momentum", "Is it clearly better without momentum?", "without momentum it is clearly better",
             "without momentum it is no better", "rarely", "rate down"),
        Test("again", "Do two runs of it differ?", "two runs part", "two runs agree", "never", "repeat"),
    )
}  # fmt: skip


UNDO = "undo("  # begins the name of the experiment that takes one cause back


def undo_name(slug: str) -> str:
    return f"{UNDO}{slug})"


def undone_by(name: str) -> str:
    """The cause that an experiment of that name takes back; "" for all others."""
    return name.removeprefix(UNDO).removesuffix(")") if name.startswith(UNDO) else ""


def named(name: str) -> Test:
    """The experiment of that name."""
    return TESTS[name] if name in TESTS else undo_test(undone_by(name))


def undo_test(slug: str) -> Test:
    """The most telling test: take the suspect back and look whether it learns."""
    return Test(
        undo_name(slug),
        f"Is it clearly better with {slug} undone?",
        f"with {slug} undone it is clearly better",
        f"with {slug} undone it is no better",
        "never",
        f"undo {slug}",
    )


def predicted(hypothesis: str, test: Test) -> float:
    """How likely yes is if the hypothesis holds."""
    if hypothesis in test.likelihoods:
        return likelihood(test.likelihoods[hypothesis])
    if hypothesis == OTHER:
        return 0.5
    if hypothesis == NOTHING:
        return likelihood(test.healthy)
    if test.name == undo_name(hypothesis):
        return likelihood("always")
    if hypothesis not in catalog.causes():
        return likelihood(test.healthy)
    return likelihood(predictions(hypothesis).get(test.name, test.healthy))


def predictions(slug: str) -> Mapping[str, str]:
    """What the cause's file says."""
    table: Mapping[str, str] = getattr(catalog.find(slug).module, "PREDICTS", {})
    return table


def can_be_undone(slug: str) -> bool:
    return slug in catalog.causes() and callable(getattr(catalog.find(slug).module, "undo", None))
