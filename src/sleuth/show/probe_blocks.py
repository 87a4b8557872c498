"""Further blocks of a probe's page: units, terms of the loss, sizes and modes, training beside validation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = tuple[str, ...]
Block = tuple[str, Sequence[str], Sequence[Row]]  # title, heads, rows

MOST_UNITS = 12


def tables(seen: Mapping[str, Any]) -> Iterator[Block]:
    """What reads best as a table."""
    units = seen.get("first", {}).get("activations", {}).get("units", ())
    worst = sorted(units, key=lambda unit: -max(unit["dead"], unit["saturated"]))[:MOST_UNITS]
    rows: list[Row] = [
        (
            u["where"]["module"] or "model",
            u["name"],
            str(u["units"]),
            f"{u['dead']:.0%}",
            f"{u['saturated']:.0%}",
        )
        for u in worst
    ]
    yield "Activations, worst first", "module activation units dead saturated".split(), rows
    terms = seen.get("terms", {}).get("parts", ())
    rows = [(str(t["name"]), number(t["value"]), number(t["gradient"]), _nature(t)) for t in terms]
    yield "Terms of the loss", "term value gradient kind".split(), rows


def _nature(term: Mapping[str, Any]) -> str:
    """A penalty must raise the loss as it grows; one below zero rewards what it should punish."""
    if term["of_data"]:
        return "of the data"
    below = isinstance(term["value"], (int, float)) and term["value"] < 0
    return "penalty below zero: more of it lowers the loss" if below else "penalty"


def lines(seen: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Title and sentences of what reads best as sentences."""
    yield "Sizes and modes", [*_sizes(seen.get("shapes")), *_modes(seen.get("modes"), seen.get("first", {}))]
    yield "Labels and validation", [*_labels(seen.get("labels")), *_split(seen.get("split"))]


def _sizes(shapes: Mapping[str, Any] | None) -> Iterator[str]:
    if shapes is None:
        return
    names = (("one", "one example alone"), ("seven", "seven examples"), ("thirteen", "sequences of thirteen"))
    for key, what in names:
        if shapes[key] is not None:
            yield f"{what}: {shapes[key] or 'taken'}"
    if isinstance(shapes["alone_differs"], (int, float)):
        yield f"an example alone and in the batch: outputs differ by {shapes['alone_differs']:.1e}"


def _modes(modes: Mapping[str, Any] | None, first: Mapping[str, Any]) -> Iterator[str]:
    if modes is not None and "loss" in first:
        yield f"loss in train mode {number(first['loss'])}, in eval mode {number(modes['loss_eval'])}"
        if not modes["repeatable"]:
            yield f"two passes in eval mode differ by up to {number(modes['difference'])}"


def _labels(labels: Mapping[str, Any] | None) -> Iterator[str]:
    if labels is not None:
        counts = ", ".join(f"{kind}: {count}" for kind, count in labels["counts"][:12])
        more = " …" if len(labels["counts"]) > 12 else ""
        yield f"examples of each class ({'all' if labels['complete'] else 'of those seen'}): {counts}{more}"


def _split(split: Mapping[str, Any] | None) -> Iterator[str]:
    if split is not None:
        yield f"validation examples that are training examples: {split['shared']} of {split['val_rows']}"
        shift = number(split["largest_shift"])
        yield f"largest difference of a column's mean, training to validation: {shift} standard deviations"


def number(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.3g}"
