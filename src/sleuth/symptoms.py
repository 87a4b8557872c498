"""What a run looks like from outside, and which causes look like that: the table to begin with."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from sleuth import catalog
from sleuth.judge.relations import says
from sleuth.judge.words import likelihood
from sleuth.record import curves
from sleuth.record.entries import Evaluation, Metric, Record
from sleuth.record.growth import diverging
from sleuth.record.questions import adversarial, broke_at, chance, courses, evaluations, loss_calls

Answer = Literal["yes", "no", "unknown"]
ENOUGH = 20  # steps before the shape of a curve says anything
GAP = 2.0  # evaluation loss over training loss
SLOWER = 1.5  # step time at the end over that at the start


@cache
def causes_of(symptom: str) -> tuple[str, ...]:
    """The causes whose files say that a run looks like this (`LOOKS_LIKE`), the likeliest first."""
    said = {slug: says(slug, "LOOKS_LIKE", {}).get(symptom) for slug in catalog.causes()}
    named = [slug for slug, word in said.items() if word is not None]
    return tuple(sorted(named, key=lambda slug: -likelihood(str(said[slug]))))


@dataclass(frozen=True)
class Symptom:
    """One line of the table: whether the run shows it, by which numbers, and what it points at."""

    name: str
    present: Answer
    text: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)

    @property
    def causes(self) -> tuple[str, ...]:
        return causes_of(self.name)

    def to_dict(self) -> dict[str, Any]:
        told = {key: value if math.isfinite(value) else str(value) for key, value in self.numbers.items()}
        values = {"present": self.present, "text": self.text, "numbers": told, "causes": list(self.causes)}
        return {"name": f"symptom: {self.name}", "values": values}


def symptoms(record: Record, others: Sequence[Record] = ()) -> list[Symptom]:
    """The whole table for one run; `others` are runs of the same script with other seeds."""
    return [
        _stuck(record),
        _explodes(record),
        _oscillates(record),
        _not_finite(record),
        _gap(record),
        _constant(record),
        _slower(record),
        _metric_apart(record),
        _seeds_apart(record, others),
    ]


def _losses(record: Record) -> list[float]:
    """Of the optimizer with most steps."""
    found = courses(record) if record.steps else []
    return found[0].finite_losses if found else []


def _stuck(record: Record) -> Symptom:
    name, values = "stuck from the start", _losses(record)
    if len(values) < ENOUGH or adversarial(record):
        return Symptom(name, "unknown", f"{len(values)} losses of one optimizer, too few for a curve")
    numbers = {"first": curves.start(values), "last": curves.end(values), "fallen": curves.fallen(values)}
    guess = next((level for call in loss_calls(record) if (level := chance(call)) is not None), None)
    if guess is not None:
        numbers["chance"] = guess
    text = f"loss {numbers['first']:.4g} at the start, {numbers['last']:.4g} at the end"
    return Symptom(name, "yes" if curves.stuck(values) else "no", text, numbers)


def _explodes(record: Record) -> Symptom:
    name = "falls, then explodes"
    found = courses(record, ENOUGH) if record.steps else []
    if not found:
        return Symptom(name, "unknown", "too few steps for a curve")
    place = diverging(record, found[0])
    values = found[0].finite_losses
    if place is None or not values:
        return Symptom(name, "no")
    reached = f"lowest {min(values):.4g}, highest {max(values):.4g}"
    text = f"from step {place} on the loss explodes ({reached})"
    return Symptom(name, "yes", text, {"step": place, "lowest": min(values), "highest": max(values)})


def _oscillates(record: Record) -> Symptom:
    name, values = "oscillates", _losses(record)
    if len(values) < ENOUGH or adversarial(record):
        return Symptom(name, "unknown", "too few losses for a curve")
    height = curves.swing(values)
    text = f"the second half fluctuates by {height:.2f} times its mean"
    return Symptom(
        name, "yes" if height > 1 and curves.fallen(values) < 0.5 else "no", text, {"swing": height}
    )


def _not_finite(record: Record) -> Symptom:
    name = "not finite"
    if not record.losses:
        return Symptom(name, "unknown", "no loss was recorded")
    place = broke_at(record)
    if place is None:
        return Symptom(name, "no", f"{len(record.losses)} losses, all finite")
    return Symptom(name, "yes", f"first at step {place}", {"step": place})


def _gap(record: Record) -> Symptom:
    name, values = "good in training, bad in validation", _losses(record)
    seen = [seen for seen in record.of(Evaluation) if seen.loss is not None]
    fresh = [look for look in seen if (look.seen_in_training or 0.0) < 0.9]
    if not values or not fresh or fresh[-1].loss is None or curves.end(values) <= 0:
        return Symptom(name, "unknown", "no evaluation loss was recorded")
    ratio = fresh[-1].loss / curves.end(values)
    text = f"evaluation loss {fresh[-1].loss:.4g}, training loss {curves.end(values):.4g}"
    return Symptom(name, "yes" if ratio > GAP else "no", text, {"ratio": ratio})


def _constant(record: Record) -> Symptom:
    name = "constant output"
    passes = record.of(Evaluation)
    spreads = [c.output_std_over_batch for c in loss_calls(record) if c.output_std_over_batch is not None]
    if not passes and not spreads:
        return Symptom(name, "unknown", "no predictions were recorded")
    same = bool(passes) and passes[-1].constant_output
    flat = len(spreads) >= 3 and max(spreads[-3:]) < 1e-6
    text = "all predictions of the last pass are the same" if same else "predictions differ between examples"
    return Symptom(name, "yes" if same or flat else "no", text, {"spread": spreads[-1]} if spreads else {})


def _slower(record: Record) -> Symptom:
    name = "steps take longer and longer"
    times = [step.total_s for step in record.steps if step.total_s]
    calm = times[len(times) // 20 :]
    if len(calm) < 50:
        return Symptom(name, "unknown", "too few step times")
    tenth = len(calm) // 10
    ratio = curves.median(calm[-tenth:]) / max(curves.median(calm[:tenth]), 1e-9)
    steady = ratio > SLOWER and curves.rising(calm) > 0.9
    return Symptom(
        name,
        "yes" if steady else "no",
        f"the last tenth of the steps took {ratio:.2f} times as long as the first",
        {"ratio": ratio},
    )


def _metric_apart(record: Record) -> Symptom:
    """The loss falls clearly and accuracy does not rise with it, on passes over one set."""
    name, values = "metric apart from loss", _losses(record)
    for series in _accuracies(record):
        if len(series) >= 4 and len(values) >= ENOUGH:
            rise, fall = series[-1] - series[0], curves.fallen(values)
            apart = fall > 0.3 and rise < 0.02 and max(series) < 0.95
            text = f"loss fell by {fall:.0%}, accuracy went from {series[0]:.3f} to {series[-1]:.3f}"
            return Symptom(name, "yes" if apart else "no", text, {"fall": fall, "rise": rise})
    return Symptom(name, "unknown", "no accuracy was recorded often enough")


def _accuracies(record: Record) -> Iterator[list[float]]:
    for passes in evaluations(record).values():
        yield [seen.correct for seen in passes if seen.correct is not None]
    told: dict[str, list[float]] = {}
    for metric in record.of(Metric):
        if "acc" in metric.name.lower():
            told.setdefault(metric.name, []).append(
                metric.value / 100 if metric.value > 1.5 else metric.value
            )
    yield from told.values()


def _seeds_apart(record: Record, others: Sequence[Record]) -> Symptom:
    name = "seeds apart"
    ends = [curves.end(values) for run in (record, *others) if len(values := _losses(run)) >= ENOUGH]
    if len(ends) < 3:
        return Symptom(name, "unknown", "needs three runs with different seeds")
    ratio = max(map(abs, ends)) / max(min(map(abs, ends)), 1e-12)
    text = f"{len(ends)} runs end between {min(ends):.4g} and {max(ends):.4g}"
    return Symptom(name, "yes" if ratio > GAP else "no", text, {"ratio": ratio, "runs": len(ends)})
