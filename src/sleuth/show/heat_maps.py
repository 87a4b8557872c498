"""Maps of many values over the steps: a row a name, a column a step, the darker the larger."""

import math
from collections.abc import Iterator, Mapping, Sequence

from sleuth.markup import escape
from sleuth.show.charts import number

SHADES = 12  # classes h0 to h11 of the style sheet


def heat(
    title: str, rows: Mapping[str, Sequence[float | None]], steps: Sequence[float], note: str = ""
) -> str:
    """A map: a row a name, a column a step; from pale (small) to dark, on a logarithmic scale."""
    known = [value for row in rows.values() for value in row if value is not None and math.isfinite(value)]
    positive = [value for value in known if value > 0]
    if not known or not steps:
        return ""
    low, high = (min(positive), max(positive)) if positive else (0.0, 0.0)
    height, left, width = 15, 200, 1120
    wide = (width - left - 6) / len(steps)
    parts = []
    for place, (name, row) in enumerate(rows.items()):
        y = place * height
        parts.append(f"<text x='{left - 6}' y='{y + 11}' text-anchor='end'>{escape(_tail(name))}</text>")
        parts += _cells(name, row, steps, (left, y, wide, height - 1), (low, high))
    total = len(rows) * height + 16
    ends = f"<text x='{left}' y='{total - 3}'>{steps[0]:g}</text>"
    ends += f"<text x='{width - 6}' y='{total - 3}' text-anchor='end'>step {steps[-1]:g}</text>"
    scale = f"{number(low)} to {number(high)}" if positive else "all zero"
    words = f"<b>{escape(title)}</b> <span class='dim'>{scale}; dark is large{escape(note)}</span>"
    return (
        f"<figure class='heat'><figcaption>{words}</figcaption><div class='scroll'><svg viewBox='0 0 {width} "
        f"{total}' role='img' aria-label='{escape(title)}'>{''.join(parts)}{ends}</svg></div></figure>"
    )


def _cells(
    name: str,
    row: Sequence[float | None],
    steps: Sequence[float],
    box: tuple[float, float, float, float],
    ends: tuple[float, float],
) -> Iterator[str]:
    left, y, wide, high = box
    for column, value in enumerate(row):
        if value is None:
            continue
        tip = f"{name} at step {steps[column]:g}: {number(value)}"
        yield (
            f"<rect class='{_shade(value, *ends)}' x='{left + column * wide:.1f}' y='{y:g}' "
            f"width='{wide + 0.3:.1f}' height='{high:g}'><title>{escape(tip)}</title></rect>"
        )


def _shade(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return "broken"
    if value <= 0 or low <= 0:
        return "h0"
    span = math.log10(high / low) or 1.0
    return f"h{1 + round((SHADES - 2) * math.log10(value / low) / span)}"


def _tail(name: str, most: int = 27) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"
