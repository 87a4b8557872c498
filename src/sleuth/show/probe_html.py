"""A probe's report as a piece of HTML for notebooks, and as a page; nothing is loaded from outside."""

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sleuth.finding import Finding
from sleuth.markup import escape
from sleuth.report import Report
from sleuth.show.probe_blocks import lines, tables

_STYLE = """
.sleuth{font:14px/1.45 system-ui,sans-serif;max-width:62rem;color:#1c2430}
.sleuth h3{margin:1.2em 0 .3em;font-size:1em}
.sleuth table{border-collapse:collapse;font-size:12.5px}
.sleuth td,.sleuth th{padding:.15em .7em .15em 0;text-align:left;vertical-align:top}
.sleuth td{font-variant-numeric:tabular-nums}
.sleuth th{color:#667085;font-weight:500}
.sleuth .verdict{padding:.6em .9em;border-radius:6px;background:#eef6ee;margin-bottom:.8em}
.sleuth .cause-found,.sleuth .crashed{background:#fdf0ee}
.sleuth .finding{border-left:4px solid #b0b8c4;padding:.2em .8em;margin:.6em 0}
.sleuth .error{border-color:#c6382c}.sleuth .warning{border-color:#d49213}
.sleuth .finding p{margin:.15em 0}.sleuth small{color:#667085}
.sleuth img{image-rendering:pixelated;height:96px;margin-right:6px;border:1px solid #d5dae1}
@media (prefers-color-scheme:dark){.sleuth{color:#e4e7ec}.sleuth .verdict{background:#1d3324}
.sleuth .cause-found,.sleuth .crashed{background:#3d211d}}
"""


def fragment(report: Report) -> str:
    """The report as one element, style included."""
    seen = report.measured
    return "".join(["<div class='sleuth'><style>", _STYLE, "</style>", *_parts(report, seen), "</div>"])


def document(report: Report) -> str:
    """A page that stands alone."""
    head = "<!doctype html><html lang='en'><meta charset='utf-8'><title>sleuth probe</title>"
    return f"{head}<body style='margin:2rem'>{fragment(report)}</body></html>"


def _parts(report: Report, seen: Mapping[str, Any]) -> Iterator[str]:
    verdict = report.verdict
    looked = sum(entry.done for entry in report.causes_examined)
    yield f"<div class='verdict {verdict.status}'><b>{verdict.status.replace('-', ' ')}</b>"
    yield f" · {looked} of {len(report.causes_examined)} causes examined<br>{escape(verdict.summary)}</div>"
    yield from (_finding(finding) for finding in report.findings)
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


def _finding(finding: Finding) -> str:
    where = (
        f"<p><small>at {escape(str(finding.where))}</small></p>"
        if finding.where and str(finding.where)
        else ""
    )
    fix = f"<p><b>fix:</b> {escape(finding.fix)}</p>" if finding.fix else ""
    title = f"<b>{escape(finding.cause)}</b> <small>{finding.severity}, {finding.credence:.0%} sure</small>"
    body = f"<p>{title}</p><p>{escape(finding.message)}</p>{where}{fix}"
    return f"<div class='finding {finding.severity}'>{body}</div>"


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
    return f"<h3>{escape(title)}</h3><table><tr>{head}</tr>{body}</table>"


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
    line = f"<polyline points='{points}' fill='none' stroke='#2f6fb0' stroke-width='1.6'/>"
    label = f"<p><small>from {numbers[0]:.3g} to {numbers[-1]:.3g}, lowest {low:.3g}</small></p>"
    return f"<svg width='{width}' height='{height}' role='img' aria-label='curve'>{line}</svg>{label}"


def _pictures(tensors: Sequence[Mapping[str, Any]]) -> str:
    for part in tensors:
        if part["role"] != "target" and part["looks"] == "image" and part["sample"]:
            images = "".join(f"<img alt='example' src='{png(sample)}'>" for sample in part["sample"])
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
