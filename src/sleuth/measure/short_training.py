"""A short training beside the user's own weights: Adam's pace without Adam's memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from sleuth.measure.large_tensors import ENTRIES

LITTLE, MUCH = 0.9, 0.999  # how much is remembered from step to step, of gradients and of their squares
FADING = 0.99  # the same for squares of rows and columns, which are means of many already
LARGEST = 1.0  # root mean square of a step over the rate (Shazeer & Stern 2018, section 6)
TINY = 1e-30


@dataclass(eq=False)
class Stepper:
    """Divides gradients by their usual size: Adam for small weights, and a thriftier rule for large ones.

    Adam keeps twice the model; a probe that is to fit beside a training run cannot. The usual size is then
    remembered per row and per column (Shazeer & Stern 2018, section 3). Without `adaptive` it is plain
    gradient descent.
    """

    weights: Sequence[Tensor]
    adaptive: bool = True
    usual: dict[int, tuple[Tensor, ...]] = field(default_factory=dict)
    steps: int = 0

    @torch.no_grad()
    def step(self, slopes: Sequence[Tensor | None], rate: float) -> None:
        """Move the weights."""
        self.steps += 1
        for number, (weight, slope) in enumerate(zip(self.weights, slopes, strict=True)):
            if slope is None:
                continue
            slope = slope.to_dense() if slope.is_sparse else slope
            weight.add_(self._scaled(number, slope) if self.adaptive else slope, alpha=-rate)

    def _scaled(self, number: int, slope: Tensor) -> Tensor:
        if slope.numel() <= ENTRIES or slope.dim() < 2:
            return self._by_entry(number, slope)
        return self._by_table(number, slope.reshape(len(slope), -1)).reshape(slope.shape)

    def _by_entry(self, number: int, slope: Tensor) -> Tensor:
        mean, square = self.usual.setdefault(number, (torch.zeros_like(slope), torch.zeros_like(slope)))
        mean.lerp_(slope, 1 - LITTLE)
        square.lerp_(slope * slope, 1 - MUCH)
        size = (square / (1 - MUCH**self.steps)).sqrt_().add_(1e-8)
        return mean / (1 - LITTLE**self.steps) / size

    def _by_table(self, number: int, slope: Tensor) -> Tensor:
        now = [torch.linalg.vector_norm(slope, dim=axis) ** 2 / slope.shape[axis] for axis in (1, 0)]
        rows, columns = self.usual.setdefault(number, tuple(torch.zeros_like(part) for part in now))
        rows.lerp_(now[0], 1 - FADING)
        columns.lerp_(now[1], 1 - FADING)
        table = slope / (rows / (1 - FADING**self.steps)).sqrt().clamp(min=TINY**0.5)[:, None]
        table *= (rows.mean() / columns.clamp(min=TINY)).sqrt()
        size = torch.linalg.vector_norm(table) / table.numel() ** 0.5
        return table.div_((size / LARGEST).clamp(min=1.0))
