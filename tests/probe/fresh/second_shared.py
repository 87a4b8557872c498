# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Short forms for the second set."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from tests.probe.fresh.shared import Made, adam


def mlp(*widths: int, act: Any = nn.ReLU, tail: Any = ()) -> nn.Sequential:
    parts: list[nn.Module] = []
    for a, b in pairwise(widths):
        parts += [nn.Linear(a, b), act()]
    return nn.Sequential(*parts[:-1], *tail)


def made(model: nn.Module, batch: Any, loss: Any = None, **more: Any) -> Made:
    return {"model": model, "batch": batch, "loss_fn": loss, "optimizer": adam(model), **more}


def classes(n: int = 64, k: int = 4, width: int = 10) -> tuple[Tensor, Tensor]:
    x = torch.randn(n, width)
    return x, x[:, :k].argmax(1)
