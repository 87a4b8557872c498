"""A probe's report as a page of plain text: verdict, findings, what was measured, what was not looked at."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sleuth.finding import Finding
from sleuth.report import Report
from sleuth.show import finding_text, probe_blocks
from sleuth.show.colour import Paint
from sleuth.show.probe_blocks import number as _number

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 100
BARS = "▁▂▃▄▅▆▇█"
SHADES = " ░▒▓█"


def page(report: Report) -> str:
    """The whole page."""
    seen = report.measured
    blocks = [_head(report), *map(_block, report.findings)]
    blocks += [block for block in _measured(seen) if block]
    blocks.append(_closing(report))
    return "\n\n".join(blocks)


def painted(report: Report) -> "Text":
    """The page with colour, for terminals."""
    from rich.text import Text

    lines = page(report).split("\n")
    tints = {"✗": "bold red", "!": "bold yellow", "·": "dim"}
    whole = Text()
    for number, line in enumerate(lines):
        opens = number > 0 and not lines[number - 1]
        if number == 0:
            tint = "bold green" if report.verdict.status == "nothing-found" else "bold red"
        elif opens and not line.startswith(" "):
            tint = tints.get(line[:1], "bold")
        else:
            tint = "green" if line.startswith("  fix  ") else "dim" if line.startswith("  sleuth ") else ""
        whole.append(line + "\n", tint)
    return whole


def brief(report: Report) -> str:
    """One line a finding."""
    return "\n".join(map(finding_text.line, report.findings)) or report.verdict.summary


def _head(report: Report) -> str:
    looked = sum(entry.done for entry in report.causes_examined)
    status = report.verdict.status.replace("-", " ")
    first = f"{status.upper()} · {looked} of {len(report.causes_examined)} causes examined"
    return f"{first}\n{_wrapped(report.verdict.summary)}"


def _block(finding: Finding) -> str:
    return "\n".join(finding_text.block(finding, Paint(False), WIDTH))


def _measured(seen: Mapping[str, Any]) -> Iterator[str]:
    first = seen.get("first", {})
    data = first.get("data") or seen.get("data", {})
    yield _data(data.get("tensors", ()))
    yield _examples(data.get("tensors", ()))
    yield _losses(first.get("losses", ()), seen)
    yield _parameters(first.get("gradients", {}).get("parameters", ()), seen.get("updates", {}))
    yield from (_table(*block) for block in probe_blocks.tables(seen) if block[2])
    for title, said in probe_blocks.lines(seen):
        yield "\n".join([title, *(f"  {line}" for line in said)]) if said else ""
    yield _mistakes(first.get("mistakes", ()))
    yield _memory(seen.get("memory"))
    yield _optimizer(seen)


def _data(tensors: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            part["name"],
            part["role"],
            "×".join(map(str, part["shape"])) or "scalar",
            part["dtype"],
            f"{part['minimum']:.3g}",
            f"{part['maximum']:.3g}",
            f"{part['mean']:.3g}",
            f"{part['std']:.3g}",
            f"{part['constant_features']}/{part['features']}",
        )
        for part in tensors
    ]
    return _table("Batch", "tensor role shape dtype min max mean std constant".split(), rows) if rows else ""


def _examples(tensors: Sequence[Mapping[str, Any]]) -> str:
    for part in tensors:
        if part["role"] != "target" and part["looks"] == "image" and part["sample"]:
            return "What the model sees (first examples)\n" + _pictures(part["sample"][:4])
        if part["role"] != "target" and part["looks"] == "tokens" and part["sample"]:
            rows = [" ".join(f"{value:g}" for value in row[:24]) for row in part["sample"][:4]]
            return "What the model sees (first examples)\n" + "\n".join(f"  {row}" for row in rows)
    return ""


def _pictures(samples: Sequence[Any]) -> str:
    """Images in grey, side by side, two columns a pixel."""
    flat = [value for sample in samples for row in sample[0] for value in row]
    low, span = min(flat), (max(flat) - min(flat)) or 1.0
    height = min(len(sample[0]) for sample in samples)

    def row(sample: Any, index: int) -> str:
        return "".join(
            SHADES[min(int((v - low) / span * len(SHADES)), len(SHADES) - 1)] * 2 for v in sample[0][index]
        )

    return "\n".join("  " + "  ".join(row(sample, index) for sample in samples) for index in range(height))


def _losses(losses: Sequence[Mapping[str, Any]], seen: Mapping[str, Any]) -> str:
    rows = [
        (
            use["name"],
            f"{use['mean_value']:.4g}",
            _number(use["chance"]),
            _number(use["entropy"]),
            use["reduction"],
        )
        for use in losses
    ]
    text = _table("Loss at start", "loss value guessing frequencies reduction".split(), rows) if rows else ""
    wiring = seen.get("wiring", {})
    lines = []
    if isinstance(wiring.get("doubling"), (int, float)):
        lines.append(f"  every example twice: loss ×{wiring['doubling']:.2f}")
    if isinstance(wiring.get("target_effect"), (int, float)):
        lines.append(f"  targets shuffled between examples: loss changes by {wiring['target_effect']:.0%}")
    if "downhill" in seen:
        step = seen["downhill"]
        lines.append(
            f"  one small gradient step: predicted {step['promised']:.2g}, measured {step['brought']:.2g}"
            + _error(step)
        )
    return "\n".join([text, *lines]).strip("\n")


def _error(step: Mapping[str, Any]) -> str:
    """Whether the step also lowered the error, where that is another number than the loss."""
    if step["error_before"] is None or step["error_after"] is None:
        return ""
    return f"; error {_number(step['error_before'])} → {_number(step['error_after'])}"


def _parameters(parameters: Sequence[Mapping[str, Any]], updates: Mapping[str, Any]) -> str:
    moved = {part["name"]: part["ratio"] for part in updates.get("parts", ())}
    ordered = sorted(parameters, key=lambda p: p["order"])
    rows = [
        (
            p["name"],
            "×".join(map(str, p["shape"])),
            f"{p['mean']:.2g}",
            f"{p['std']:.2g}",
            "none" if p["gradient"] is None else _number(p["gradient"]),
            _number(moved.get(p["name"])),
            "" if p["trainable"] else "frozen",
        )
        for p in ordered[:24]
    ]
    title = "Parameters, input side first" + (f" (24 of {len(ordered)})" if len(ordered) > 24 else "")
    return _table(title, "parameter shape mean std gradient update/weight .".split(), rows) if rows else ""


def _mistakes(mistakes: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (str(m["example"]), str(m["says"]), str(m["truth"]), f"{m['probability']:.0%}") for m in mistakes[:5]
    ]
    return _table("Most confident mistakes", "example says truth sure".split(), rows) if rows else ""


def _memory(memory: Mapping[str, Any] | None) -> str:
    if memory is None:
        return ""
    head = f"Memorising this batch: {memory['reading']} ({memory['steps']} steps)"
    curve = spark([value for value in memory["curve"] if isinstance(value, (int, float))])
    lines = [
        head,
        f"  {_number(memory['start'])} {curve} {_number(memory['end'])}",
        f"  {memory['explanation']}",
    ]
    if memory["ablation"]:
        parts = [f"{name} {_number(loss)}" for name, loss, _ in memory["ablation"]]
        lines.append(f"  afterwards, with other inputs: {', '.join(parts)}")
    return "\n".join(lines)


def _optimizer(seen: Mapping[str, Any]) -> str:
    lines = []
    if "rate_range" in seen:
        found = seen["rate_range"]
        curve = spark([value for value in found["losses"] if isinstance(value, (int, float))])
        span = f"{found['rates'][0]:.0e} {curve} {found['rates'][-1]:.0e}"
        lines.append(
            f"  loss over rising learning rates: {span}; steepest at {_number(found['steepest'])}, breaks "
            f"at {_number(found['breaks_at'])}"
        )
    if "noise_scale" in seen:
        noise = seen["noise_scale"]
        lines.append(f"  gradient noise scale: {_number(noise['scale'])} examples (batch: {noise['batch']})")
    if "precision" in seen:
        lines.append(f"  float32 against float64: loss differs by {seen['precision']['difference']:.1e}")
    half = seen.get("first", {}).get("half")
    if half is not None:
        room = _percent(half["share_of_range"])
        lines.append(
            f"  in float16: largest value {_number(half['largest'])} ({room} of its range), "
            f"{_percent(half['vanishing'])} of the gradients would vanish"
        )
    return "\n".join(["Rates, noise and precision", *lines]) if lines else ""


def _percent(share: Any) -> str:
    return share if isinstance(share, str) else f"{share:.1%}"


def _closing(report: Report) -> str:
    left = [entry for entry in report.causes_examined if not entry.done]
    seconds = sum(report.timing.values())
    if not left:
        return f"Every cause that a probe can see was examined ({seconds:.1f} s)."
    reasons: dict[str, list[str]] = {}
    for entry in left:
        reasons.setdefault(entry.reason, []).append(entry.cause)
    lines = [_wrapped(f"{', '.join(names)}: {reason}", "  ") for reason, names in reasons.items()]
    return "\n".join([f"Not examined ({seconds:.1f} s in all)", *lines])


def spark(values: Sequence[float], width: int = 40) -> str:
    """A curve in one line."""
    if not values:
        return ""
    step = max(1, -(-len(values) // width))
    chosen = list(values[::step])
    low, span = min(chosen), (max(chosen) - min(chosen)) or 1.0
    return "".join(BARS[min(int((v - low) / span * len(BARS)), len(BARS) - 1)] for v in chosen)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    lines = [
        "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in [heads, *rows]
    ]
    return "\n".join([title, *lines]).replace(" .\n", "\n")


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
