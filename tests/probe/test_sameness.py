"""Lists whose members all get one answer."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import sleuth

MEMBERS = 7


class Lists(nn.Module):
    """Scores the members of a list, each together with a summary of all."""

    def __init__(self, joined: Callable[[Tensor, Tensor], Tensor], quiet: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.joined = joined
        self.inner, self.head = nn.Linear(5, 16), nn.Linear(16, 1)
        if quiet:
            nn.init.zeros_(self.head.weight)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.inner(x))
        summary = h.mean(1, keepdim=True).expand_as(h)
        said: Tensor = self.head(self.joined(h, summary)).squeeze(-1)
        return said


def ceilings(model: nn.Module, batch: tuple[Tensor, Tensor], loss: nn.Module) -> list[Any]:
    report = sleuth.probe(model, batch, loss, memorise=False)
    return [finding for finding in report.findings if finding.cause == "structural-ceiling"]


def batch(choice: bool = False) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(24, MEMBERS, 5, generator=generator)
    return x, x[..., 0].argmax(1) if choice else x[..., 0] + 0.1 * x[..., 1]


def alone(h: Tensor, summary: Tensor) -> Tensor:
    return summary


def beside(h: Tensor, summary: Tensor) -> Tensor:
    return h + summary


@pytest.mark.parametrize("choice", [False, True])
def test_a_summary_in_place_of_its_members_is_found_where_it_is_spread(choice: bool) -> None:
    loss = nn.CrossEntropyLoss() if choice else nn.MSELoss()
    (found,) = ceilings(Lists(alone), batch(choice), loss)
    assert found.numbers["members"] == MEMBERS
    assert found.where.line == Lists.forward.__code__.co_firstlineno + 2
    assert not ceilings(Lists(beside), batch(choice), loss)


def test_members_may_get_one_answer_where_one_is_wanted_or_before_training() -> None:
    x, y = batch()
    level = y.mean(1, keepdim=True).expand_as(y).contiguous()
    assert not ceilings(Lists(alone), (x, level), nn.MSELoss())  # the target is one for all
    same = x[:, :1].expand_as(x).contiguous()
    assert not ceilings(Lists(beside), (same, y), nn.MSELoss())  # the members are copies of each other
    assert not ceilings(_Persistent(), (x, y), nn.MSELoss())  # a correction that starts at zero


class _Persistent(Lists):
    def __init__(self) -> None:
        super().__init__(beside, quiet=True)

    def forward(self, x: Tensor) -> Tensor:
        return x[:, :1, 0] + super().forward(x)
