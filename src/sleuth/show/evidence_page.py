"""A map as one self-contained page: the graph, a search, and the way down to every quote."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sleuth.evidence.check import Check, Checked
from sleuth.evidence.credence import Weighed
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import Link, Node, Statement
from sleuth.markup import escape
from sleuth.show.document import style
from sleuth.show.evidence import counts, number, sides
from sleuth.show.evidence_graph import BOX_HEIGHT, BOX_WIDTH, Box, Drawing, Edge, draw

TEMPLATE = Path(__file__).parent / "evidence_page.html"
MAX_WIDTH = 9.0  # pixels of a line at credence 1
TITLE_LENGTH = 28  # letters that fit a box


def page_html(weighed: Weighed, checked: Check) -> str:
    found = weighed.map
    supports, attacks = sides(found)
    amounts = ", ".join(f"{value} {name}" for name, value in counts(found).items())
    summary = f"{amounts} ({supports} for, {attacks} against), {len(checked.quotes)} quotes"
    details = {str(node): _details(weighed, checked, node) for node in weighed.beliefs}
    filled = TEMPLATE.read_text("utf-8")
    for name, value in {
        "STYLE": style(),
        "TITLE": escape(found.title),
        "SUMMARY": escape(summary),
        "GRAPH": svg(draw(weighed)),
        "DETAILS": json.dumps(details, ensure_ascii=False).replace("<", "\\u003c"),
    }.items():
        filled = filled.replace(f"@@{name}@@", value)
    return filled


def svg(drawing: Drawing, link: Callable[[Node], str] | None = None, chosen: str = "") -> str:
    """The picture; with `link`, each box leads somewhere."""
    places = {box.node: box for box in drawing.boxes}
    lines = [_edge(edge, places[edge.source], places[edge.target]) for edge in drawing.edges]
    boxes = [_box(box, box.node.title == chosen) for box in drawing.boxes]
    if link is not None:
        boxes = [
            f'<a href="{escape(link(box.node))}">{shape}</a>'
            for box, shape in zip(drawing.boxes, boxes, strict=True)
        ]
    size = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}"'
    return f'<svg id="graph" {size} role="img">' + "".join(lines + boxes) + "</svg>"


def _edge(edge: Edge, source: Box, target: Box) -> str:
    x1, y1 = source.x, source.y + BOX_HEIGHT / 2
    x2, y2 = target.x + BOX_WIDTH, target.y + BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    path = f"M{x1:.0f},{y1:.1f} C{middle:.0f},{y1:.1f} {middle:.0f},{y2:.1f} {x2:.0f},{y2:.1f}"
    width = 0.6 + (MAX_WIDTH if edge.kind != "premise" else MAX_WIDTH / 4) * edge.credence
    ends = f'data-from="{escape(str(edge.source))}" data-to="{escape(str(edge.target))}"'
    return f'<path class="edge {edge.kind}" d="{path}" stroke-width="{width:.1f}" {ends}/>'


def _box(box: Box, chosen: bool = False) -> str:
    title = box.node.title
    short = title if len(title) <= TITLE_LENGTH else title[: TITLE_LENGTH - 1] + "…"
    fill = BOX_WIDTH * box.credence
    return (
        f'<g class="box {box.role}{" chosen" if chosen else ""}" data-node="{escape(str(box.node))}" '
        f'tabindex="0" '
        f'transform="translate({box.x:.0f},{box.y:.1f})"><title>{escape(title)}</title>'
        f'<rect class="frame" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<rect class="level" y="{BOX_HEIGHT - 3}" width="{fill:.0f}" height="3"/>'
        f'<text x="9" y="17">{escape(short)}</text>'
        f'<text class="number" x="{BOX_WIDTH - 9}" y="17" text-anchor="end">{box.credence:.2f}</text></g>'
    )


def _details(weighed: Weighed, checked: Check, node: Node) -> dict[str, Any]:
    belief = weighed.beliefs[node]
    found = weighed.map
    entry = found.statements[node.title] if node.sort == "statement" else found.arguments[node.title]
    concluding = weighed.graph.concluding.get(node.title, ()) if node.sort == "statement" else ()
    return {
        "title": str(node),
        "text": entry.text,
        "number": number(belief),
        "reason": str(entry.data.get("reason", "")),
        "sources": list(belief.sources),
        "premises": [f"[{title}]" for argument in concluding for title in argument.premises],
        "terms": [
            {
                "node": str(term.node),
                "against": term.against,
                "weight": f"{term.strength:.2f} × {term.weight:.2f}",
            }
            for term in belief.terms
        ],
        "links": [_link(link) for link in entry.links],
        "quotes": [_quote(quoted) for quoted in checked.quotes if quoted.statement.title == node.title]
        if isinstance(entry, Statement)
        else [],
        "lineage": lineage(entry) if isinstance(entry, Statement) else "",
    }


def _link(link: Link) -> dict[str, str]:
    """Only addresses of the web become links: a map may come from anybody."""
    web = link.target.startswith(("http://", "https://"))
    return {"label": link.label if web else link.target, "target": link.target if web else ""}


def _quote(entry: Checked) -> dict[str, str]:
    link = entry.quote.link
    where = f" to {entry.found_at}" if entry.verdict == "MOVED" else ""
    listed = "not in the source" if entry.verdict in ("ALTERED", "MISSING") else "left out"
    words = f"; {listed}: {' | '.join(entry.words[:8])}" if entry.words else ""
    return {
        "text": entry.quote.text,
        "verdict": entry.verdict,
        "told": f"{entry.verdict}{where}{words}",
        "evidence": link.target if link else "",
    }
