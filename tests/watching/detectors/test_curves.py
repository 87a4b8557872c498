"""Sums over series: against slow twins and plain cases."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.record import curves

SERIES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


@given(SERIES)
def test_median_is_that_of_the_standard_library(values: list[float]) -> None:
    assert curves.median(values) == pytest.approx(statistics.median(values))


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=19))
def test_slope_is_the_median_over_all_pairs(values: list[float]) -> None:
    pairs = [(values[j] - values[i]) / (j - i) for i in range(len(values)) for j in range(i + 1, len(values))]
    assert curves.slope(values) == pytest.approx(statistics.median(pairs), abs=1e-9)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=30), st.data())
def test_agreement_is_the_correlation_of_ranks(one: list[int], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.integers(0, 20), min_size=len(one), max_size=len(one)))

    def ranks(values: list[int]) -> list[float]:
        return [sum(v < x for v in values) + (sum(v == x for v in values) - 1) / 2 for x in values]

    a, b = ranks(one), ranks(other)
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert curves.agreement(one, other) == pytest.approx(statistics.correlation(a, b))
    else:
        assert curves.agreement(one, other) == 0


@given(st.integers(1, 9), st.integers(2, 5))
def test_a_repeated_sequence_has_its_period(length: int, turns: int) -> None:
    assert curves.period([f"b{k}" for k in range(length)] * turns) == length
    assert curves.period([f"b{k}" for k in range(length * turns)]) is None


@given(SERIES)
def test_rising_of_the_reversed_series_is_the_rest(values: list[float]) -> None:
    assert curves.rising(values) + curves.rising([-value for value in values]) == pytest.approx(1.0)


def test_noise_ignores_a_slow_trend_and_jitter_a_steep_one() -> None:
    saw = [0.1 * (-1) ** n for n in range(100)]
    assert curves.noise(saw) == pytest.approx(
        curves.noise([v + 0.001 * n for n, v in enumerate(saw)]), rel=0.02
    )
    assert curves.jitter([float(n) for n in range(10)]) == 0
    assert curves.jitter([abs(n - 5.0) for n in range(10)]) == 0
    assert curves.noise([float(n) for n in range(10)]) > 0


def test_explosion_is_found_where_it_begins_and_only_when_it_stays() -> None:
    calm = [1.0] * 50
    assert curves.exploded([*calm, 20.0, 400.0, 8000.0]) == 50
    assert curves.exploded([*calm, 20.0, *calm]) is None
    assert curves.exploded([*calm, math.nan]) == 50
    assert curves.exploded(calm) is None
    assert curves.exploded([]) is None


def test_stuck_and_fallen() -> None:
    falls = [2.0 * 0.97**n for n in range(100)]
    assert not curves.stuck(falls)
    assert curves.stuck([1.1 + 0.01 * (-1) ** n for n in range(100)])
    assert curves.stuck([1.0 + 0.01 * n for n in range(100)])
    assert not curves.stuck([1.0] * 5)
    assert curves.fallen(falls) > 0.9
    assert curves.fallen([]) == 0
    assert curves.fallen([1.0, 1.0]) == 0


def test_swing_is_relative_to_the_level() -> None:
    assert curves.swing([1 + 0.9 * (-1) ** n for n in range(60)]) == pytest.approx(1.8, rel=0.05)
    assert curves.swing([5.0 - 0.01 * n for n in range(60)]) < 0.01
    assert curves.swing([1.0, 2.0]) == 0


def test_a_fall_must_exceed_the_noise() -> None:
    noisy = [math.sin(12.9898 * n) for n in range(100)]
    assert curves.surely_lower([2 + v for v in noisy], noisy)
    assert not curves.surely_lower([0.01 + v for v in noisy], noisy)
    assert not curves.surely_lower([1.0], [0.0])


def test_weights_of_a_sum() -> None:
    rows = [[1.0, 20.0], [1.2, 15.0], [0.9, 3.0], [1.1, 2.0]]
    assert curves.least_squares(rows, [a + 5 * b for a, b in rows]) == pytest.approx([1.0, 5.0])
    assert curves.least_squares([[a, 2 * a] for a, _ in rows], [3.0] * 4) is None
