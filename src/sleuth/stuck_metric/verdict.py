"""The decision table: from the answers to a cause, with its numbers and the next step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sleuth.finding import Finding
from sleuth.report import Verdict
from sleuth.stuck_metric.forces import ABSENT, LOOK, PROVEN, Inertia, Rivals
from sleuth.stuck_metric.jacobian import MOVED, NO_SLOPE, Reach
from sleuth.stuck_metric.slope import FADED, INDIFFERENT, Care
from sleuth.stuck_metric.without import Counterfactual

Row = Literal["saturated-or-disconnected", "structural-ceiling", "competing-or-inertia", "same-basin", "free"]

# Loss slope, metric slope, same value without the term → what it is.
TABLE: tuple[tuple[str, str, str, Row], ...] = (
    ("about zero", "any", "any", "saturated-or-disconnected"),
    ("there", "about zero", "any", "structural-ceiling"),
    ("there", "there", "no", "competing-or-inertia"),
    ("there", "there", "yes", "same-basin"),
)


@dataclass(frozen=True)
class Answers:
    """What was measured; None where a question could not be asked, or an earlier one decides.

    `unasked` says why there is no counterfactual.
    """

    care: Care
    reach: Reach
    rivals: Rivals
    inertia: Inertia | None
    counterfactual: Counterfactual | None
    unasked: str = ""

    @property
    def undecided(self) -> bool:
        """Whether the counterfactual, the dearest question, is still worth asking."""
        return self.care.cares and self.reach.moves

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Answers":
        """From what `asdict` made, as it comes out of another process."""
        memory = data["inertia"]
        return cls(
            Care(**data["care"]),
            Reach(**data["reach"]),
            Rivals(**data["rivals"]),
            None if memory is None else Inertia(**memory),
            None,
            data["unasked"],
        )


def row(answers: Answers) -> Row:
    if not answers.care.cares:
        return "saturated-or-disconnected"
    if not answers.reach.moves:
        return "structural-ceiling" if not _cut(answers.reach) else "saturated-or-disconnected"
    if answers.counterfactual is not None and answers.counterfactual.same:
        return "same-basin"
    held = answers.rivals.conflict or answers.rivals.ratio >= LOOK
    if held or (answers.inertia is not None and answers.inertia.holds) or answers.counterfactual is not None:
        return "competing-or-inertia"
    return "free"


def findings(answers: Answers) -> Iterator[Finding]:
    """The causes that the table's row yields."""
    place = row(answers)
    if place == "saturated-or-disconnected":
        yield _deaf(answers)
    elif place == "structural-ceiling":
        yield _ceiling(answers.reach)
    else:
        yield from _fight(answers, place)


def verdict(answers: Answers, found: tuple[Finding, ...]) -> Verdict:
    if found:
        return Verdict("cause-found", f"{found[0].cause}: {found[0].message}")
    place, inertia = row(answers), answers.inertia
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


def _cut(reach: Reach) -> bool:
    """No slope, and yet the metric moves when the parameters do: the path is cut, not the reach."""
    return reach.redrawn is not None and reach.redrawn > MOVED and reach.relative <= NO_SLOPE


def _deaf(answers: Answers) -> Finding:
    care, reach = answers.care, answers.reach
    if not care.connected:
        return _finding(
            "loss-disconnected",
            f"The loss ({care.loss:.4g}) has no gradient path to the metric ({care.metric:.4g}): whatever "
            "the metric "
            "does, no parameter hears of it.",
            "Compute the loss from the metric's tensor itself: look for detach, item, numpy, argmax or a "
            "comparison "
            "between the two.",
            0.9,
            {"loss": care.loss, "metric": care.metric, "slope": 0.0},
        )
    if care.cares:
        return _finding(
            "loss-disconnected",
            f"The metric moves by {reach.redrawn:.1%} when the parameters are shaken, but its gradient by "
            "them is "
            f"{reach.promised:.2g}: the path from metric to parameters is cut or goes through a step "
            "(round, argmax).",
            "Replace the step by a smooth stand-in, and keep the values as tensors until after backward.",
            0.85,
            {"redrawn": reach.redrawn or 0.0, "promised": reach.promised},
            ("strong perturbation of the parameters",),
        )
    content = care.loss == 0 and care.slope == 0
    seen = (
        "The loss is 0 and flat at this metric: it is content and asks for nothing more."
        if content
        else f"d(loss)/d(metric) is {care.slope:.3g} at a metric of {care.metric:.4g} with a loss of "
        f"{care.loss:.4g}: "
        + (
            f"doubling the metric would change the loss by {care.relative:.1g} of itself."
            if care.relative <= INDIFFERENT
            else f"1/{1 / max(care.faded, 1e-12):.3g} of what it is elsewhere, and the loss is high."
        )
    )
    return _finding(
        "loss-saturated",
        f"{seen} {_against(care)}",
        "Choose a form that is steep where the metric stands (a margin that is not yet met, logits instead "
        "of "
        "probabilities, no clamp or log1p around the error); `sleuth surface` shows where it is.",
        0.85 if care.relative <= INDIFFERENT or care.faded <= FADED else 0.6,
        {
            "slope": care.slope,
            "relative": care.relative,
            "faded": care.faded,
            "loss": care.loss,
            "metric": care.metric,
        },
    )


