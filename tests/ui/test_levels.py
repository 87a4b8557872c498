"""Levels of detail against slow twins: the same extremes, whatever the curve."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sleuth.archive.differences import parting as slow_parting
from sleuth.archive.packing import Series, pack_steps, pack_values
from sleuth.ui.cache import packed, unpacked
from sleuth.ui.levels import EASY, Curve, blend, coarser, level, part, ratio
from sleuth.ui.levels import unpacked as unpacked_series
from sleuth.ui.parting import parting
from sleuth.ui.tailing import Bins

numbers = st.floats(allow_nan=True, allow_infinity=True, width=32)
series = st.lists(st.tuples(st.integers(-(2**40), 2**40), numbers), max_size=60)


def made(pairs: list[tuple[int, float]]) -> Curve:
    ordered = sorted(pairs, key=lambda pair: pair[0])
    return Curve(np.array([s for s, _ in ordered], np.int64), np.array([v for _, v in ordered], np.float64))


@given(series)
def test_what_the_archive_packs_is_read_bit_for_bit(pairs: list[tuple[int, float]]) -> None:
    ordered = sorted(pairs, key=lambda pair: pair[0])
    blobs = pack_steps([step for step, _ in ordered]), pack_values([value for _, value in ordered])
    found = unpacked_series(blobs)
    assert found.steps.tolist() == [step for step, _ in ordered]
    assert np.array_equal(found.values.astype(np.float64), [value for _, value in ordered], equal_nan=True)


@given(series, st.integers(2, 12))
def test_no_extreme_is_lost(pairs: list[tuple[int, float]], places: int) -> None:
    curve = made(pairs)
    found = level(curve, places)
    finite = [value for _, value in pairs if math.isfinite(value)]
    assert found.missing == len(pairs) - len(finite)
    assert (found.count, len(found.steps) <= max(EASY * places, 1)) == (len(pairs), True)
    if finite:
        assert (min(found.low), max(found.high)) == (min(finite), max(finite))
        assert all(
            low <= mean <= high
            or math.isclose(mean, low, rel_tol=1e-9)
            or math.isclose(mean, high, rel_tol=1e-9)
            for low, mean, high in zip(found.low, found.mean, found.high, strict=True)
        )
        assert all(one < other or found.exact for one, other in pairwise(found.steps))


@given(series, st.integers(2, 8))
def test_a_coarser_level_has_the_same_extremes(pairs: list[tuple[int, float]], places: int) -> None:
    fine = level(made(pairs), 20)
    found = coarser(fine, places)
    assert len(found.steps) <= max(EASY * places, 1) or len(found.steps) == 0
    if len(fine.low):
        assert (min(found.low), max(found.high)) == (min(fine.low), max(fine.high))


def test_a_spike_in_a_million_steps_is_seen_at_its_place() -> None:
    values = np.zeros(1_000_000)
    values[654_321] = 7.0
    found = level(Curve(np.arange(1_000_000), values), 300)
    at = found.high.index(7.0)
    assert abs(found.steps[at] - 654_321) < 1_000_000 / 300
    assert (found.steps[0], found.steps[-1]) == (0, 999_999)


@given(series)
def test_the_cache_gives_back_what_it_was_given(pairs: list[tuple[int, float]]) -> None:
    before = level(made(pairs), 6)
    after = unpacked(packed(before))
    assert [list(column) for column in (after.steps, after.low, after.mean, after.high)] == [
        list(column) for column in (before.steps, before.low, before.mean, before.high)
    ]
    assert (after.missing, after.count, after.first_missing, after.ends) == (
        before.missing,
        before.count,
        before.first_missing,
        before.ends,
    )


@given(st.lists(st.floats(-1e6, 1e6), max_size=300), st.integers(2, 20))
def test_bins_that_grow_take_bounded_room_and_keep_extremes(values: list[float], places: int) -> None:
    bins = Bins(places)
    for step, value in enumerate(values):
        bins.add(step, value)
    found = bins.level()
    assert len(found.steps) <= 2 * places
    assert found.count == len(values)
    if values:
        assert (min(found.low), max(found.high)) == (min(values), max(values))
        sizes = [bins.each] * (len(found.steps) - 1) + [bins.filled]
        assert sum(sizes) == len(values)


def test_a_part_goes_on_to_its_edges() -> None:
    whole = Curve(np.arange(0, 100, 10), np.arange(10.0))
    assert part(whole, 25, 45).steps.tolist() == [20, 30, 40, 50]
    assert part(whole, None, None) is whole


def test_a_ratio_is_taken_where_both_were_measured() -> None:
    found = ratio(
        Curve(np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 3.0, 4.0])),
        Curve(np.array([1, 3, 5]), np.array([4.0, 0.0, 1.0])),
    )
    assert (found.steps.tolist(), found.values.tolist()) == ([1], [0.5])


def test_seeds_become_a_mean_and_a_range() -> None:
    found = blend(
        [Curve(np.arange(3), np.array([1.0, 2.0, 3.0])), Curve(np.arange(1, 4), np.array([4.0, 5.0, 9.0]))],
        10,
    )
    assert found is not None
    assert (found.steps, found.low, found.mean, found.high) == ([1, 2], [2, 3], [3, 4], [4, 5])


distinct = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from([0.0, 1.0, 1.001, 2.0, math.nan, math.inf])),
    max_size=20,
    unique_by=lambda pair: pair[0],
)


@given(distinct, distinct)
def test_runs_part_where_the_archive_says(
    one: list[tuple[int, float]], other: list[tuple[int, float]]
) -> None:
    left, right = made(one), made(other)
    slow = slow_parting(_series(left), _series(right))
    assert repr(parting("step/loss", left, right)) == repr(slow)


def _series(curve: Curve) -> Series:
    return Series("step/loss", tuple(curve.steps.tolist()), tuple(curve.values.tolist()))
