"""Units that never fire, units in their flat tails, and how the scale changes with depth."""

from dataclasses import dataclass

from torch import Tensor

from sleuth.finding import Where
from sleuth.measure.forward import Op, Run
from sleuth.measure.large_tensors import all_alike, largest_of, share, size_of
from sleuth.measure.tensor_paths import LAYOUT_OPS, makers, same_values

RECTIFIERS = frozenset({"relu", "relu6", "threshold"})
SIGMOIDS = frozenset({"tanh", "sigmoid", "hardtanh"})
LAYERS = frozenset({"linear", "addmm", "conv1d", "conv2d", "conv3d", "bilinear"})
PRODUCTS = frozenset({"matmul", "mm", "rmatmul"})
_CHANNELS_FIRST = frozenset({"conv1d", "conv2d", "conv3d", "batch_norm", "instance_norm", "group_norm"})

# The tails: beyond this a tanh passes less than 6% of the gradient, a sigmoid less than 3% (of at most 25%).
TANH_TAIL, SIGMOID_TAIL = 0.97, 0.03
FEWEST_TURNS = 8  # calls of one layer in a pass: a loop over time, not a layer that two branches share


@dataclass(frozen=True, slots=True)
class ActivationFacts:
    """One activation of one pass. A unit is a channel, or a feature of the last axis."""

    name: str
    where: Where
    units: int
    positions: int
    dead: float
    saturated: float
    final: bool
    inside: bool  # in a module, not in the step's own code


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Scale of what goes into and comes out of a weight layer. Spread is the standard deviation."""

    name: str
    where: Where
    size_in: float
    spread_out: float
    largest: float
    constant: bool
    follows_layer: bool
    depth: int  # weights on the way from the input to here, each counted once

    @property
    def gain(self) -> float:
        return self.spread_out / self.size_in if self.size_in > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Activations:
    units: tuple[ActivationFacts, ...]
    layers: tuple[LayerFacts, ...]
    input_size: float

    @property
    def turns(self) -> tuple[LayerFacts, ...]:
        """The calls of a layer that is gone through again and again, as over time; of several, of the one
        whose input grows most. Empty where such layers do not make up most of the model."""
        calls: dict[object, list[LayerFacts]] = {}
        for layer in self.layers:
            if layer.size_in > 0:
                calls.setdefault((layer.where.module, layer.where.line), []).append(layer)
        loops = [found for found in calls.values() if len(found) >= FEWEST_TURNS]
        if not loops or 2 * sum(map(len, loops)) < len(self.layers):
            return ()
        steepest = max(loops, key=_growth)
        return tuple(steepest)


def _growth(turns: list[LayerFacts]) -> float:
    return turns[-1].size_in / turns[0].size_in


def read(run: Run) -> Activations:
    made = makers(run)
    final: set[int] = set()
    for tensor in run.outputs:
        final |= same_values(tensor, made)
    final -= _used_inside(run)  # what the model goes on with is no end, though it is given out as well
    units = [_unit(op, made, final) for op in run.ops if op.name in RECTIFIERS | SIGMOIDS and op.grad]
    depths = _depths(run)
    layers = [_layer(op, made, depths[id(op)]) for op in run.ops if _is_layer(op)]
    entering = [t for call in run.calls if call.outermost for t in call.inputs if t.is_floating_point()]
    size = max((size_of(t.detach()) for t in entering), default=0.0)
    return Activations(tuple(units), tuple(layers), size)


def _used_inside(run: Run) -> set[int]:
    """ids of tensors that an operation inside the model computes with, as they are or in another layout."""
    same: dict[int, int] = {}
    used: set[int] = set()
    for op in run.ops:
        if op.outside:
            continue
        given = [same.get(id(tensor), id(tensor)) for tensor in op.inputs]
        if op.name in LAYOUT_OPS:
            same.update((id(tensor), given[0]) for tensor in op.outputs if given)
        else:
            used.update(given)
    return used


def _is_layer(op: Op) -> bool:
    if not op.grad or not op.outputs[0].is_floating_point():
        return False
    if op.name in LAYERS:
        return True
    return op.name in PRODUCTS and any(t.is_leaf and t.requires_grad for t in op.inputs)


def _unit(op: Op, made: dict[int, Op], final: set[int]) -> ActivationFacts:
    output = op.outputs[0].detach()
    axis = _unit_axis(op, made)
    units = output.shape[axis] if output.dim() else 1
    dead = float((_highest(output, axis) <= 0).float().mean()) if op.name in RECTIFIERS else 0.0
    return ActivationFacts(
        op.name,
        op.where,
        units,
        output.numel() // max(units, 1),
        dead,
        _saturated(op.name, output),
        id(op.outputs[0]) in final,
        not op.outside,
    )


def _highest(output: Tensor, axis: int) -> Tensor:
    """The largest value of each unit over all examples and places."""
    others = [other for other in range(output.dim()) if other != axis]
    return output.amax(others) if others and output.numel() else output


def _saturated(name: str, output: Tensor) -> float:
    if name in ("tanh", "hardtanh"):
        return share(output, lambda part: part.abs() > TANH_TAIL)
    if name == "sigmoid":
        return share(output, lambda part: (part < SIGMOID_TAIL) | (part > 1 - SIGMOID_TAIL))
    return 0.0


def _unit_axis(op: Op, made: dict[int, Op]) -> int:
    output = op.outputs[0]
    if output.dim() >= 4:
        return 1
    if output.dim() == 3:
        maker = made.get(id(op.inputs[0]))
        return 1 if maker is not None and maker.name in _CHANNELS_FIRST else 2
    return output.dim() - 1 if output.dim() else 0


def _depths(run: Run) -> dict[int, int]:
    """id of a weight layer's operation → how many different weights are stacked up to it.

    One layer called for two inputs, or two layers side by side, make no stack.
    """
    found: dict[int, int] = {}
    behind: dict[int, tuple[int, frozenset[int]]] = {}
    for op in run.ops:
        ways = [behind[id(t)] for t in op.inputs if id(t) in behind]
        depth = max((deep for deep, _ in ways), default=0)
        weights = frozenset().union(*(passed for _, passed in ways))
        if _is_layer(op):
            own = {id(t) for t in op.inputs if t.requires_grad and t.is_leaf and t.dim() > 1}
            depth += not own <= weights
            weights |= own
            found[id(op)] = depth
        behind.update((id(t), (depth, weights)) for t in op.outputs if depth)
    return found


def _layer(op: Op, made: dict[int, Op], depth: int) -> LayerFacts:
    given, output = op.inputs[0].detach().float(), op.outputs[0].detach().float()
    rows = output.reshape(len(output), -1) if output.dim() > 1 else output.reshape(1, -1)
    return LayerFacts(
        name=op.module or op.name,
        where=op.where,
        size_in=size_of(given),
        spread_out=float(output.std(unbiased=False)) if output.numel() else 0.0,
        largest=float(largest_of(output)),
        constant=len(rows) > 1 and all_alike(rows),
        follows_layer=_straight_from_layer(op.inputs[0], made),
        depth=depth,
    )


def _straight_from_layer(tensor: Tensor, made: dict[int, Op]) -> bool:
    """Whether nothing but layout, dropout or the addition of a bias lies between two weight layers."""
    for _ in range(12):
        op = made.get(id(tensor))
        if op is None:
            return False
        if _is_layer(op):
            return True
        bias = op.name == "add" and any(t.is_leaf and t.requires_grad for t in op.inputs)
        if op.name not in LAYOUT_OPS and op.name != "dropout" and not bias:
            return False
        tensor = op.inputs[0]
    return False


def dead_everywhere(runs: list[Run], number: int) -> float:
    """Share of units of the n-th rectifier that are zero in all these runs."""
    alive: Tensor | None = None
    for run in runs:
        made = makers(run)
        ops = [op for op in run.ops if op.name in RECTIFIERS]
        if number >= len(ops):
            return 0.0
        axis = _unit_axis(ops[number], made)
        fired = _highest(ops[number].outputs[0].detach(), axis) > 0
        alive = fired if alive is None else alive | fired
    return 0.0 if alive is None else float((~alive).float().mean())
