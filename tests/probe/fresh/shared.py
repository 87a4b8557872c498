# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""What the subjects share: the shelf they stand on, and models that several use."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

Made = dict[str, Any]
FRESH: dict[str, tuple[frozenset[str], Callable[[], Made]]] = {}


def answer(*causes: str) -> Callable[[Callable[[], Made]], Callable[[], Made]]:
    """The right answer; several names where each would be true. None for a healthy subject."""

    def keep(make: Callable[[], Made]) -> Callable[[], Made]:
        def seeded() -> Made:
            torch.manual_seed(11)
            return make()

        FRESH[make.__name__] = (frozenset(causes), seeded)
        return seeded

    return keep


def adam(model: nn.Module, lr: float = 1e-3) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=lr)


def sgd(model: nn.Module, lr: float = 0.01) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr)


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.a, self.b = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.b(self.two(F.relu(self.a(self.one(x))))))


class Resnet(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.body = nn.Sequential(Residual(16), nn.MaxPool2d(2), Residual(16))
        self.head = nn.Linear(16, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.stem(x)).mean((2, 3)))


def table(rows: int = 64, width: int = 10) -> tuple[Tensor, Tensor]:
    x = torch.randn(rows, width)
    return x, x[:, :3].sum(1) + 0.3 * torch.randn(rows)


class Flat(nn.Module):
    def __init__(self, squeeze: bool, width: int = 10) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, 32), nn.SiLU(), nn.Linear(32, 1))
        self.squeeze = squeeze

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x).squeeze(-1) if self.squeeze else self.body(x)
