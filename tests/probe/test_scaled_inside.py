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


class Recurrent(nn.Module):
    """Whatever goes in, its states lie between -1 and 1."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(5, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.head(self.rnn(x)[0][:, -1])
        return found


@pytest.mark.parametrize(("size", "told"), [(300.0, True), (1.0, False)])
def test_a_recurrent_layer_does_not_hide_what_it_was_given(size: float, told: bool) -> None:
    torch.manual_seed(0)
    x, y = size * torch.randn(64, 12, 5), torch.randn(64, 1)
    found = sleuth.probe(Recurrent(), (x, y), nn.functional.mse_loss, quick=True)
    assert ("inputs-unnormalized" in named(found)) is told


class Pooled(nn.Module):
    """Mean over the places that a mask marks."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(5, 16), nn.Linear(16, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        kept = torch.relu(self.body(x)) * mask.unsqueeze(-1)
        found: Tensor = self.head(kept.sum(1) / mask.sum(1, keepdim=True))
        return found


@pytest.mark.parametrize(("empty", "told"), [(False, False), (True, True)])
def test_a_mask_that_always_marks_something_is_not_blanked(empty: bool, told: bool) -> None:
    torch.manual_seed(0)
    mask = (torch.rand(64, 8) > 0.3).float()
    mask[:, 0] = 1.0
    if empty:
        mask = 0.5 * mask - 0.1  # weights that may as well be nothing
    batch = {"x": torch.randn(64, 8, 5), "mask": mask, "y": torch.randn(64, 1)}

    def step(model: nn.Module, given: dict[str, Tensor]) -> Tensor:
        return nn.functional.mse_loss(model(given["x"], given["mask"]), given["y"])

    found = sleuth.probe(Pooled(), batch, step=step)
    assert ("unsafe-log-div" in named(found)) is told
