"""The statistics against slow, independent twins."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.sweeping.failures import against_others, fisher
from sleuth.sweeping.folklore import false_alarms, scores
from sleuth.sweeping.lottery import exact_interval, lottery, two_heaps
from sleuth.sweeping.model import RELIABLE, SINGLE, fit, holm, judge
from sleuth.sweeping.power import detectable, power, seeds_needed
from sleuth.sweeping.tails import chi_square_above, f_power, one_t, t_cut, t_two_sided
from sleuth.sweeping.trend import slopes

SHAPES = [(2, 3), (3, 3), (3, 5), (5, 4), (8, 6)]


def sample(values: int, seeds: int, gaps: float = 0.0, salt: int = 0) -> np.ndarray:
    source = np.random.default_rng([values, seeds, salt])
    y = source.standard_normal((1, values, seeds)) + source.standard_normal((1, 1, seeds))
    y[source.random(y.shape) < gaps] = np.nan
    return y


def twin(y: np.ndarray) -> tuple[list[float], list[float], float]:
    """Effects, standard errors and degrees of freedom by dummy variables and a plain least-squares solver."""
    values, seeds = y.shape
    cells = [(v, s) for v in range(values) for s in range(seeds) if not math.isnan(y[v, s])]
    design = np.zeros((len(cells), values + seeds))
    for row, (v, s) in enumerate(cells):
        design[row, v] = design[row, values + s] = 1
    seen = np.array([y[cell] for cell in cells])
    inverse = np.linalg.pinv(design.T @ design)
    beta = inverse @ design.T @ seen
    rest = seen - design @ beta
    df = len(cells) - np.linalg.matrix_rank(design)
    variance = float(rest @ rest) / df
    effects, errors = [], []
    for v in range(values):
        contrast = np.zeros(values + seeds)
        contrast[:values] = -1 / (values - 1)
        contrast[v] = 1
        effects.append(float(contrast @ beta))
        errors.append(math.sqrt(variance * float(contrast @ inverse @ contrast)))
    return effects, errors, float(df)


@pytest.mark.parametrize(("values", "seeds"), SHAPES)
@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_the_model_is_that_of_dummy_variables(values: int, seeds: int, gaps: float) -> None:
    y = sample(values, seeds, gaps, salt=3)
    there = ~np.isnan(y[0])
    if (there.sum(axis=0) < 2).any() or not there.any(axis=1).all():
        y = sample(values, seeds)
    effects, errors, df = twin(y[0])
    fitted = fit(y)
    np.testing.assert_allclose(fitted.effect[0], effects, atol=1e-9)
    np.testing.assert_allclose(fitted.error[0], errors, atol=1e-9)
    assert fitted.df[0] == df


@pytest.mark.parametrize(("values", "seeds"), SHAPES)
def test_the_own_error_is_the_paired_t(values: int, seeds: int) -> None:
    y = sample(values, seeds)
    fitted = fit(y)
    for v in range(values):
        others = np.delete(y[0], v, axis=0).mean(axis=0)
        found = scipy.stats.ttest_1samp(y[0, v] - others, 0)
        assert fitted.effect[0, v] / fitted.own_error[0, v] == pytest.approx(found.statistic)


def test_two_values_are_one_paired_t() -> None:
    y = sample(2, 6)
    found = scipy.stats.ttest_rel(y[0, 0], y[0, 1])
    judged = judge(fit(y))
    assert judged.raw[0] == pytest.approx([found.pvalue] * 2)
    assert judged.p[0, 0] == judged.p[0, 1]


def test_equal_noise_is_asked_as_bartlett_does() -> None:
    y = sample(4, 7)
    rest = fit(y).residual[0]
    assert fit(y).unequal[0] == pytest.approx(scipy.stats.bartlett(*rest).pvalue)


@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=8))
def test_holm_against_its_definition(raw: list[float]) -> None:
    corrected, step = holm(np.array([raw]))
    order = sorted(range(len(raw)), key=raw.__getitem__)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, raw[place] * (len(raw) - rank)))
        assert corrected[0, place] == pytest.approx(highest)
        # The step is the bar a raw p is held against: it must tell the same story as the corrected p.
        assert (raw[place] < 0.05 / step[0, place]) == (highest < 0.05) or highest == pytest.approx(0.05)


@pytest.mark.parametrize("noise", ["even", "uneven"])
def test_an_interval_excludes_zero_exactly_when_p_is_below_the_level(noise: str) -> None:
    source = np.random.default_rng(5)
    for values, seeds in itertools.product((2, 3, 5), (3, 5, 9)):
        y = source.standard_normal((300, values, seeds))
        y[:, 0] += 1.5
        if noise == "uneven":
            y[:, -1] *= 5
        judged = judge(fit(y))
        outside = (judged.low > 0) | (judged.high < 0)
        np.testing.assert_array_equal(outside, judged.p < 0.05)


def test_the_slope_is_that_of_dummy_variables() -> None:
    y, x = sample(4, 5), np.array([[0.1, 0.2, 0.5, 1.0]])
    cells = [(v, s) for v in range(4) for s in range(5)]
    design = np.zeros((20, 6))
    for row, (v, s) in enumerate(cells):
        design[row, 0], design[row, 1 + s] = x[0, v], 1
    seen = np.array([y[0][cell] for cell in cells])
    beta, rest, *_ = np.linalg.lstsq(design, seen, rcond=None)
    error = math.sqrt(float(rest[0]) / 14 * np.linalg.inv(design.T @ design)[0, 0])
    found = slopes(y, scores(y).z, x)
    assert (found.slope[0], found.error[0], found.df[0]) == pytest.approx((beta[0], error, 14))
    by_seed = [np.polyfit(x[0], y[0][:, s], 1)[0] for s in range(5)]
    own = scipy.stats.ttest_1samp(by_seed, 0).pvalue
    assert found.p[0] == pytest.approx(min(1, max(found.raw[0], own) * RELIABLE / SINGLE))


def test_folklore_as_a_person_would_do_it() -> None:
    y = sample(3, 5)
    z = (y[0] - y[0].mean(axis=0)) / y[0].std(axis=0, ddof=1)
    found = scores(y)
    np.testing.assert_allclose(found.z[0], z)
    np.testing.assert_allclose(found.t[0], z.mean(axis=1) / (z.std(axis=1, ddof=1) / math.sqrt(5)))


def test_folklore_cries_wolf_as_often_as_was_measured() -> None:
    rates = [false_alarms(3, seeds) for seeds in (3, 4, 5, 8)]
    assert rates == pytest.approx([0.49, 0.36, 0.28, 0.20], abs=0.03)


@pytest.mark.parametrize(("effect", "seeds"), [(3.0, 4), (2.0, 6), (1.5, 9), (1.0, 16)])
def test_seeds_for_80_percent_power_with_three_values(effect: float, seeds: int) -> None:
    assert seeds_needed(effect, 3) == seeds
    cut = scipy.stats.f.isf(0.05, 2, 2 * (seeds - 1))
    exact = scipy.stats.ncf.sf(cut, 2, 2 * (seeds - 1), seeds * effect**2 * 2 / 3)
    assert power(effect, 3, seeds) == pytest.approx(exact, abs=1e-6)


def test_what_seeds_can_show_is_the_inverse_of_power() -> None:
    found = detectable(4, 7)
    assert found is not None
    assert power(found, 4, 7) == pytest.approx(0.8, abs=1e-6)
    assert detectable(4, 2) is None


@settings(max_examples=60)
@given(st.floats(-40, 40), st.integers(1, 200))
def test_t_tails_against_scipy(t: float, df: int) -> None:
    exact = 2 * scipy.stats.t.sf(abs(t), df)
    assert one_t(t, df) == pytest.approx(exact, rel=1e-7, abs=1e-14)
    if 1e-6 < exact < 1:
        assert t_cut(exact, df) == pytest.approx(abs(t), rel=1e-5, abs=1e-6)


def test_many_t_tails_are_those_of_few() -> None:
    t = np.linspace(-5, 5, 4001)
    np.testing.assert_allclose(t_two_sided(t, np.array(7.0)), [one_t(x, 7) for x in t], rtol=1e-9)


@given(st.floats(0.001, 200), st.integers(1, 40))
def test_chi_square_tails_against_scipy(value: float, df: int) -> None:
    assert chi_square_above(value, df) == pytest.approx(scipy.stats.chi2.sf(value, df), rel=1e-7, abs=1e-12)


@given(st.floats(0, 60), st.integers(1, 7), st.integers(2, 60))
def test_noncentral_f_against_scipy(noncentrality: float, upper: int, lower: int) -> None:
    cut = scipy.stats.f.isf(0.05, upper, lower)
    exact = scipy.stats.ncf.sf(cut, upper, lower, noncentrality) if noncentrality > 1e-6 else 0.05
    assert f_power(noncentrality, upper, lower) == pytest.approx(exact, abs=1e-5)


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 20), st.integers(1, 20))
def test_fisher_against_scipy(failed: int, more: int, other: int, other_more: int) -> None:
    runs, others = failed + more, other + other_more
    exact = scipy.stats.fisher_exact([[failed, runs - failed], [other, others - other]]).pvalue
    assert fisher(failed, runs, other, others) == pytest.approx(exact, rel=1e-6)


def test_failures_of_two_values_are_one_comparison() -> None:
    one, other = against_others([5, 0], [6, 6])
    assert one == other == pytest.approx(fisher(5, 6, 0, 6))


def test_an_exact_interval_against_scipy() -> None:
    found = scipy.stats.binomtest(3, 10).proportion_ci(method="exact")
    assert exact_interval(3, 10) == pytest.approx((found.low, found.high), abs=1e-6)
    assert exact_interval(0, 5) == pytest.approx((0.0, 0.5218), abs=1e-4)


def test_two_heaps_are_seen_and_one_is_not() -> None:
    source = np.random.default_rng(0)
    found = two_heaps(sorted([*source.normal(0.1, 0.02, 4), *source.normal(0.9, 0.02, 8)]))
    assert found is not None
    assert 0.2 < found[0] < 0.8
    alarms = sum(two_heaps(sorted(source.standard_normal(20))) is not None for _ in range(300))
    assert alarms <= 9


def test_a_bad_value_is_no_lottery() -> None:
    cells = {
        (value, seed): (0.1 if value == "bad" else 0.9) + 0.01 * seed
        for value in ("bad", "good")
        for seed in range(6)
    }
    assert lottery(cells, lower_is_better=False) is None  # type: ignore[arg-type]


def test_seeds_that_fail_together_are_counted_as_seeds() -> None:
    cells = {
        (value, seed): (0.1 if seed in (1, 4) else 0.9) + 0.001 * value
        for value in range(3)
        for seed in range(8)
    }
    found = lottery(cells, lower_is_better=False)  # type: ignore[arg-type]
    assert found is not None
    assert (found.failing, found.total, found.unit) == (2, 8, "seeds")
    assert found.low == pytest.approx(exact_interval(2, 8)[0])


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 10, 171])
def test_the_closed_form_of_the_t_tail(df: int) -> None:
    t = np.concatenate([np.linspace(-60, 60, 801), [0.0, np.inf, np.nan]])
    found = t_two_sided(t, np.full(t.shape, float(df)))
    np.testing.assert_allclose(found[:-1], 2 * scipy.stats.t.sf(np.abs(t[:-1]), df), rtol=1e-8, atol=1e-300)
    assert np.isnan(found[-1])
