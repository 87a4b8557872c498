"""Losses that ask two answers of one network to agree: of a picture and its mirror image, of two draws."""

from collections.abc import Iterable

from torch import Tensor

from sleuth.measure.forward import Op, Run, Use
from sleuth.measure.loss_terms import loss_value_behind, summands
from sleuth.measure.tensor_paths import graph_nodes, makers, reached_from


def mutual(run: Run, use: Use) -> bool:
    """Whether both sides may learn: the same weights speak on both, neither side is more than what they say,
    and another term of the loss keeps them from agreeing on a constant.

    A teacher has weights of its own, a predictor is on one side only, and a bootstrapped target holds
    rewards beside what the network says.
    """
    made = makers(run)
    agreements = [other for other in run.uses if _agrees(run, other, made)]
    if not any(other.value is use.value for other in agreements):
        return False
    return _another_goal(run, {id(other.value) for other in agreements}, _weights(use.input), made)


def _agrees(run: Run, use: Use, made: dict[int, Op]) -> bool:
    if not (use.input.requires_grad and use.target.requires_grad):
        return False
    said = {id(tensor) for tensor in run.outputs}
    plain = all(_only_said(side, said, made) for side in (use.input, use.target))
    return plain and _weights(use.input) == _weights(use.target)


def _only_said(tensor: Tensor, said: Iterable[int], made: dict[int, Op]) -> bool:
    """Whether a tensor is made of outputs of the model and of numbers, and of nothing else."""
    todo, seen = [tensor], set[int]()
    while todo:
        tensor = todo.pop()
        if id(tensor) in seen or id(tensor) in said or tensor.numel() == 1:
            continue
        seen.add(id(tensor))
        op = made.get(id(tensor))
        if op is None or not op.outside:
            return False
        todo.extend(op.inputs)
    return True


def _weights(tensor: Tensor) -> frozenset[int]:
    leaves = (getattr(node, "variable", None) for node in graph_nodes(tensor))
    return frozenset(id(leaf) for leaf in leaves if leaf is not None)


def _another_goal(run: Run, agreements: set[int], weights: frozenset[int], made: dict[int, Op]) -> bool:
    """Whether a further term asks something of what the same weights say; a penalty on them asks nothing."""
    heard = reached_from(run, run.outputs)
    return any(
        id(loss_value_behind(term, made)) not in agreements
        and id(term) in heard
        and bool(_weights(term) & weights)
        for term in summands(run)
    )