def _against(care: Care) -> str:
    others = ", ".join(f"{name} {push:.3g}" for name, push in care.pushes.items())
    return f"Gradient norms on the parameters: {others}." if len(care.pushes) > 1 else ""


def _ceiling(reach: Reach) -> Finding:
    tested = reach.redrawn is not None
    if reach.lies:
        seen = (
            f"Autograd promises a slope of {reach.promised:.3g} along the best direction; really moving the "
            "parameters "
            f"gives {reach.measured:.3g}. The slope is a stand-in's, and the metric itself does not follow."
        )
    elif reach.relative > NO_SLOPE or (reach.rank and reach.entries > 1):
        seen = (
            f"Only {reach.in_span:.1%} of the direction in which the metric should go lies in the span of "
            "its Jacobian "
            f"(rank {reach.rank} of {reach.entries}): the parameters move it, but not there."
        )
    else:
        seen = (
            f"The metric's slope by the parameters is {reach.promised:.2g} ({reach.relative:.1g} relative): "
            "none of them moves it."
        )
    shaken = f" Shaking every parameter by its own size changes it by {reach.redrawn:.1g}." if tested else ""
    fixed = tested and (reach.redrawn or 0.0) <= MOVED
    return _finding(
        "structural-ceiling",
        f"{seen}{shaken}",
        "Put trainable parameters where they can act on the metric (free the fixed basis, the bounded "
        "output or the "
        "rule behind the model), or choose a metric that answers to what is trained.",
        0.95 if fixed else 0.75,
        {
            "relative_slope": reach.relative,
            "in_span": reach.in_span,
            "rank": reach.rank,
            "redrawn": reach.redrawn or 0.0,
        },
        ("strong perturbation of the parameters",) if fixed else (),
    )


def _fight(answers: Answers, place: Row) -> Iterator[Finding]:
    rivals, proof = answers.rivals, answers.counterfactual
    freed = proof.freed_by() if proof is not None else ()
    confirmed = tuple(f"training without {name}" for name in freed)
    if proof is not None and place == "same-basin":
        confirmed = (*confirmed, f"training without {rivals.own} reaches the same value")
    if rivals.ratio >= (PROVEN if place == "same-basin" else LOOK):
        yield _finding(
            "loss-terms-imbalanced",
            f"The gradient of {rivals.loudest} is {rivals.ratio:.3g} times that of {rivals.own} on the "
            f"{rivals.shared} "
            f"parameters they share ({rivals.norms[rivals.loudest]:.3g} against "
            f"{rivals.norms[rivals.own]:.3g})"
            f"{_told(proof)}.",
            f"Bring both to one scale (same reduction, same units), then raise the weight of {rivals.own} by "
            "about "
            f"{rivals.ratio / 10:.1g}.",
            0.9 if rivals.ratio >= ABSENT or confirmed else 0.75,
            {"ratio": rivals.ratio, "cosine": rivals.cosine_rest or 0.0, "left": rivals.left},
            confirmed,
        )
    if rivals.conflict and rivals.ratio < ABSENT:
        worst = min(rivals.cosines, key=lambda name: rivals.cosines[name])
        yield _finding(
            "loss-terms-conflict",
            f"{worst} pulls against {rivals.own} (cosine {rivals.cosines[worst]:.2f}): "
            f"{rivals.cancelled:.0%} of all "
            f"pushing cancels, and {rivals.left:.0%} of {rivals.own}'s own push is left{_told(proof)}.",
            "Write down one output that makes both small; if there is none, the specification conflicts. If "
            "there is, "
            "give each term room of its own, schedule them, or project the conflict away.",
            0.9 if confirmed else 0.8 if rivals.ratio < LOOK else 0.5,
            {
                "cosine": rivals.cosines[worst],
                "cancelled": rivals.cancelled,
                "left": rivals.left,
                "ratio": rivals.ratio,
            },
            confirmed,
        )


def _told(proof: Counterfactual | None) -> str:
    if proof is None:
        return ""
    if proof.same:
        return f"; training reaches {proof.with_all:.4g} with the term and {proof.without_own:.4g} without it"
    freed = proof.freed_by()
    return (
        f"; without {freed[0]} the metric goes to {proof.without[freed[0]]:.4g} instead of "
        f"{proof.with_all:.4g}"
        if freed
        else ""
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


def _finding(
    cause: str,
    message: str,
    fix: str,
    credence: float,
    numbers: dict[str, float],
    confirmed: tuple[str, ...] = (),
) -> Finding:
    family = "architecture" if cause == "structural-ceiling" else "loss"
    return Finding(
        message=message.strip(),
        severity="error",
        credence=credence,
        numbers=numbers,
        fix=fix,
        cause=cause,
        family=family,
        technique="probe",
        confirmed_by=confirmed,
    )
