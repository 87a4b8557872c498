"""The one line at the end of `stuck`: the first finding, or what the answers leave to do."""

from sleuth.finding import Finding
from sleuth.report import Verdict
from sleuth.stuck_metric.answers import Answers
from sleuth.stuck_metric.forces import Inertia


def verdict(answers: Answers, found: tuple[Finding, ...]) -> Verdict:
    if found:
        return Verdict("cause-found", f"{found[0].cause}: {found[0].message}")
    place, inertia = answers.row, answers.inertia
    if inertia is not None and inertia.holds:
        return Verdict("inconclusive", _inertia(inertia))
    if place == "same-basin":
        return Verdict(
            "inconclusive",
            "Training ends at the same value with and without the term, so the term was never learned, and "
            "neither "
            "size nor direction of the other gradients explains it: raise its weight tenfold and ask again.",
        )
    if place == "competing-or-inertia":
        return Verdict(
            "inconclusive",
            "The term makes a difference, and nothing measured here holds the metric: train longer.",
        )
    return Verdict(
        "nothing-found",
        "The loss cares, the parameters can move the metric and nothing fights it at this point: "
        "look at the learning rate and at how long training runs.",
    )


def _inertia(inertia: Inertia) -> str:
    if inertia.damping is not None and inertia.damping >= 100:
        return (
            "Nothing fights the metric but the optimizer's memory: Adam still divides by "
            f"{inertia.damping:.3g} times the "
            "present gradient, left from earlier. Start the optimizer afresh, or lower beta2."
        )
    return (
        "Nothing fights the metric but the optimizer's memory: its momentum points against the fresh "
        "gradient (cosine "
        f"{inertia.cosine or 0.0:.2f}) with {inertia.weight:.3g} times its size and lasts about "
        f"{inertia.memory:.3g} "
        "steps. Wait that long, or start the optimizer afresh."
    )
