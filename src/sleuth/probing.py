"""`sleuth.probe`: examine a model, one batch and a loss in seconds, without training and without a trace."""

import json
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from sleuth import catalog
from sleuth.errors import SleuthError
from sleuth.finding import Evidence, Finding
from sleuth.judge.observed import Observed
from sleuth.judge.weigh import weigh
from sleuth.needs import need
from sleuth.report import Examined, Measured, Observation, Report, Verdict

if TYPE_CHECKING:
    from rich.text import Text

    from sleuth.measure.captured import Captured
    from sleuth.measure.workbench import Workbench

BUDGET = 30.0  # seconds; a probe must fit between two thoughts


@dataclass(frozen=True)
class ProbeReport:
    """The result of a probe: a page in a terminal and in a notebook, findings and JSON for programs."""

    report: Report

    @property
    def verdict(self) -> Verdict:
        return self.report.verdict

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.report.findings

    @property
    def observations(self) -> tuple[Observation, ...]:
        return self.report.observations

    @property
    def examined(self) -> tuple[Examined, ...]:
        return self.report.causes_examined

    def to_dict(self) -> dict[str, Any]:
        return self.report.to_dict()

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from sleuth.show.probe_text import page

        return page(self.report)

    __repr__ = __str__

    def __rich__(self) -> "Text":
        from sleuth.show.probe_text import painted

        return painted(self.report)

    def _repr_html_(self) -> str:
        from sleuth.show.probe_html import fragment

        return fragment(self.report)


def probe(
    model: Any,
    batch: Any = None,
    loss_fn: Any = None,
    *,
    step: Any = None,
    optimizer: Any = None,
    loader: Any = None,
    val_loader: Any = None,
    seed: int = 0,
    budget: float = BUDGET,
    memorise: bool = True,
    quick: bool = False,
) -> ProbeReport:
    """Examine a model, one batch and a loss; nothing of yours is changed.

    `loss_fn(output, target)`, or `step(model, batch)` that returns the loss; without either the model's own
    `training_step` or `.loss`. Without a batch the loader's first one is used. `memorise=False` leaves out
    the short training on one batch; `quick=True` all that no cause is judged by, such as the rate test. What
    does not fit into `budget` (seconds) is listed as not examined.
    """
    need("torch", "torch", "`sleuth.probe`")
    from sleuth.measure.workbench import Workbench, example_batch

    started = time.monotonic()  # a loader's first batch may take a while
    if batch is None:
        if loader is None:
            raise SleuthError("probe needs a batch, or a loader to take one from.")
        batch = example_batch(loader)
    bench = Workbench(
        model,
        batch,
        loss_fn,
        step=step,
        optimizer=optimizer,
        loader=loader,
        val_loader=val_loader,
        seed=seed,
        budget=budget,
        memorise=memorise,
        quick=quick,
        started=started,
    )
    return ProbeReport(examine(bench))


def bench_of(
    found: "Captured", *, budget: float = BUDGET, memorise: bool = False, quick: bool = True, seed: int = 0
) -> "Workbench":
    """The bench for a step that was taken out of a running script."""
    from sleuth.measure.workbench import Workbench

    return Workbench(
        found.model,
        found.batch,
        step=found.step,
        optimizer=found.optimizers,
        loader=found.loader,
        val_loader=found.val_loader,
        seed=seed,
        budget=budget,
        memorise=memorise,
        quick=quick,
        fits=found.fits,
    )


def examine(bench: "Workbench") -> Report:
    """Ask every cause that has a probe, then put roots before symptoms."""
    found, examined = seen_by(bench)
    findings = weigh(Observed(evidence=tuple(found))).ranked
    return Report(
        verdict=_verdict(findings, bench.failure, bench.late),
        findings=findings,
        observations=tuple(_observations(bench)),
        examined=tuple(examined),
        timing=dict(bench.timing),
    )


def seen_by(bench: "Workbench") -> tuple[list[Evidence], list[Examined]]:
    """What every cause that has a probe says of it."""
    from sleuth.measure.workbench import NotApplicable

    return catalog.examine("probe", bench, NotApplicable)


def _verdict(findings: tuple[Finding, ...], failure: str, late: str = "") -> Verdict:
    serious = sorted((f for f in findings if f.severity != "note"), key=lambda f: -f.credence)
    if serious:
        first = serious[0]
        more = f" ({len(serious) - 1} more)" if len(serious) > 1 else ""
        return Verdict("cause-found", f"{first.cause}: {first.message}{more}")
    if failure:
        return Verdict("crashed", f"Model or loss could not be run: {failure}")
    if late:
        return Verdict("inconclusive", f"Nothing but the data was examined: {late}.")
    return Verdict("nothing-found", "Nothing wrong was found in what could be examined.")


# Workbench attribute → the name of the observation in a report.
_OBSERVED = (
    "first wiring downhill terms modes shapes mixing causality reach ceiling numerics precision labels "
    "copies neighbours split updates rate_range noise_scale memory"
).split()


def _observations(bench: "Workbench") -> Iterable[Measured]:
    from sleuth.measure.workbench import NotApplicable

    for name in (*(["data"] if bench.failure or bench.late else []), *_OBSERVED):
        try:
            yield Measured(name, plain(asdict(getattr(bench, name))))
        except NotApplicable as reason:
            yield Measured(name, not_examined=str(reason))


def plain(value: Any) -> Any:
    """JSON-ready: tuples become lists, numbers that JSON does not know become words."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return plain(asdict(value)) if is_dataclass(value) and not isinstance(value, type) else value
