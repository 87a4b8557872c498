"""Cause pages: as markdown, as a terminal page, as JSON, and the overview of all of them."""

import shutil
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

import click

from sleuth import catalog
from sleuth.catalog import TECHNIQUES, WAYS, Cause

BUILT, DESCRIBED, NEITHER = "●", "○", "·"


def built(cause: Cause) -> tuple[str, ...]:
    """The techniques that detect the cause today, in the words pages use."""
    seen = {TECHNIQUES[name] for name in cause.detectors}
    return tuple(word for word in WAYS if word in seen)


def status(cause: Cause) -> str:
    """How far Sleuth can see this cause, said honestly."""
    now = built(cause)
    later = [word for word in cause.described if word not in now]
    if not now:
        return f"described, not yet detected (to come: {', '.join(later)})"
    return f"detected by {', '.join(now)}" + (f"; to come: {', '.join(later)}" if later else "")


def markdown(cause: Cause) -> str:
    """The whole page, sources written out."""
    page = cause.page
    title = catalog.families()[cause.family].title
    parts = [f"# {cause.slug}", page.summary, f"*{title} · {status(cause)}*"]
    parts += [f"## {heading}\n\n{body}" for heading, body in page.sections.items() if heading != "Sources"]
    if references := _references(cause):
        parts.append("## Sources\n\n" + "\n".join(references))
    return "\n\n".join(parts)


def with_claims(cause: Cause) -> tuple[str, dict[str, Any]]:
    """The page as markdown and as JSON, each with the claims of the evidence map behind the cause."""
    from sleuth.evidence.folklore import claims_for
    from sleuth.show import evidence_claims

    claims = claims_for(cause.slug, cause.family)
    text = "\n\n".join([markdown(cause), evidence_claims.claims_markdown(claims)])
    return text, page_json(cause) | {"claims": [evidence_claims.claim_json(claim) for claim in claims]}


def for_terminal(text: str) -> str:
    """Markdown laid out for a terminal, with colour."""
    from rich.console import Console
    from rich.markdown import Markdown

    width = min(shutil.get_terminal_size().columns, 100)
    console = Console(force_terminal=True, width=width)
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark"))
    return capture.get().rstrip("\n")


def page_json(cause: Cause) -> dict[str, Any]:
    page = cause.page
    known = catalog.sources()
    return {
        "schema": "sleuth.cause/1",
        "cause": cause.slug,
        "family": cause.family,
        "summary": page.summary,
        "detected_by": list(built(cause)),
        "described_for": list(cause.described),
        "sections": {key: body for key, body in page.sections.items() if key != "Sources"},
        "refuted_by": page.tells.get("refuted by", ""),
        "mistaken_for": dict(page.mistaken_for),
        "sources": [
            {
                "author": known[entry.key].author,
                "title": known[entry.key].title,
                "year": known[entry.key].year,
                "link": known[entry.key].link,
                "where": entry.where,
            }
            for entry in page.citations
            if entry.key in known
        ],
    }


def overview(chosen: Iterable[Cause]) -> str:
    """All causes by family, one line each, with a mark for what sees it."""
    chosen = list(chosen)
    if not chosen:
        return "No cause matches."
    indent = max(len(cause.slug) for cause in chosen)
    columns = "  ".join(WAYS)
    blocks = []
    for family, members in groupby(chosen, key=attrgetter("family")):
        head = click.style(catalog.families()[family].title.ljust(indent + 2), bold=True)
        rows = [f"  {cause.slug.ljust(indent)}  {_marks(cause)}  {cause.page.summary}" for cause in members]
        blocks.append("\n".join([f"{head}  {click.style(columns, dim=True)}", *rows]))
    legend = f"{BUILT} detected   {DESCRIBED} described, not yet detected   {NEITHER} does not apply"
    return "\n\n".join([*blocks, click.style(legend, dim=True)])


def overview_json(chosen: Iterable[Cause]) -> dict[str, Any]:
    rows = [
        {
            "cause": cause.slug,
            "family": cause.family,
            "summary": cause.page.summary,
            "detected_by": list(built(cause)),
            "described_for": list(cause.described),
        }
        for cause in chosen
    ]
    return {"schema": "sleuth.causes/1", "causes": rows}


def _marks(cause: Cause) -> str:
    now, described = built(cause), cause.described

    def mark(word: str) -> str:
        return BUILT if word in now else DESCRIBED if word in described else NEITHER

    return "  ".join(mark(word).center(len(word)) for word in WAYS)


def _references(cause: Cause) -> list[str]:
    known = catalog.sources()
    lines = []
    for entry in cause.page.citations:
        if (work := known.get(entry.key)) is None:
            continue
        lines.append(f"- {work.author} ({work.year}), [{work.title}]({work.link}): {entry.where}")
    return lines
