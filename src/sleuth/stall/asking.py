"""`sleuth.stuck`: why a metric stands still, by three questions, the cheapest first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from sleuth.finding import Finding, Report, Verdict
from sleuth.needs import need
from sleuth.stall.case import read_case, read_parameters, restored
from sleuth.stall.forces import inertia, rivals
from sleuth.stall.jacobian import reach
from sleuth.stall.slope import care, loss_slope
from sleuth.stall.verdict import Answers, Row, findings, row, verdict
from sleuth.stall.without import counterfactual


@dataclass(frozen=True)
class Standstill:
    """The answers, the row of the decision table they fall into, and the report made from them."""

    row: Row
    answers: Answers
    report: Report

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.report.findings

    @property
    def verdict(self) -> Verdict:
        return self.report.verdict

    @property
    def cause(self) -> str | None:
        """The slug of the most likely cause, or None."""
        return self.findings[0].cause if self.findings else None

    def text(self) -> str:
        from sleuth.show import stuck_text

        return stuck_text.full(self)

    def to_dict(self) -> dict[str, Any]:
        from sleuth.show import stuck_text

        return stuck_text.as_json(self)

    def __str__(self) -> str:
        return self.text()


def stuck(
    *,
    metric: Any,
    loss: Any,
    parameters: Any,
    terms: Mapping[str, Any] | None = None,
    optimizer: Any = None,
    train: Callable[..., Any] | None = None,
    own: str | None = None,
) -> Standstill:
    """Ask why a metric does not move: does the loss care, can the parameters, is something fighting it?

    `metric()` gives the metric as a tensor with its graph and `loss(metric)` the term that should move it;
    `terms` maps names to the loss's terms, `parameters` names to tensors. Tensors of one graph will do in
    place of functions, without the checks that need a second look. `train(without={name})` trains a short
    stretch and returns the metric. `own` names the metric's own term among `terms`. Parameters and optimizer
    are left as they were found.
    """
    need("torch", "torch", "sleuth stuck")
    started = perf_counter()
    named = read_parameters(parameters)
    with restored(named):
        case = read_case(metric, loss, named, terms, own)
        cares = care(case)
        wanted = loss_slope(case) if cares.connected else None
        moves = reach(case, wanted)
        fights = rivals(case)
        carried = inertia(case, optimizer) if optimizer is not None else None
    proof = None
    if train is not None and cares.cares and moves.moves:  # the dearest question, and pointless before
        proof = counterfactual(case, train, optimizer)
    answers = Answers(cares, moves, fights, carried, proof)
    found = tuple(findings(answers))
    observed = tuple(one.to_dict() for one in (cares, moves, fights, carried, proof) if one is not None)
    report = Report(
        verdict(answers, tuple(sorted(found, key=lambda one: -one.credence))),
        found,
        observed,
        examined=tuple({"question": one["question"]} for one in observed),
        timing={"seconds": perf_counter() - started},
    )
    return Standstill(row(answers), answers, report)
