"""What rests on what: the order in which beliefs can be worked out, and the circles that spoil it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.evidence.model import Argument, Map, Node, Relation


@dataclass(frozen=True)
class Graph:
    """`order`: every node after all it rests on. `circles`: chains of nodes that rest on themselves."""

    incoming: dict[Node, tuple[Relation, ...]]
    concluding: dict[str, tuple[Argument, ...]]
    order: tuple[Node, ...]
    circles: tuple[tuple[Node, ...], ...]


def build_graph(found: Map) -> Graph:
    incoming: dict[Node, list[Relation]] = {}
    for relation in found.relations:
        incoming.setdefault(relation.target, []).append(relation)
        if relation.kind == "contradict":  # works both ways
            incoming.setdefault(relation.source, []).append(relation)
    concluding: dict[str, list[Argument]] = {}
    for argument in found.arguments.values():
        if argument.conclusion is not None:
            concluding.setdefault(argument.conclusion, []).append(argument)
    settled = {node: tuple(entries) for node, entries in incoming.items()}
    concluded = {title: tuple(entries) for title, entries in concluding.items()}
    order, circles = _ordered(found, settled, concluded)
    return Graph(settled, concluded, order, circles)


def rests_on(
    found: Map,
    incoming: dict[Node, tuple[Relation, ...]],
    concluding: dict[str, tuple[Argument, ...]],
    node: Node,
) -> Iterator[Node]:
    """The nodes whose beliefs enter this one's (contradictions are settled afterwards)."""
    if node.sort == "argument":
        argument = found.arguments[node.title]
        inner = {step.conclusion for step in argument.steps[:-1]}
        yield from (Node("statement", title) for title in argument.premises if title not in inner)
    else:
        yield from (Node("argument", entry.title) for entry in concluding.get(node.title, ()))
    for relation in incoming.get(node, ()):
        if relation.kind != "contradict":
            yield relation.source


def _ordered(
    found: Map,
    incoming: dict[Node, tuple[Relation, ...]],
    concluding: dict[str, tuple[Argument, ...]],
) -> tuple[tuple[Node, ...], tuple[tuple[Node, ...], ...]]:
    """Depth first without recursion: maps may be deeper than Python's stack."""
    order: list[Node] = []
    circles: list[tuple[Node, ...]] = []
    done: set[Node] = set()
    roots = [Node("statement", title) for title in found.statements]
    roots += [Node("argument", title) for title in found.arguments]
    for root in roots:
        if root in done:
            continue
        path: list[tuple[Node, Iterator[Node]]] = [(root, rests_on(found, incoming, concluding, root))]
        on_path = {root: 0}
        while path:
            node, ahead = path[-1]
            following = next(ahead, None)
            if following is None:
                path.pop()
                del on_path[node]
                done.add(node)
                order.append(node)
            elif following in on_path:
                circles.append(tuple(entry for entry, _ in path[on_path[following] :]))
            elif following not in done:
                on_path[following] = len(path)
                path.append((following, rests_on(found, incoming, concluding, following)))
    return tuple(order), tuple(circles)
