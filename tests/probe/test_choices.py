"""Classifiers whose answers do not depend on what they learn."""

import pytest
import torch
from torch import Tensor, nn

import sleuth

CLASSES = 4


class Scaled(nn.Module):
    """Scores from fixed prototypes, and a network that scales them: by one number a row, or one a class."""

    def __init__(self, gains: int, hidden: int = 16) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("prototypes", torch.randn(CLASSES, 6))
        self.net = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, gains), nn.Softplus())

    def forward(self, x: Tensor) -> Tensor:
        gain = self.net(x)
        return gain * (x @ self.prototypes.T + 8)  # type: ignore[operator, no-any-return]


class Temperature(nn.Module):
    """One number for all rows, fitted after training: the answers are meant to stay."""

    def __init__(self) -> None:
        super().__init__()
        self.log = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return (x[:, :CLASSES] + 8) / self.log.exp()


def said(model: nn.Module) -> list[sleuth.Finding]:
    x = torch.randn(40, 6, generator=torch.Generator().manual_seed(3))
    report = sleuth.probe(model, (x, x[:, :CLASSES].argmax(1)), nn.CrossEntropyLoss(), memorise=False)
    return [f for f in report.findings if f.cause == "structural-ceiling" and f.severity != "note"]


def test_one_factor_a_row_changes_no_answer() -> None:
    (found,) = said(Scaled(1))
    assert found.numbers["rows"] == 40
    assert found.where is not None
    assert found.where.line == Scaled.forward.__code__.co_firstlineno + 2


@pytest.mark.parametrize("model", [Scaled(CLASSES), Temperature(), nn.Linear(6, CLASSES)])
def test_what_can_change_answers_or_is_not_meant_to_is_left_alone(model: nn.Module) -> None:
    assert not said(model)


class Matched(nn.Module):
    """Rows that are to find themselves among the others: each is nearest to itself at any weights."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Linear(6, 16)

    def forward(self, x: Tensor) -> Tensor:
        z = nn.functional.normalize(self.net(x), dim=1)
        return 5 * z @ z.T


def test_rows_that_find_themselves_answer_no_class() -> None:
    x = torch.randn(40, 6, generator=torch.Generator().manual_seed(3))
    report = sleuth.probe(Matched(), (x, torch.arange(40)), nn.CrossEntropyLoss(), memorise=False)
    assert not [f for f in report.findings if f.cause == "structural-ceiling" and f.severity != "note"]
