"""Causes and rules: the catalog to search, each with its page and what stands behind it; the map to walk."""

from dataclasses import dataclass

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.evidence import folklore
from sleuth.evidence.credence import Belief
from sleuth.evidence.lineage import lineage
from sleuth.evidence.model import Link, Node, Quote
from sleuth.show import pages
from sleuth.show.evidence_graph import draw
from sleuth.show.evidence_page import svg
from sleuth.ui.pages.answering import answer, homes
from sleuth.ui.showing import drawn, part


@dataclass(frozen=True)
class Believed:
    """A statement of the map, and all that speaks for and against it."""

    title: str
    text: str
    belief: Belief
    links: tuple[Link, ...]
    quotes: tuple[Quote, ...]
    source: str
    premises: tuple[str, ...]


def causes(request: Request) -> Response:
    wanted = request.query_params.get("q", "")[:200].lower().split()
    fitting = [cause for cause in catalog.causes().values() if all(word in _text(cause) for word in wanted)]
    families = [
        (family, [cause for cause in fitting if cause.family == name])
        for name, family in catalog.families().items()
    ]
    rules = [
        claim
        for claim in folklore.rules().values()
        if all(word in claim.text.lower() + claim.rule for word in wanted)
    ]
    seen = {cause for line in homes(request).lines() for cause in line.causes}
    template = "causes_list.html" if "x-part" in request.headers else "causes.html"
    return answer(
        request, template, families=[entry for entry in families if entry[1]], rules=rules,
        text=request.query_params.get("q", ""), status=pages.status, seen=seen, count=len(fitting),
    )  # fmt: skip


def cause(request: Request) -> Response:
    slug = request.path_params["cause"]
    known = catalog.causes().get(slug)
    if known is None:
        raise HTTPException(404, f"There is no cause {slug[:80]!r}.")
    runs = [line for line in homes(request).lines() if slug in line.causes][:20]
    claims = folklore.claims_for(slug, known.family)
    sections = [(head, body) for head, body in known.page.sections.items() if head != "Sources"]
    return answer(
        request,
        "cause.html",
        cause=known,
        status=pages.status(known),
        family=catalog.families()[known.family].title,
        sections=sections,
        claims=claims,
        citations=[(catalog.sources()[entry.key], entry.where) for entry in known.page.citations],
        runs=runs,
    )


def evidence_map(request: Request) -> Response:
    """The whole map as a picture; the chosen claim beside it, with what it rests on."""
    weighed = folklore.weighed()
    title = request.query_params.get("claim", "")
    chosen = _believed(title) if title else None
    if title and chosen is None:
        raise HTTPException(404, f"There is no claim {title[:80]!r} in the map.")
    picture: Markup = drawn(svg)(
        draw(weighed), link=lambda node: f"/map?claim={part(node.title)}", chosen=title
    )
    return answer(request, "map.html", picture=picture, chosen=chosen, map=weighed.map)


def _text(cause: Cause) -> str:
    return (
        f"{cause.slug} {cause.family} {cause.page.summary} {' '.join(cause.page.sections.values())}".lower()
    )


def _believed(title: str) -> Believed | None:
    weighed = folklore.weighed()
    for node in (Node("statement", title), Node("argument", title)):
        belief = weighed.beliefs.get(node)
        if belief is not None:
            return _told(node, belief)
    return None


def _told(node: Node, belief: Belief) -> Believed:
    weighed = folklore.weighed()
    if node.sort == "argument":
        argument = weighed.map.arguments[node.title]
        return Believed(node.title, argument.text, belief, argument.links, (), "", argument.premises)
    statement = weighed.map.statements[node.title]
    concluding = weighed.graph.concluding.get(node.title, ())
    premises = tuple(title for argument in concluding for title in argument.premises)
    name = lineage(statement)
    source = "" if name.startswith("[") else name
    return Believed(node.title, statement.text, belief, statement.links, statement.quotes, source, premises)
