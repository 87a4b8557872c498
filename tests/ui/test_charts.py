"""Drawings: what they show, what they say in words, and that words of others stay words."""

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from sleuth.show.charts import Chart, Level, Pin, figure, spark, thinned
from sleuth.show.document import document, fragment, style
from sleuth.show.heat_maps import heat

points = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=80).map(
    lambda values: list(enumerate(values))
)


@given(points, st.integers(1, 20))
def test_a_thinned_curve_keeps_its_extremes_and_counts_what_is_missing(
    found: list[tuple[int, float]], places: int
) -> None:
    level = thinned(found, places)
    finite = [value for _, value in found if math.isfinite(value)]
    assert len(level.steps) <= places
    assert (level.count, level.missing) == (len(found), len(found) - len(finite))
    if finite:
        assert (min(level.low), max(level.high)) == (min(finite), max(finite))
        assert level.ends == (finite[0], finite[-1])


@given(points)
def test_every_curve_is_drawn_within_its_frame(found: list[tuple[int, float]]) -> None:
    svg = figure(Chart("x", {"x": thinned(found, 20)}))
    for path in re.findall(r"class='(?:line|area)' d='([^']*)'", svg):
        for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path):
            assert 0 <= float(x) <= 380
            assert 0 <= float(y) <= 150
    assert "nan" not in "".join(re.findall(r" d='([^']*)'", svg))


def test_words_of_others_stay_words() -> None:
    evil = "<script>'\"&"
    level = Level((0, 1), (1.0, 2.0), (1.0, 2.0), (1.0, 2.0), 0, 2)
    chart = Chart(evil, {evil: level, "b": level}, pins=(Pin(1, evil),), note=evil, key=evil)
    for svg in (figure(chart), heat(evil, {evil: [1.0, None]}, [0, 1])):
        assert "<script" not in svg
        assert "='<" not in svg


def test_what_is_not_finite_is_told_with_its_first_step() -> None:
    svg = figure(Chart("loss", {"loss": thinned([(0, 1.0), (1, 2.0), (2, math.nan), (3, math.inf)], 10)}))
    assert "2 values not finite, from step 2" in svg
    assert "no finite value" in figure(Chart("loss", {"loss": thinned([(0, math.nan)], 10)}))
    assert "no values yet" in figure(Chart("loss", {}))


def test_a_small_curve_shows_a_broken_end() -> None:
    assert "broken" in spark(thinned([(0, 1.0), (1, 2.0), (2, math.nan)], 10))
    assert "broken" not in spark(thinned([(0, 1.0), (1, 2.0)], 10))


def test_a_fragment_reaches_no_further_than_itself() -> None:
    inner = fragment("<p>x</p>")
    assert "@scope (.sleuth)" in inner
    assert not re.search(r"(?<![\w.-])(body|:root)\b", inner)
    assert ".sleuth {" in inner


def test_the_frame_loads_nothing_from_outside() -> None:
    page = document("<title>", "<p>x</p>")
    assert "&lt;title&gt;" in page
    assert not re.search(r"https?:|@import|url\(", page)
    assert "prefers-color-scheme: dark" in style()
