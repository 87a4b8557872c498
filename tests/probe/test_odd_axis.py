"""Log-probabilities over another axis than that of the classes."""

import pytest
import torch
from torch import Tensor, nn

import sleuth


class Tagger(nn.Module):
    def __init__(self, axis: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.axis, self.score = axis, nn.Conv1d(4, 3, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.score(x).log_softmax(self.axis)  # type: ignore[no-any-return]


def said(axis: int, length: int = 10) -> list[sleuth.Finding]:
    x = torch.randn(12, 4, length, generator=torch.Generator().manual_seed(1))
    report = sleuth.probe(Tagger(axis), (x, x[:, :3].argmax(1)), nn.NLLLoss(), memorise=False)
    return [f for f in report.findings if f.cause == "softmax-wrong-dim" and f.severity == "error"]


@pytest.mark.parametrize("axis", [-1, 2])
def test_places_that_compete_are_found_where_it_is_done(axis: int) -> None:
    (found,) = said(axis)
    assert found.where is not None
    assert found.where.line == Tagger.forward.__code__.co_firstlineno + 1


def test_classes_that_compete_are_right() -> None:
    assert not said(1)
    assert not said(1, length=3)
