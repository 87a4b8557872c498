"""Question 2: can the parameters move the metric? By autograd, by moving them, by the Jacobian's span."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sleuth.stuck_metric.case import Case, flat, gradients, put, restored

if TYPE_CHECKING:
    from torch import Generator, Tensor

# Changing every parameter by its own size moves the metric by a hundred-thousandth of itself: float32 noise.
NO_SLOPE = 1e-5
STEPS = (1e-4, 1e-3, 1e-2)  # of the parameters' norm, for the finite differences
LIES = 0.1  # the metric really moves by less than this share of what its slope promises
REDRAWS = 6  # strong perturbations
MOVED = 1e-3  # the relative change of the metric that counts as movement
ENTRIES = 512  # of a vector metric that enter the rank test; the most wanted ones
SKETCH = 4096  # columns the Jacobian is folded into: random signs keep its span when the rank is smaller
UNREACHABLE = 0.05  # share of the wanted direction in the span below which it is out of reach


@dataclass(frozen=True)
class Reach:
    """The metric's answer to the parameters; None where a check needs the metric as a function.

    `relative` is the slope in units of metric and parameters; `promised` and `measured` are the slope along
    the best direction, by autograd and by finite differences; `redrawn` is the largest relative change of the
    metric when the parameters are perturbed strongly; `in_span` is the share of the wanted direction that the
    Jacobian can express, `rank` of `entries` its dimension.
    """

    has_graph: bool
    layers: dict[str, float]
    relative: float
    promised: float
    measured: float | None
    redrawn: float | None
    in_span: float
    rank: int
    entries: int
    condition: float | None
    unchecked: str = ""  # why nothing was measured

    @property
    def lies(self) -> bool:
        """Whether the metric does not do what its own slope says."""
        return self.measured is not None and self.relative > NO_SLOPE and self.measured < LIES * self.promised

    @property
    def moves(self) -> bool:
        return self.relative > NO_SLOPE and not self.lies and self.in_span >= UNREACHABLE

    def to_dict(self) -> dict[str, Any]:
        return {
            "question": "can the parameters move it?",
            "moves": self.moves,
            "lies": self.lies,
            **asdict(self),
        }


def reach(case: Case, wanted: "Tensor | None") -> Reach:
    """How the metric answers to the parameters, along the direction in which the loss wants it to go."""
    import torch

    tensors = case.trainable()
    aim = _direction(case, wanted)
    score = (case.metric.reshape(-1) * aim.to(case.metric.dtype)).sum()
    slopes = gradients(score, tensors)
    scale, size = _sizes(case)
    promised = float(flat(slopes).norm())
    in_span, rank, entries, condition = span(case, aim)
    with restored(tensors):
        measured = None if case.again is None else _really(case, slopes, aim, promised, size)
        redrawn = None if case.again is None else _redrawn(case, aim, scale)
    return Reach(
        has_graph=case.metric.requires_grad,
        layers={name: float(torch.linalg.vector_norm(slope.double())) for name, slope in slopes.items()},
        relative=promised * size / scale,
        promised=promised,
        measured=measured,
        redrawn=redrawn,
        in_span=in_span,
        rank=rank,
        entries=entries,
        condition=condition,
        unchecked="" if case.again is not None else case.only_once,
    )


def span(case: Case, aim: "Tensor") -> tuple[float, int, int, float | None]:
    """The rank test: share of `aim` in the span of d metric / d parameters, rank, entries used, condition."""
    import torch

    if not case.metric.requires_grad:
        return 0.0, 0, case.metric.numel(), None
    chosen = aim.abs().argsort(descending=True)[:ENTRIES]
    rows = _jacobian(case, chosen.tolist())
    part = aim[chosen] / aim[chosen].norm()
    left, sizes, _ = torch.linalg.svd(rows, full_matrices=False)
    scale, size = _sizes(case)
    rounding = max(rows.shape) * torch.finfo(case.metric.dtype).eps * float(sizes[0])
    alive = sizes > max(rounding, NO_SLOPE * scale / size)
    rank = int(alive.sum())
    if not rank or not float(sizes[0]):
        return 0.0, 0, len(chosen), None
    share = float((left[:, alive].T @ part).norm() ** 2)
    return min(share, 1.0), rank, len(chosen), float(sizes[0] / sizes[alive][-1])


def _sizes(case: Case) -> tuple[float, float]:
    """The norms of the metric and of all trainable parameters; one where they are zero."""
    whole = flat({name: tensor.detach() for name, tensor in case.trainable().items()})
    return float(case.metric.detach().double().norm()) or 1.0, float(whole.norm()) or 1.0


def _direction(case: Case, wanted: "Tensor | None") -> "Tensor":
    """A unit vector: against the loss's slope by the metric, or all entries alike when there is no slope."""
    import torch

    entries = case.metric.numel()
    even = torch.full((entries,), 1 / math.sqrt(entries), dtype=torch.float64)
    if wanted is None:
        return even
    aim = -wanted.detach().double().reshape(-1).cpu()
    return aim / aim.norm() if float(aim.norm()) > 0 else even


def _jacobian(case: Case, rows: list[int]) -> "Tensor":
    """One row an entry of the metric; many columns are folded with random signs."""
    import torch

    tensors = case.trainable()
    count = sum(tensor.numel() for tensor in tensors.values())
    entries = case.metric.reshape(-1)
    fold = None
    if count > SKETCH:
        source = torch.Generator().manual_seed(0)
        fold = torch.randint(SKETCH, (count,), generator=source)
        signs = torch.randint(2, (count,), generator=source).double() * 2 - 1
    lines = []
    for row in rows:
        line = flat(gradients(entries[row], tensors)).cpu()
        lines.append(
            line
            if fold is None
            else torch.zeros(SKETCH, dtype=torch.float64).index_add_(0, fold, line * signs)
        )
    return torch.stack(lines)


def _really(case: Case, slopes: dict[str, "Tensor"], aim: "Tensor", promised: float, size: float) -> float:
    """The slope along the steepest direction by central differences: the step nearest the promise."""
    if not promised:
        return 0.0
    tensors = case.trainable()
    start = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    found = []
    for step in STEPS:
        ends = []
        for sign in (1, -1):
            shift = sign * step * size / promised
            put(tensors, {name: start[name] + shift * slope for name, slope in slopes.items()})
            ends.append(float(case.measured().cpu() @ aim))
        found.append((ends[0] - ends[1]) / (2 * step * size))
    put(tensors, start)
    finite = [slope for slope in found if math.isfinite(slope)]
    return min(finite, key=lambda slope: abs(slope - promised), default=0.0)


def _redrawn(case: Case, aim: "Tensor", scale: float) -> float:
    """The largest change along the wanted direction when each parameter is shaken by its own size."""
    import torch

    tensors = case.trainable()
    start = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    here, source = case.measured(), torch.Generator().manual_seed(0)
    largest = 0.0
    for _ in range(REDRAWS):
        put(tensors, {name: tensor + _noise(tensor, source) for name, tensor in start.items()})
        change = abs(float((case.measured() - here).cpu() @ aim)) / scale
        largest = max(largest, change) if math.isfinite(change) else largest
    return largest


def _noise(tensor: "Tensor", source: "Generator") -> "Tensor":
    import torch

    width = float(tensor.double().pow(2).mean().sqrt()) or 1.0
    return width * torch.randn(tensor.shape, generator=source).to(tensor)
