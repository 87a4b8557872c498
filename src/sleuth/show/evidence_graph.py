"""Where the boxes of a map stand: claims at the left, what they rest on to the right."""

from dataclasses import dataclass

from sleuth.evidence.credence import Weighed
from sleuth.evidence.model import AGAINST, Node

COLUMN, ROW = 330, 34  # pixels from one column, one row, to the next
BOX_WIDTH, BOX_HEIGHT = 250, 26


@dataclass(frozen=True)
class Box:
    node: Node
    x: float
    y: float
    credence: float
    role: str  # claim or premise


@dataclass(frozen=True)
class Edge:
    source: Node
    target: Node
    kind: str  # support, attack or premise
    credence: float


@dataclass(frozen=True)
class Drawing:
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float


def draw(weighed: Weighed) -> Drawing:
    edges = tuple(_edges(weighed))
    below: dict[Node, list[Node]] = {}
    for edge in edges:
        below.setdefault(edge.target, []).append(edge.source)
    claims = {belief.node for belief in weighed.claims}
    places = _placed(weighed, below, claims)
    boxes = tuple(
        Box(node, x, y, weighed.beliefs[node].credence, "claim" if node in claims else "premise")
        for node, (x, y) in places.items()
    )
    width = max((box.x for box in boxes), default=0) + BOX_WIDTH + 40
    height = max((box.y for box in boxes), default=0) + BOX_HEIGHT + 40
    return Drawing(
        boxes, tuple(edge for edge in edges if {edge.source, edge.target} <= places.keys()), width, height
    )


def _edges(weighed: Weighed) -> list[Edge]:
    """Relations between statements, and premises drawn straight to their conclusion."""
    found = weighed.map
    edges = []
    for relation in found.relations:
        source, target = (_spoken(weighed, node) for node in (relation.source, relation.target))
        kind = "attack" if relation.kind in AGAINST else "support"
        edges.append(Edge(source, target, kind, _credence(weighed, source)))
    for argument in found.arguments.values():
        if argument.conclusion is not None:
            target = Node("statement", argument.conclusion)
            for title in argument.premises:
                source = Node("statement", title)
                edges.append(Edge(source, target, "premise", _credence(weighed, source)))
    return edges


def _spoken(weighed: Weighed, node: Node) -> Node:
    """An argument is drawn as its conclusion, where it has one."""
    if node.sort == "argument" and (conclusion := weighed.map.arguments[node.title].conclusion):
        return Node("statement", conclusion)
    return node


def _credence(weighed: Weighed, node: Node) -> float:
    belief = weighed.beliefs.get(node)
    return belief.credence if belief else 0.0


def _placed(
    weighed: Weighed, below: dict[Node, list[Node]], claims: set[Node]
) -> dict[Node, tuple[float, float]]:
    """A tree drawn sideways: leaves take one row each, a parent stands beside the middle of its children,
    and a top claim beside the first, where the page opens."""
    fed = {node for nodes in below.values() for node in nodes}
    nodes = [node for node in weighed.beliefs if node in below or node in fed or node in claims]
    roots = [node for node in nodes if node not in fed] + nodes
    places: dict[Node, tuple[float, float]] = {}
    row = 0
    for root in roots:
        stack = [(root, 0, False)]
        while stack:
            node, depth, done = stack.pop()
            if done:
                rows = [
                    places[child][1]
                    for child in below.get(node, ())
                    if child in places and places[child][1] >= 0
                ]
                middle = min(rows) if rows and not depth else sum(rows) / max(1, len(rows))
                y = middle if rows else 20.0 + ROW * row
                row += 0 if rows else 1
                places[node] = (20.0 + COLUMN * depth, y)
            elif node not in places and node in weighed.beliefs:
                places[node] = (20.0 + COLUMN * depth, -1.0)  # seen; its row follows from its children
                stack.append((node, depth, True))
                stack += [(child, depth + 1, False) for child in reversed(below.get(node, ()))]
        row += 1 if root in claims and root not in fed else 0
    return places
