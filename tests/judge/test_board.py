"""Priors, clues, answers: the arithmetic of the board against a slow and plain twin."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import catalog
from sleuth.errors import SleuthError
from sleuth.experiments import experiments, undoing
from sleuth.judge.board import Answer, Clue, best_next, configured_priors, credences, gain, priors
from sleuth.judge.experiments import NOTHING, OTHER, can_be_undone, predicted, predictions
from sleuth.judge.words import WORDS, likelihood


@pytest.mark.parametrize("which", ["folklore", "measured"])
def test_priors_sum_to_one_and_every_cause_has_a_share(which: str) -> None:
    prior = priors(which)
    assert math.isclose(sum(prior.values()), 1.0)
    assert set(prior) == {NOTHING, OTHER, *catalog.causes()}
    assert min(prior.values()) > 0


def test_a_share_can_be_overridden() -> None:
    assert priors("folklore", {"double-softmax": 0.5})["double-softmax"] > priors()["double-softmax"] * 5


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(experiments())), st.booleans()), max_size=6))
def test_credences_are_bayes(observed: list[tuple[str, bool]]) -> None:
    answers = [Answer(experiments()[name], yes) for name, yes in observed]
    prior = priors()
    groups: set[str] = set()
    slow = dict(prior)
    for answer in answers:
        if answer.experiment.group in groups:
            continue
        groups.add(answer.experiment.group)
        for hypothesis in slow:
            p = predicted(hypothesis, answer.experiment)
            slow[hypothesis] *= p if answer.yes else 1 - p
    total = math.fsum(slow.values())
    for hypothesis, share in credences(prior, [], answers).items():
        assert math.isclose(share, slow[hypothesis] / total, rel_tol=1e-9)


def test_tests_that_share_a_source_of_error_count_once() -> None:
    first = [Answer(experiments()["noise-inputs"], True)]
    both = [*first, Answer(experiments()["shuffled-labels"], True)]
    assert credences(priors(), [], both) == credences(priors(), [], first)


def test_an_unavailable_test_changes_nothing() -> None:
    assert credences(priors(), [], [Answer(experiments()["lr×10"], None)]) == credences(priors(), [], [])


def test_a_clue_overrides_the_prior_and_looks_add_up() -> None:
    one = credences(priors(), [Clue("update-underflow", "lint", 0.8)], [])
    two = credences(priors(), [Clue("update-underflow", t, 0.8) for t in ("lint", "watch")], [])
    again = credences(priors(), [Clue("update-underflow", "lint", 0.8)] * 2, [])
    assert one["update-underflow"] > 0.7
    assert two["update-underflow"] > one["update-underflow"] == again["update-underflow"]


def test_no_answer_alone_settles_the_matter() -> None:
    board = credences(priors(), [], [Answer(experiments()["lr×0.1"], True)])
    assert max(board.values()) < 0.9


@given(
    st.dictionaries(
        st.sampled_from(["lr-too-high", "dead-relu", NOTHING, OTHER]), st.floats(0.01, 1), min_size=2
    )
)
def test_gain_is_what_the_answer_tells_about_the_hypotheses(weights: dict[str, float]) -> None:
    total = sum(weights.values())
    board = {h: w / total for h, w in weights.items()}
    test = experiments()["lr×0.1"]

    def entropy(shares: list[float]) -> float:
        return -sum(s * math.log2(s) for s in shares if s > 0)

    expected = entropy(list(board.values()))
    for yes in (True, False):
        joint = {h: s * (predicted(h, test) if yes else 1 - predicted(h, test)) for h, s in board.items()}
        p = sum(joint.values())
        expected -= p * entropy([s / p for s in joint.values()])
    assert math.isclose(gain(board, test), expected, abs_tol=1e-9)


def test_the_next_test_is_the_one_with_most_gain_for_its_cost() -> None:
    board = {"lr-too-high": 0.45, "dead-relu": 0.45, NOTHING: 0.1}
    chosen = best_next(board, experiments().values(), 1.0)
    assert chosen is not None
    assert chosen[0].name == "lr×0.1"
    assert best_next(board, [], 1.0) is None


def test_every_prediction_names_a_test_and_a_word() -> None:
    for slug in catalog.causes():
        for test, word in predictions(slug).items():
            assert test in experiments(), slug
            assert word in WORDS, slug


def test_words_are_clamped() -> None:
    assert [likelihood(word) for word in WORDS] == [0.1, 0.2, 0.5, 0.8, 0.9]
    with pytest.raises(ValueError, match="no likelihood"):
        likelihood("often")


def test_taking_back_a_suspect_tells_it_from_all_others() -> None:
    slug = "double-softmax"
    assert can_be_undone(slug)
    test = undoing(slug)
    assert predicted(slug, test) == 0.9
    assert {predicted(other, test) for other in catalog.causes() if other != slug} == {0.1}


def test_a_project_gives_priors_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.sleuth.priors]\ndata = 0.01\nlr-too-low = 0.3\n")
    given = configured_priors(tmp_path / "train.py")
    ours, shipped = priors("measured", given), priors("measured")
    assert given == {"data": 0.01, "lr-too-low": 0.3}
    assert ours["lr-too-low"] > 10 * shipped["lr-too-low"]
    assert ours["labels-misaligned"] < shipped["labels-misaligned"] / 3
    assert configured_priors(Path("/")) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [("lr-to-low = 0.3", "lr-too-low"), ("data = 3", "0 to 1"), ('data = "much"', "0 to 1")],
)
def test_a_prior_that_cannot_be_meant_is_told(line: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.sleuth.priors]\n{line}\n")
    with pytest.raises(SleuthError, match=told):
        configured_priors(tmp_path)
