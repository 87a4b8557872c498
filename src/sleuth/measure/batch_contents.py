"""What is in the batch, tensor by tensor, and which part plays which role."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from sleuth.measure import batches
from sleuth.measure.forward import Run
from sleuth.measure.tensor_paths import reached_from
from sleuth.torch_losses import OF_PREDICTIONS

MOST_FEATURES = 64  # kept in reports; statistics are taken over all of them
MOST_DISTINCT = 100
LAYERS = frozenset({"linear", "conv1d", "conv2d", "conv3d", "embedding", "matmul"})
PRODUCTS = LAYERS | {"einsum", "mm", "bmm", "mv", "addmm", "baddbmm", "tensordot", "__rmatmul__"}
LOOK = 4  # examples shown to a person


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """One tensor of the batch. Numbers are over finite values; features are what is left without axis 0."""

    name: str
    role: str
    shape: tuple[int, ...]
    dtype: str
    minimum: float
    maximum: float
    mean: float
    std: float
    nonfinite: int
    nonfinite_at: str
    features: int
    constant_features: int
    means: tuple[float, ...]
    stds: tuple[float, ...]
    widest: float
    narrowest: float
    farthest: float
    top_value: float
    top_share: float
    distinct: int | None
    whole: bool
    looks: str
    sample: tuple[Any, ...]

    @property
    def floating(self) -> bool:
        return "float" in self.dtype

    @property
    def examples(self) -> int:
        return self.shape[0] if self.shape else 1


@dataclass(frozen=True, slots=True)
class Data:
    """The batch in numbers."""

    examples: int
    tensors: tuple[TensorFacts, ...]

    @property
    def inputs(self) -> tuple[TensorFacts, ...]:
        return tuple(part for part in self.tensors if part.role in ("input", "both"))

    @property
    def targets(self) -> tuple[TensorFacts, ...]:
        return tuple(part for part in self.tensors if part.role in ("target", "both"))

    def may_be_constant(self, part: TensorFacts) -> bool:
        """Beside an input that varies: masks, segments and positions (sentences of one length have such), one
        number for each example (a reward, a weight), and a table of which rows belong together."""
        varying = [
            other
            for other in self.inputs
            if other is not part
            and other.constant_features < other.features
            and (other.distinct is None or other.distinct > 2)
        ]
        yes_or_no = part.whole and part.minimum >= 0 and part.maximum <= 1
        pairs = part.shape[-2:] == (self.examples, self.examples)
        return bool(varying) and (yes_or_no or not part.floating or part.features <= 1 or pairs)


def describe(batch: Any, roles: Mapping[str, str]) -> Data:
    found = tuple(
        tensor_facts(name, tensor, roles.get(name, "input")) for name, tensor in batches.leaves(batch)
    )
    return Data(batches.size(batch), found)


def guessed_roles(batch: Any) -> dict[str, str]:
    """Roles by position and by name, for when the model cannot be run."""
    _, target = batches.parted(batch)
    wanted = {id(tensor) for _, tensor in batches.leaves(target)} if target is not None else set()
    return {name: "target" if id(t) in wanted else "input" for name, t in batches.leaves(batch)}


def seen_roles(batch: Any, run: Run) -> dict[str, str]:
    """Roles by what happened: an input reached a module, a target met its result outside."""
    entering = {id(t) for call in run.calls if call.outermost for t in call.inputs}
    if not entering:
        return _roles_without_module(batch, run)
    roles = {name: _role(tensor, run, entering) for name, tensor in batches.leaves(batch)}
    if "target" not in roles.values():  # what a step reads as plain numbers leaves no trace; a target may
        idle = [name for name, role in roles.items() if role == "unused"]
        roles |= dict.fromkeys(idle[:1], "target")
    return roles


def _roles_without_module(batch: Any, run: Run) -> dict[str, str]:
    """Weights that are bare tensors: an input is multiplied by something, a target only compared."""
    roles: dict[str, str] = {}
    for name, tensor in batches.leaves(batch):
        views = _views(run, tensor)
        multiplied = any(op.name in PRODUCTS for op in run.ops if any(id(t) in views for t in op.inputs))
        compared = id(run.loss) in reached_from(run, [tensor])
        roles[name] = "input" if multiplied else "target" if compared else "unused"
    return roles if {"input", "target"} <= set(roles.values()) else guessed_roles(batch)


def _role(tensor: Tensor, run: Run, entering: set[int]) -> str:
    views = _views(run, tensor)
    reached = reached_from(run, [tensor])
    inside = bool(reached & entering)
    wanted = any(id(use.target) in views for use in run.uses)
    if wanted and inside:  # a model that computes its own loss is given the target like an input
        return "both" if _consumed(run, views) else "target"
    if inside:
        return "input"
    return "target" if wanted or id(run.loss) in reached else "unused"


def _views(run: Run, tensor: Tensor) -> set[int]:
    """ids of the tensor and of what is made of it alone: slices, conversions, masks."""
    found = {id(tensor)}
    for op in run.ops:
        if op.inputs and id(op.inputs[0]) in found and len(op.inputs) == 1 and op.name not in LAYERS:
            found.update(id(made) for made in op.outputs)
    return found


def _consumed(run: Run, views: set[int]) -> bool:
    """Whether something other than a loss computes with the values."""
    return any(
        len(op.inputs) > 1
        and op.name not in OF_PREDICTIONS
        and any(id(given) in views for given in op.inputs)
        for op in run.ops
    )


def tensor_facts(name: str, tensor: Tensor, role: str) -> TensorFacts:
    values = tensor.detach()
    numbers = values.float() if not values.is_floating_point() else values
    finite = torch.isfinite(numbers)
    bad = int((~finite).sum())
    clean = torch.where(finite, numbers, torch.zeros_like(numbers)) if bad else numbers
    known = clean[finite] if bad else clean.reshape(-1)
    rows = clean.reshape(len(clean), -1) if clean.dim() > 1 else clean.reshape(-1, 1)
    means, stds = rows.mean(0), rows.std(0, unbiased=False)
    kinds = torch.unique(known[:200_000])
    top_value, top_share = _most_common(known)
    return TensorFacts(
        name=name or "batch",
        role=role,
        shape=tuple(values.shape),
        dtype=str(values.dtype).removeprefix("torch."),
        minimum=float(known.min()) if known.numel() else 0.0,
        maximum=float(known.max()) if known.numel() else 0.0,
        mean=float(known.mean()) if known.numel() else 0.0,
        std=float(known.std(unbiased=False)) if known.numel() else 0.0,
        nonfinite=bad,
        nonfinite_at=str(tuple((~finite).nonzero()[0].tolist())) if bad else "",
        features=rows.shape[1],
        constant_features=int((rows == rows[:1]).all(0).sum()),
        means=tuple(means[:MOST_FEATURES].tolist()),
        stds=tuple(stds[:MOST_FEATURES].tolist()),
        widest=float(stds.max()) if stds.numel() else 0.0,
        narrowest=_smallest_positive(stds),
        farthest=float((means**2 + stds**2).sqrt().max()) if means.numel() else 0.0,
        top_value=top_value,
        top_share=top_share,
        distinct=len(kinds) if len(kinds) <= MOST_DISTINCT else None,
        whole=bool((known == known.round()).all()),
        looks=_looks(values),
        sample=tuple(_plain(example) for example in clean[:LOOK]) if clean.dim() else (),
    )


def _smallest_positive(values: Tensor) -> float:
    positive = values[values > 0]
    return float(positive.min()) if positive.numel() else 0.0


def _most_common(known: Tensor) -> tuple[float, float]:
    if not known.numel():
        return 0.0, 0.0
    value = known[:100_000].mode().values
    return float(value), float((known == value).float().mean())


def _looks(values: Tensor) -> str:
    """image, tokens, table, sequence or values: what a person would want to look at."""
    if not values.is_floating_point() and values.dtype != torch.uint8:
        return "tokens" if values.dim() == 2 else "values"
    if values.dim() == 4 and values.shape[1] in (1, 3) and min(values.shape[2:]) >= 4:
        return "image"
    if values.dim() == 3:
        return "sequence"
    return "table" if values.dim() == 2 else "values"


def _plain(example: Tensor) -> Any:
    """An example small enough to print: images are thinned to at most 32 by 32."""
    if example.dim() == 3 and example.shape[0] in (1, 3):
        step = max(1, -(-max(example.shape[1:]) // 32))
        example = example[:, ::step, ::step]
    elif example.numel() > 64:
        example = example.reshape(-1)[:64]
    return example.tolist()
