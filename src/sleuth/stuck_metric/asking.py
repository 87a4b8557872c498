"""`sleuth.stuck`: why a metric stands still, by three questions, the cheapest first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from sleuth.finding import Finding
from sleuth.judge.asking import findings_of
from sleuth.needs import need
from sleuth.report import Asked, Report, Verdict
from sleuth.stuck_metric.answers import Answers, Row
from sleuth.stuck_metric.case import Case, read_case, read_parameters, restored
from sleuth.stuck_metric.forces import inertia, rivals
from sleuth.stuck_metric.jacobian import reach
from sleuth.stuck_metric.slope import care, loss_slope
from sleuth.stuck_metric.verdict import verdict
from sleuth.stuck_metric.without import SAME_WITHOUT, counterfactual

DECIDED = "an earlier question already decided it"  # so that the dearest one is not asked


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
        answers = examined(case, optimizer)
    if train is not None and answers.undecided:
        answers = replace(answers, counterfactual=counterfactual(case, train, optimizer))
    elif train is not None:
        answers = replace(answers, unasked=DECIDED)
    return concluded(answers, perf_counter() - started)


def examined(case: Case, optimizer: Any) -> Answers:
    """The three questions; the counterfactual, the dearest one, is left to the caller."""
    cares = care(case)
    wanted = loss_slope(case) if cares.connected else None
    carried = inertia(case, optimizer) if optimizer is not None else None
    return Answers(cares, reach(case, wanted), rivals(case), carried, None)


def concluded(answers: Answers, seconds: float) -> Standstill:
    """The row of the decision table, and the report."""
    found = findings_of("stuck", answers)
    asked = (answers.care, answers.reach, answers.rivals, answers.inertia, answers.counterfactual)
    observed = tuple(_asked(one.to_dict()) for one in asked if one is not None)
    unasked = (Asked(SAME_WITHOUT, unavailable=answers.unasked),) if answers.unasked else ()
    report = Report(
        verdict(answers, found),
        found,
        observed,
        examined=(*(Asked(one.question) for one in observed), *unasked),
        timing={"seconds": seconds},
    )
    return Standstill(answers.row, answers, report)


def _asked(answer: Mapping[str, Any]) -> Asked:
    return Asked(str(answer["question"]), {name: part for name, part in answer.items() if name != "question"})
