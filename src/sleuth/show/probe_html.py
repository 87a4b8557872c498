"""A probe's report as a piece of HTML for notebooks, and as a page; nothing is loaded from outside."""

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sleuth.markup import escape
from sleuth.report import Report
from sleuth.show import document as page
from sleuth.show.diagnosis_words import TITLES
from sleuth.show.finding_html import card
from sleuth.show.probe_blocks import lines, tables


def fragment(report: Report) -> str:
    """The report as one element, for a notebook."""
    return page.fragment("".join(_parts(report, report.measured)))


def document(report: Report) -> str:
    """A page that stands alone."""
    return page.document("sleuth probe", "".join(_parts(report, report.measured)))


def _parts(report: Report, seen: Mapping[str, Any]) -> Iterator[str]:
    verdict = report.verdict
    looked = sum(entry.done for entry in report.causes_examined)
    yield f"<div class='verdict {verdict.status}'><h1>{TITLES[verdict.status]}</h1>"
    yield f"<p class='dim'>{looked} of {len(report.causes_examined)} causes examined</p>"
    yield f"<p>{escape(verdict.summary)}</p></div>"
    yield from map(card, report.findings)
    first = seen.get("first", {})
    data = first.get("data") or seen.get("data", {})
    yield _tensors(data.get("tensors", ()))
    yield _pictures(data.get("tensors", ()))
    yield _losses(first.get("losses", ()))
    yield from (table(*block) for block in tables(seen))
    yield from (_sentences(title, said) for title, said in lines(seen) if said)
    yield _parameters(first.get("gradients", {}).get("parameters", ()), seen.get("updates", {}))
    if "memory" in seen:
        memory = seen["memory"]
        yield f"<h3>Memorising this batch: {escape(memory['reading'])}</h3>"
        yield curve(memory["curve"]) + f"<p><small>{escape(memory['explanation'])}</small></p>"
    if "rate_range" in seen:
        yield "<h3>Loss over rising learning rates</h3>" + curve(seen["rate_range"]["losses"])
        ends = seen["rate_range"]["rates"]
        yield f"<p><small>rates from {ends[0]:.0e} to {ends[-1]:.0e}</small></p>"
    if "half" in first:
        half = first["half"]
        share = f"{_n(half['largest'])} of at most 65504; share of gradients that would vanish: "
        yield f"<h3>In float16</h3><p>largest value {share}{_n(half['vanishing'])}</p>"
    yield _not_examined(report)


def _sentences(title: str, said: Sequence[str]) -> str:
    return f"<h3>{escape(title)}</h3><p>{'<br>'.join(escape(line) for line in said)}</p>"


def _tensors(tensors: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            p["name"],
            p["role"],
            "×".join(map(str, p["shape"])),
            p["dtype"],
            _n(p["minimum"]),
            _n(p["maximum"]),
            _n(p["mean"]),
            _n(p["std"]),
        )
        for p in tensors
    ]
    return table("Batch", "tensor role shape dtype min max mean std".split(), rows)


def _losses(losses: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (u["name"], _n(u["mean_value"]), _n(u["chance"]), _n(u["entropy"]), u["reduction"]) for u in losses
    ]
    return table("Loss at start", "loss value guessing frequencies reduction".split(), rows)


def _parameters(parameters: Sequence[Mapping[str, Any]], updates: Mapping[str, Any]) -> str:
    moved = {part["name"]: part["ratio"] for part in updates.get("parts", ())}
    rows = [
        (
            p["name"],
            "×".join(map(str, p["shape"])),
            _n(p["mean"]),
            _n(p["std"]),
            _n(p["gradient"]),
            _n(moved.get(p["name"])),
            "" if p["trainable"] else "frozen",
        )
        for p in sorted(parameters, key=lambda p: p["order"])[:60]
    ]
    return table(
        "Parameters, input side first",
        ["parameter", "shape", "mean", "std", "gradient", "update/weight", ""],
        rows,
    )


def _not_examined(report: Report) -> str:
    rows = [(e.cause, e.reason) for e in report.causes_examined if not e.done]
    return table("Not examined", ["cause", "why"], rows)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<h3>{escape(title)}</h3><div class='scroll'><table><tr>{head}</tr>{body}</table></div>"


def curve(values: Sequence[Any], width: int = 420, height: int = 90) -> str:
    """A line as inline SVG."""
    numbers = [float(v) for v in values if isinstance(v, (int, float))]
    if len(numbers) < 2:
        return ""
    low, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
    points = " ".join(
        f"{8 + i * (width - 16) / (len(numbers) - 1):.1f},{height - 8 - (v - low) / span * (height - 16):.1f}"
        for i, v in enumerate(numbers)
    )
    line = f"<polyline points='{points}' class='line c0'/>"
    label = f"<p><small>from {numbers[0]:.3g} to {numbers[-1]:.3g}, lowest {low:.3g}</small></p>"
    return f"<svg width='{width}' height='{height}' role='img' aria-label='curve'>{line}</svg>{label}"


def _pictures(tensors: Sequence[Mapping[str, Any]]) -> str:
    for part in tensors:
        if part["role"] != "target" and part["looks"] == "image" and part["sample"]:
            images = "".join(
                f"<img class='pixels' alt='example' src='{png(sample)}'>" for sample in part["sample"]
            )
            return f"<h3>What the model sees</h3>{images}"
        if part["role"] != "target" and part["looks"] == "tokens" and part["sample"]:
            rows = [(" ".join(f"{value:g}" for value in row[:40]),) for row in part["sample"]]
            return table("What the model sees", ["tokens"], rows)
    return ""


def png(sample: Sequence[Sequence[Sequence[float]]]) -> str:
    """A picture (channels, rows, columns) of any range as a data address."""
    flat = [value for channel in sample for row in channel for value in row]
    low, span = min(flat), (max(flat) - min(flat)) or 1.0
    channels, rows, columns = len(sample), len(sample[0]), len(sample[0][0])
    scaled = bytearray()
    for y in range(rows):
        scaled.append(0)  # every line begins with its filter: none
        for x in range(columns):
            scaled += bytes(int((sample[c][y][x] - low) / span * 255) for c in range(channels))
    kind = 2 if channels == 3 else 0  # truecolour or greyscale
    header = struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", zlib.compress(bytes(scaled))), (b"IEND", b"")
    packed = b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + packed).decode()


def _n(value: Any) -> str:
    return "–" if value is None else value if isinstance(value, str) else f"{value:.3g}"
