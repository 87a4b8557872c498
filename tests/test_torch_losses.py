"""What Sleuth knows of torch's losses, held against torch itself."""

import inspect

import pytest
import torch
from torch import nn
from torch.nn import functional

from sleuth.torch_losses import LOSSES, OF_YES_OR_NO, OVER_CLASSES, TorchLoss, cost_of_guessing

ROWS, CLASSES = 64, 7


@pytest.mark.parametrize("loss", LOSSES.values(), ids=list(LOSSES))
def test_a_loss_is_called_and_takes_what_torch_says(loss: TorchLoss) -> None:
    arguments = list(inspect.signature(getattr(functional, loss.function)).parameters)
    assert tuple(arguments[: len(loss.takes)]) == loss.takes
    assert loss.function in inspect.getsource(getattr(nn, loss.class_name).forward)


# These make the scores themselves: what goes in is no prediction.
WITH_A_LAYER = {"AdaptiveLogSoftmaxWithLoss", "LinearCrossEntropyLoss"}


def test_no_loss_of_torch_is_missing() -> None:
    classes = {name for name, kind in vars(nn).items() if name.endswith("Loss") and isinstance(kind, type)}
    known = {loss.class_name for loss in LOSSES.values()}
    assert classes - known <= WITH_A_LAYER


@pytest.mark.parametrize("function", sorted(OVER_CLASSES))
@pytest.mark.parametrize("weighted", [False, True])
def test_guessing_among_classes_costs_what_torch_says(function: str, weighted: bool) -> None:
    target = torch.randint(CLASSES, (ROWS,))
    weight = torch.rand(CLASSES) + 0.1 if weighted else None
    alike = torch.zeros(ROWS, CLASSES).log_softmax(1)
    cost = getattr(functional, function)(alike, target, weight=weight)
    assert cost.item() == pytest.approx(cost_of_guessing(function, CLASSES), rel=1e-4)


@pytest.mark.parametrize("function", sorted(OF_YES_OR_NO))
def test_guessing_yes_or_no_costs_what_torch_says(function: str) -> None:
    even = torch.full((ROWS,), 0.0 if "logits" in function else 0.5)
    cost = getattr(functional, function)(even, torch.randint(2, (ROWS,)).float())
    assert cost.item() == pytest.approx(cost_of_guessing(function, None), rel=1e-4)


def test_what_is_no_guessing_among_classes_costs_nothing_known() -> None:
    assert cost_of_guessing("mse_loss", CLASSES) is None
    assert cost_of_guessing("cross_entropy", 1) is None
