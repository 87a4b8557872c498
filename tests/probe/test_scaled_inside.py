"""Inputs are judged where the first weights meet them, not where the batch is made."""

import pytest
import torch
from torch import Tensor, nn

import sleuth


class Scaled(nn.Module):
    """Brings its inputs to an ordinary size itself, or does not."""

    def __init__(self, columns: int, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.body = nn.Sequential(nn.Linear(columns, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.body(x / self.scale)
        return found


def named(report: "sleuth.ProbeReport") -> set[str]:
    return {finding.cause for finding in report.findings if finding.severity != "note"}


@pytest.mark.parametrize(("scale", "told"), [(1.0, True), (300.0, False)])
def test_large_inputs_that_the_model_scales_are_no_trouble(scale: float, told: bool) -> None:
    torch.manual_seed(0)
    x, y = 300 * torch.randn(64, 5), torch.randn(64, 1)
    found = sleuth.probe(Scaled(5, scale), (x, y), nn.functional.mse_loss, quick=True)
    assert ("inputs-unnormalized" in named(found)) is told
