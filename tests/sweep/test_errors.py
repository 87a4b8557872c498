"""The promise: `reliable` is wrong in at most 5% of sweeps in which nothing differs."""

import pytest

from bench.sweep_errors import FEW, TRUTHS, draw, rates

SLACK = 0.01  # two standard errors of a rate of 5% in 2,000 sweeps; the draws are the same each time


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize(
    ("values", "seeds"), [(2, 3), (2, 16), (3, 3), (4, 4), (5, 3), (8, 3), (8, 5), (8, 16)]
)
def test_reliable_is_wrong_in_at_most_five_percent(truth: str, values: int, seeds: int) -> None:
    found = rates(draw(truth, FEW, values, seeds))
    assert found["reliable"] <= 0.05 + SLACK
    assert found["trend reliable"] <= 0.05 + SLACK


def test_this_test_can_fail() -> None:
    assert rates(draw("gaussian", FEW, 3, 3))["folklore"] > 0.4


def test_an_effect_is_found() -> None:
    found = [rates(draw("gaussian", FEW, 3, seeds, effect=2.0))["first reliable"] for seeds in (3, 4, 5, 8)]
    assert all(share >= least for share, least in zip(found, (0.20, 0.42, 0.62, 0.92), strict=True))
