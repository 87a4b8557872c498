"""The answer to "why does this metric not move?" as text and as JSON."""

from typing import TYPE_CHECKING, Any

from sleuth.show.json_ready import json_ready

if TYPE_CHECKING:
    from sleuth.stuck_metric import Care, Counterfactual, Inertia, Reach, Rivals, Standstill

LAYERS = 8  # that are listed; the rest is counted


def full(result: "Standstill") -> str:
    """The three questions with their numbers, the row of the table, and the verdict."""
    answers = result.answers
    parts = [_care(answers.care), _reach(answers.reach), _rivals(answers.rivals)]
    parts += [_inertia(answers.inertia)] if answers.inertia is not None else []
    parts += [_counterfactual(answers.counterfactual)] if answers.counterfactual is not None else []
    parts += [f"   Same value without the term? not known: {answers.unasked}"] if answers.unasked else []
    parts.append(f"→ {result.row}" + ("" if result.findings else f": {result.verdict.summary}"))
    for finding in result.findings:
        proof = f"\n    confirmed by: {'; '.join(finding.confirmed_by)}" if finding.confirmed_by else ""
        parts.append(
            f"{finding.cause} (credence {finding.credence:.2f}): {finding.message}{proof}\n    next: "
            f"{finding.fix}"
        )
    return "\n".join(parts)


def as_json(result: "Standstill") -> dict[str, Any]:
    data: dict[str, Any] = json_ready(result.report.to_dict() | {"row": result.row})
    return data


def _care(care: "Care") -> str:
    if not care.connected:
        return (
            f"1. Does the loss care?          no: no gradient path from the loss ({care.loss:.4g}) to the "
            f"metric ({care.metric:.4g})"
        )
    pushes = ", ".join(f"{name} {push:.3g}" for name, push in care.pushes.items())
    return (
        f"1. Does the loss care?          {_yes(care.cares)}: d(loss)/d(metric) = {care.slope:.3g} at metric "
        f"{care.metric:.4g}, loss {care.loss:.4g}; gradient norms on the parameters: {pushes}"
    )


def _reach(reach: "Reach") -> str:
    layers = sorted(reach.layers.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{name} {slope:.2g}" for name, slope in layers[:LAYERS])
    more = f" and {len(layers) - LAYERS} more" if len(layers) > LAYERS else ""
    real = f"not checked ({reach.unchecked})" if reach.measured is None else f"{reach.measured:.3g} measured"
    shaken = "" if reach.redrawn is None else f"; shaken parameters change it by {reach.redrawn:.2g}"
    return (
        f"2. Can the parameters move it?  {_yes(reach.moves)}: slope {reach.promised:.3g} by autograd, "
        f"{real}{shaken}; {reach.in_span:.0%} of the wanted direction in the Jacobian's span (rank "
        f"{reach.rank} of {reach.entries}); by layer: {listed}{more}"
    )


def _rivals(rivals: "Rivals") -> str:
    if not rivals.cosines:
        return "3. Is something fighting it?    no other terms were given"
    cosines = ", ".join(f"{name} {value:.2f}" for name, value in rivals.cosines.items())
    sharp = (
        ""
        if rivals.sharpness_ratio is None
        else f"; sharpest curvature {rivals.sharpness_ratio:.3g} times that along the push"
    )
    return (
        f"3. Is something fighting it?    {_yes(rivals.conflict or rivals.ratio >= 100)}: cosines with "
        f"{rivals.own}: {cosines}; loudest other gradient {rivals.ratio:.3g} times as large; "
        f"{rivals.cancelled:.0%} of all pushing cancelled, {rivals.left:.0%} of the own push left{sharp}"
    )


def _inertia(inertia: "Inertia") -> str:
    parts = (
        []
        if inertia.cosine is None
        else [f"momentum cosine {inertia.cosine:.2f} at {inertia.weight:.3g} times the fresh gradient"]
    )
    parts += (
        [] if inertia.damping is None else [f"Adam's scale {inertia.damping:.3g} times the fresh gradient"]
    )
    return f"   The optimizer's memory:      {_yes(inertia.holds)}: {'; '.join(parts)}"


def _counterfactual(proof: "Counterfactual") -> str:
    others = "".join(f", without {name} {value:.4g}" for name, value in proof.without.items())
    return (
        f"   Same value without the term? {_yes(proof.same)}: from {proof.now:.4g}, a stretch with all "
        f"leads to {proof.with_all:.4g}, without the term {proof.without_own:.4g}{others}"
    )


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
