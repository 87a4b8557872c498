"""Takes a loss apart where a script calls backward: the terms it is a sum of, by their names in sight."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    Spot = tuple[Any, int]  # a node of the graph and which of its results

MOST_NODES = 20_000  # of the sum that are followed; a loss summed over more is one term
REST = "the rest"  # of the loss: what no tensor in sight stands for
# Operations whose result is a weighted sum of their inputs; products and quotients only by a constant.
SUMS = frozenset(
    "Add Sub Neg Sum Mean Stack Cat View Unsqueeze Squeeze ReshapeAlias ToCopy Clone Alias Expand".split()
)


@dataclass(frozen=True, eq=False)
class Terms:
    """The metric's own part of the loss, the others, and the tensors at which each can be cut off."""

    own: str
    loss: "Tensor"
    rivals: dict[str, "Tensor"]
    switches: dict[str, tuple["Tensor", ...]]

    def switch_off(self, name: str) -> bool:
        """Let no gradient through a term, from the next backward on; False when it is not there."""
        import torch

        for tensor in self.switches.get(name, ()):
            tensor.register_hook(torch.zeros_like)  # type: ignore[no-untyped-call]
        return name in self.switches


def take_apart(loss: "Tensor", metric: "Tensor", scalars: Mapping[str, "Tensor"]) -> Terms:
    """`scalars` are the tensors in sight; those that the loss is a weighted sum of become its terms.

    A term counts with the weight it has in the loss. The metric's own terms are those it leads to; when it
    leads to none, the loss as a whole is asked about, and is found not to care.
    """
    chosen, left_over = _chosen(loss, metric, scalars)
    parts = {name: _weight(loss, tensor) * tensor.reshape(()) for name, tensor in chosen.items()}
    roots = {name: [tensor.grad_fn] for name, tensor in chosen.items()}
    if parts and left_over:
        parts[REST] = loss - sum(parts.values())
        roots[REST] = [node for node, _ in left_over]
    mine = [name for name in parts if _leads(metric, roots[name])]
    if not mine or len(mine) == len(parts):
        return Terms("loss", loss.reshape(()), {}, {"loss": (metric,)})
    own = " + ".join(mine)
    total = sum((parts[name] for name in mine[1:]), parts[mine[0]])
    rivals = {name: part for name, part in parts.items() if name not in mine}
    switches = {name: (tensor,) for name, tensor in chosen.items() if name in rivals}
    cuts = (metric,) if REST in mine else tuple(chosen[name] for name in mine)
    return Terms(own, total, rivals, {own: cuts, **switches})


def _chosen(
    loss: "Tensor", metric: "Tensor", scalars: Mapping[str, "Tensor"]
) -> tuple[dict[str, "Tensor"], "frozenset[Spot]"]:
    """The finest tensors in sight that do not overlap, and what they leave over of the loss."""
    leaves = _leaves(_spot(loss))
    known = {name: leaves[_spot(one)] for name, one in scalars.items() if _spot(one) in leaves}
    chosen, covered = {}, set[Any]()
    for name in sorted(known, key=lambda name: (scalars[name] is not metric, len(known[name]))):
        if scalars[name] is not loss and not known[name] & covered:
            chosen[name] = scalars[name]
            covered |= known[name]
    in_order = {name: tensor for name, tensor in scalars.items() if name in chosen}
    return in_order, leaves[_spot(loss)] - covered


def _leaves(root: "Spot") -> "dict[Spot, frozenset[Spot]]":
    """Every spot of the sum, with the spots at its bottom that it is a sum of."""
    found: dict[Spot, frozenset[Spot]] = {}
    waiting = [root]
    while waiting:
        spot = waiting[-1]
        inputs = list(_inputs(spot)) if len(waiting) + len(found) < MOST_NODES else []
        missing = [one for one in inputs if one not in found]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        found[spot] = frozenset().union(*(found[one] for one in inputs)) if inputs else frozenset((spot,))
    return found


def _inputs(spot: "Spot") -> "Iterator[Spot]":
    """What a spot is a weighted sum of; nothing when it is a term of its own."""
    node = spot[0]
    kind = node.name().partition("Backward")[0]
    before = [(one, number) for one, number in node.next_functions if one is not None]
    scaled = kind == "Mul" or (kind == "Div" and node.next_functions[0][0] is not None)
    if kind in SUMS or (scaled and len(before) == 1):
        yield from before


def _spot(tensor: "Tensor") -> "Spot":
    return tensor.grad_fn, tensor.output_nr


def _weight(loss: "Tensor", term: "Tensor") -> "Tensor":
    import torch

    found = torch.autograd.grad(loss, term, retain_graph=True, allow_unused=True)[0]
    return torch.zeros(()) if found is None else found.detach().reshape(())


def _leads(metric: "Tensor", roots: list[Any]) -> bool:
    """Whether the graph below some nodes has the metric in it."""
    seen: set[Any] = set()
    waiting = list(roots)
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is metric.grad_fn:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return False
