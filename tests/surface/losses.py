"""Losses as a user might write them; the command line reads this file."""

import torch
from torch import Tensor


def barrier(distance: Tensor, margin: float = 1.0) -> Tensor:
    """Keeps things apart, but never complains by more than 1."""
    return torch.relu(margin - distance).clamp(max=1.0)


def soft_barrier(distance: Tensor, margin: float = 1.0) -> Tensor:
    return torch.nn.functional.softplus(margin - distance)


def product(a: Tensor, b: Tensor) -> Tensor:
    return 1 - a * b


def terms(a: Tensor, b: Tensor, weight: float) -> dict[str, Tensor]:
    return {"fit": (1.5 * a - b) ** 2, "reg": weight * (a**2 + b**2)}


def pole(p: Tensor) -> Tensor:
    return -torch.log(p)


class Squared(torch.nn.Module):
    def forward(self, error: Tensor) -> Tensor:
        return error**2


class Needy(torch.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()


constant = 3
