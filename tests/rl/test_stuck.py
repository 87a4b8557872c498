"""An actor pinned to an edge of its actions is no bug, unless it never could follow its critic."""

from dataclasses import replace

import pytest

from sleuth.rl.ladder import Pace, Rung, attempt, climb
from sleuth.rl.naming import name
from sleuth.rl.reading import Reading
from sleuth.rl.stuck import stuck
from sleuth.rl.tables import Table, ladder
from sleuth.rl.truth import best_values, policy_values

GAMMA = 0.99
PACE = Pace(100, 1.3, 400)
PAIR = ("action-observation", "multi-step")


def doing(table: Table, second: list[float], off: float = 0.0) -> Reading:
    """A continuous actor that does this, and a critic that knows what it is worth, or is off by so much."""
    truth = policy_values(table, GAMMA, [(1.0 - chance, chance) for chance in second])
    return Reading(tuple(worth + off for worth in truth), policy=tuple(second), ranged=True)


def right(table: Table) -> Reading:
    best = [float((table.best or {}).get(state, 0)) for state in range(table.states)]
    return replace(doing(table, best), values=tuple(best_values(table, GAMMA)))


class Told:
    """Says the same at every look, or what it was told look by look."""

    trained = 0

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)

    def until(self, steps: int) -> Reading | None:
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def climbed(wrong: dict[str, Reading]) -> dict[str, Rung]:
    def start(table: Table, seed: int, gamma: float) -> Told:
        return Told(wrong.get(table.name) or right(table))

    rungs = climb([ladder()[world] for world in PAIR], start, lambda _: PACE, GAMMA, 0)
    return {rung.table.name: rung for rung in rungs}


def test_an_actor_at_one_edge_with_a_right_critic_is_no_bug() -> None:
    """What a TD3 without noise did on two seeds: the upper edge in every state, from the first look on."""
    rungs = climbed({"multi-step": doing(ladder()["multi-step"], [0.9999] * 8, off=0.1)})
    assert (rungs["multi-step"].result, rungs["multi-step"].failing) == ("flaky", 2)
    assert rungs["multi-step"].reason.startswith("stuck at an edge")
    assert not name(list(rungs.values()))


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(doing(ladder()["multi-step"], [0.9999] * 8, off=0.6), id="its critic is wrong"),
        pytest.param(doing(ladder()["multi-step"], [0.8] * 8), id="it is not at an edge"),
        pytest.param(replace(doing(ladder()["multi-step"], [1.0] * 8), ranged=False), id="two actions"),
        pytest.param(replace(doing(ladder()["multi-step"], [1.0] * 8), values=None), id="no critic"),
    ],
)
def test_without_the_evidence_it_stays_a_bug(reading: Reading) -> None:
    rungs = climbed({"multi-step": reading})
    assert rungs["multi-step"].result == "failed"
    assert name(list(rungs.values()))


def test_an_actor_that_never_followed_its_critic_has_no_excuse() -> None:
    """A flipped sign or an unseen observation shows in the smaller world already."""
    small, large = (ladder()[world] for world in PAIR)
    rungs = climbed({small.name: doing(small, [1.0, 1.0]), large.name: doing(large, [1.0] * 8)})
    assert [rung.result for rung in rungs.values()] == ["failed", "failed"]


def test_an_actor_that_came_to_the_edge_late_has_no_excuse() -> None:
    """It was elsewhere, where gradients reach it, and was moved to the wrong side."""
    table = ladder()["multi-step"]
    done = {"action-observation": climbed({})["action-observation"]}

    def start(table: Table, seed: int, gamma: float) -> Told:
        return Told(doing(table, [0.6] * 8), doing(table, [1.0] * 8))

    rung = attempt(table, start, PACE, GAMMA, 0, 3, lambda rung: stuck(rung, done))
    assert (rung.result, rung.seeds) == ("failed", 2)


def test_seeds_with_an_excuse_do_not_count_against_those_without() -> None:
    table = ladder()["multi-step"]
    plans = iter([doing(table, [1.0] * 8), doing(table, [0.5] * 8), doing(table, [0.5] * 8)])

    def excused(rung: Rung) -> bool:
        return rung.checks[-1].reading.second[0] == 1.0

    rung = attempt(table, lambda *_: Told(next(plans)), PACE, GAMMA, 0, 3, excused)
    assert (rung.result, rung.seeds, rung.failing) == ("failed", 3, 3)
    assert rung.checks[-1].reading.second[0] == 0.5
