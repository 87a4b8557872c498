"""What a record amounts to: every cause that has a `watch` detector is asked, roots before symptoms."""

from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.archive.record import events
from sleuth.catalog import Cause
from sleuth.finding import Evidence, Finding
from sleuth.judge.observed import Observed
from sleuth.judge.weigh import weigh
from sleuth.record.blocks import Reading
from sleuth.record.entries import Evaluation, LossCall, Metric, Model, Optimizer, Record, Trouble
from sleuth.record.json_lines import entered, read
from sleuth.report import Examined, Measured, Report, Verdict
from sleuth.watching.process import records
from sleuth.watching.replicas import together

UNSEEN = (
    "No call of a model was seen: it runs inside a compiled function, or its parameters are used directly. "
    "What needs layers, modes or batches was not examined."
)
NO_RECORD = (
    "Nothing was recorded: what ran is no Python, was told to ignore its environment (-E, -I, -S), or the "
    "record could not be written."
)
BROKEN_OFF = "The record breaks off there: the process was killed, or still runs."


def judge(record: Record) -> Report:
    """Findings and what was examined. A detector that fails is named, and the others go on."""
    found: list[Evidence] = []
    examined: list[Examined] = []
    for cause in catalog.causes().values():
        findings, looked = _asked(cause, record)
        found += findings
        examined += looked
    ranked = weigh(Observed(evidence=tuple(found))).ranked
    return Report(
        verdict=_verdict(record, ranked),
        findings=ranked,
        observations=tuple(Measured(name, value) for name, value in observed(record).items()),
        examined=tuple(examined),
    )


def _asked(cause: Cause, record: Record) -> tuple[list[Evidence], list[Examined]]:
    try:
        return catalog.examine("watch", record, Exception, {cause.slug: cause})
    except Exception as error:  # a module that cannot even be loaded
        return [], [Examined(cause.slug, cause.family, False, f"{type(error).__name__}: {error}")]


def _verdict(record: Record, findings: tuple[Finding, ...]) -> Verdict:
    serious = sorted((f for f in findings if f.severity != "note"), key=lambda f: -f.credence)
    if serious:
        first = serious[0]
        more = f" ({len(serious) - 1} more)" if len(serious) > 1 else ""
        return Verdict("cause-found", f"{first.cause}: {first.message}{more}")
    end = record.end
    if end is not None and end.status == "raised" and end.exception:
        place = f" at {end.frames[-1][0]}:{end.frames[-1][1]}" if end.frames else ""
        return Verdict("crashed", f"The script raised {end.exception}{place}: {end.message}")
    if not record.steps:
        return Verdict("inconclusive", never_trained(record))
    ending = "" if end is not None else f" {BROKEN_OFF}"
    return Verdict("nothing-found", f"Nothing wrong was seen in {len(record.steps)} optimizer steps.{ending}")


def never_trained(record: Record) -> str:
    """What was seen of a run without an optimizer step."""
    if not record.items:
        return NO_RECORD
    end = record.end
    seconds = f" in {end.t:.0f} s" if end is not None else " so far"
    ending = "" if end is not None else f" {BROKEN_OFF}"
    if "torch" not in record.run.versions:
        return f"The script did not import torch{seconds}; Sleuth watches training in torch.{ending}"
    backwards = end.backwards if end is not None else 0
    called = f"{backwards} backward calls and no optimizer step" if backwards else "no backward call"
    seen = [
        f"{len(record.of(kind))} {word}"
        for kind, word in (
            (Model, "models called"),
            (Optimizer, "optimizers made"),
            (LossCall, "loss calls"),
            (Evaluation, "passes without training"),
            (Metric, "numbers printed"),
        )
        if record.of(kind)
    ]
    told = f"{called}{seconds}; seen: {', '.join(seen) or 'torch was imported, nothing else'}.".capitalize()
    return told + ending


def observed(record: Record) -> dict[str, Any]:
    """The numbers a reader wants beside the findings."""
    steps, losses = record.steps, of_one_optimizer(record)
    end = record.end
    found: dict[str, Any] = {"steps": len(steps)}
    if losses:
        found["loss"] = {"first": _plain(losses[0]), "last": _plain(losses[-1])}
    if steps and not record.of(Model):
        found["unseen"] = UNSEEN
    if end is not None:
        found["ended"] = {"status": end.status, "exit_code": end.exit_code, "seconds": round(end.t, 2)}
        found["own_seconds"] = round(end.own_s, 3)
    troubles = [item.text for item in record.of(Trouble)]
    if troubles:
        found["troubles"] = troubles
    if record.damage:
        found["damage"] = list(record.damage)
    return found


def of_one_optimizer(record: Record) -> tuple[float, ...]:
    """The losses of the optimizer that stepped first: those of two players say nothing in one row."""
    first = record.steps[0].optimizer if record.steps else 0
    return tuple(step.loss for step in record.steps if step.loss is not None and step.optimizer == first)


def _plain(number: float) -> float | str:
    return number if number - number == 0 else str(number)


def load(whole: Path) -> Record:
    """The record of a run; where the script only started others that trained, theirs."""
    if not whole.is_file():
        return Record()
    parts = records(whole)
    trained = [path for path in parts if read(path).steps]
    if not trained:
        return read(whole)
    ranked = sorted(trained, key=lambda path: (path != whole, read(path).run.rank))
    return together(ranked) if len(ranked) > 1 else read(ranked[0])


def of_run(folder: Path) -> Record:
    """A record as the archive keeps it, packed or not."""
    reading = Reading()
    return entered(events(folder, None, reading), reading)
