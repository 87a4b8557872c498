"""Fingerprints: the numbers of the catalog's pages, and names for agents that hold them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.rl.climbed import owner
from sleuth.rl.fits import CORRECT
from sleuth.rl.judge import Error, acting_q, judge
from sleuth.rl.ladder import Check, Result, Rung
from sleuth.rl.mistakes import known
from sleuth.rl.naming import name
from sleuth.rl.reading import Reading
from sleuth.rl.streams import believe, experience, kinds_of
from sleuth.rl.tables import Table, ladder
from sleuth.rl.truth import best_q, best_values

PAGES = {
    ("alignment", "gamma-zero"): (2, -1, 1, -2),
    ("alignment", "gamma-0.9"): (0.45, -1.72, -0.80, -2),
    ("alignment", "reward-later"): (-0.03, 1.99, -0.01, 1.00),
    ("alignment", "reward-lost"): (1.97, 1.99, -0.01, 1.00),
    ("boundary", "truncation-ends"): (0, 1, -3, 0),
    ("boundary", "through-end"): (0.99, 1, -3, 0.99),
    ("discount", "gamma-zero"): (0, 1),
}


@pytest.mark.parametrize(("world", "mistake"), PAGES)
def test_fixed_points_are_those_of_the_pages(world: str, mistake: str) -> None:
    belief = believe(known()[mistake], experience(world), 0.99)
    assert belief.values[0] == pytest.approx(PAGES[world, mistake], abs=0.02)


@pytest.mark.parametrize("world", [n for n, t in ladder().items() if t.asks == "value"])
def test_without_a_mistake_the_fit_is_the_truth(world: str) -> None:
    table = ladder()[world]
    gamma = table.gamma or 0.99
    belief = believe(CORRECT, experience(world), gamma)
    truth = best_values(table, gamma)
    for state, kind in enumerate(kinds_of(table)):
        assert belief.values[0][kind] == pytest.approx(truth[state], abs=1e-6)


def reading_of(table: Table, mistake: str, gamma: float) -> Reading:
    """An agent that has converged to what this mistake teaches."""
    belief = believe(known()[mistake] if mistake else CORRECT, experience(table.name), gamma)
    kinds = kinds_of(table)
    values = tuple(float(np.nan_to_num(belief.values[0][kind])) for kind in kinds)
    gaps = [float(np.nan_to_num(belief.gap[kind])) for kind in kinds]
    policy = tuple(0.99 if gap > 0.3 else 0.01 if gap < -0.3 else 0.5 for gap in gaps)
    return Reading(values if table.asks == "value" else None, None, policy)


def rungs_of(mistake: str) -> list[Rung]:
    rungs = []
    for table in ladder().values():
        gamma = table.gamma or 0.99
        reading = reading_of(table, mistake, gamma)
        error = judge(table, gamma, reading)
        ok = error.size is not None and error.size <= 1.0
        check = Check(16000, reading, error)
        rungs.append(Rung(table, gamma, "passed" if ok else "failed", (check,), failing=int(not ok)))
    return rungs


def test_nothing_is_said_of_a_right_agent() -> None:
    assert name(rungs_of("")) == []


@pytest.mark.parametrize("mistake", [m for m in known() if m not in ("gamma-0.95", "leak")])
def test_every_known_mistake_is_named_by_its_cause(mistake: str) -> None:
    rungs = rungs_of(mistake)
    if not any(rung.result == "failed" for rung in rungs):
        pytest.skip("converges to the truth in all worlds")
    found = name(rungs)
    # Actions one row early leave no trace but a policy that gets no signal: both pages describe it.
    also = {"action-earlier": "policy-update-broken"}.get(mistake)
    assert found[0].cause in (owner(mistake), also)
    assert found[0].family == "rl" or found[0].cause == "throughput-decay"
    assert found[0].sources


def test_a_dropped_reset_is_seen_where_an_episode_ends_in_a_state() -> None:
    """B is the last observation of A and D: whatever the next episode earns at first is learnt of B."""
    belief = believe(known()["reset-dropped"], experience("boundary"), 0.99)
    assert belief.values[0][1] == pytest.approx(-2 / (4 - 0.99), abs=0.2)
    assert name(rungs_of("reset-dropped"))[0].cause == "episode-not-reset"


def test_a_stranger_is_not_given_a_name() -> None:
    """Numbers that fit nothing: the first broken rung is said, with less credence."""
    chance = np.random.default_rng(0)
    rungs = []
    for table in ladder().values():
        reading = Reading(
            tuple(float(x) for x in chance.normal(7, 3, table.states)), None, (0.5,) * table.states
        )
        rungs.append(Rung(table, 0.99, "failed", (Check(16000, reading, Error(9.0, "far off")),), failing=1))
    (found,) = name(rungs)
    assert found.credence <= 0.6
    assert "fingerprint" not in found.numbers


def test_stepping_past_an_end_needs_no_fingerprint() -> None:
    table = ladder()["constant"]
    rung = Rung(table, 0.99, "passed", facts={"steps": 1000, "after_end": 500})
    assert [entry.cause for entry in name([rung])] == ["episode-not-reset"]


@settings(deadline=None)
@given(st.floats(-0.19, 0.19), st.sampled_from(["constant", "discount", "alignment"]))
def test_values_within_tolerance_pass_and_beyond_fail(off: float, world: str) -> None:
    table = ladder()[world]
    truth = best_values(table, 0.99)
    near = judge(table, 0.99, Reading(tuple(value + off for value in truth))).size
    far = judge(table, 0.99, Reading(tuple(value + 0.21 for value in truth))).size
    assert near is not None
    assert near <= 1.0
    assert far is not None
    assert far > 1.0


def test_a_small_gap_between_actions_is_caught_in_the_q_table() -> None:
    """Actions stored one step off leave max Q and the greedy action right, and the gap at 0.3."""
    table = ladder()["action"]
    right = tuple((row[0], row[1]) for row in best_q(table, 0.99))
    assert (judge(table, 0.99, Reading(q=right)).size or 0) <= 1.0
    assert (judge(table, 0.99, Reading(q=((0.7, 1.0),))).size or 0) > 1.0


def exploring(prefers: float, acts: float, lean: float = 0.0) -> Rung:
    """Action values of an agent that takes the best action so often, beside how often it really does.

    `lean`: what chance adds to the share of the second action in one state and takes off in another.
    """
    table = ladder()["multi-step"]
    best = (table.best or {}).values()
    shares, moves = ([abs(1 - act - often) for act in best] for often in (prefers, acts))
    moves[0], moves[2] = moves[0] + lean, moves[2] - lean
    q = acting_q(table, 0.99, shares)
    assert q is not None
    reading = Reading(q=tuple((row[0], row[1]) for row in q), acted=tuple(moves))
    error = judge(table, 0.99, reading)
    result: Result = "passed" if (error.size or 0.0) <= 1.0 else "failed"
    return Rung(table, 0.99, result, (Check(20_000, reading, error),))


def test_values_of_the_policy_it_explores_with_are_right() -> None:
    assert exploring(prefers=0.65, acts=0.65).result == "passed"
    assert name([exploring(prefers=0.65, acts=0.65)]) == []


def test_who_never_stops_acting_at_random_is_named() -> None:
    (found,) = name([exploring(prefers=0.5, acts=0.5, lean=0.15)])
    assert found.cause == "entropy-flat"
    assert "random to the end" in found.message


def test_values_of_a_policy_that_is_not_its_own_are_another_matter() -> None:
    (found,) = name([exploring(prefers=0.5, acts=0.9)])
    assert found.cause == "discount-broken"
