"""A watched run as a page of plain text."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from sleuth.finding import Finding
from sleuth.report import Report
from sleuth.show import finding_text
from sleuth.show.colour import Paint

WIDTH = 100
PAGE = "report.html"  # in the run's folder


def page(report: Report, where: str = "", notes: bool = True) -> str:
    """Verdict, findings, how the run went, and where its record is."""
    shown = [f for f in report.findings if notes or f.severity != "note"]
    blocks = [head(report), *map(_block, shown), _run(report)]
    if where:
        curves = f", with the curves in {PAGE}" if (Path(where) / PAGE).is_file() else ""
        blocks.append(
            f"Kept in {where}{curves}. `sleuth judge` judges it again; `sleuth explain CAUSE` says more."
        )
    return "\n\n".join(block for block in blocks if block)


def brief(report: Report) -> str:
    """One line a finding."""
    return "\n".join(map(finding_text.line, report.serious)) or report.verdict.summary


def head(report: Report) -> str:
    asked = report.causes_examined
    looked = f"{sum(entry.done for entry in asked)} of {len(asked)} causes examined"
    status = report.verdict.status.replace("-", " ").upper()
    return f"{status} · {looked}\n{wrapped(report.verdict.summary)}"


def _block(finding: Finding) -> str:
    return "\n".join(finding_text.block(finding, Paint(False), WIDTH))


def _run(report: Report) -> str:
    seen = report.measured
    parts = [f"{seen.get('steps', 0)} optimizer steps"]
    if "loss" in seen:
        parts.append(f"loss {_number(seen['loss']['first'])} → {_number(seen['loss']['last'])}")
    if "ended" in seen:
        parts.append(f"{seen['ended']['status']} after {seen['ended']['seconds']:.1f} s")
    if "own_seconds" in seen:
        parts.append(f"{seen['own_seconds']:.2f} s of it Sleuth's own")
    unseen = [wrapped(seen["unseen"])] if "unseen" in seen else []
    damage = map(wrapped, seen.get("damage", ()))
    return "\n".join([" · ".join(parts), *unseen, *damage, *_troubles(seen.get("troubles", ()))])


def _troubles(troubles: Sequence[str]) -> list[str]:
    return [wrapped(f"Sleuth stopped watching after an error of its own: {text}") for text in troubles]


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
