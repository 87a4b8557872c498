"""The planted truth against a slow twin that plays, and the environments against their tables."""

import numpy as np
import pytest

from sleuth.rl.reading import behaviour
from sleuth.rl.tables import Table, extra, ladder
from sleuth.rl.truth import best_q, best_values, policy_values
from sleuth.rl.worlds import SPACES, Witness, coding, make_world

GAMMA = 0.9
TABLES = ladder() | extra()


def played(table: Table, state: int, action: int, gamma: float, chance: np.random.Generator) -> float:
    """One discounted return of a greedy player; a time limit is played through."""
    q = best_q(table, gamma)
    total, weight = 0.0, 1.0
    for _ in range(60):
        move = table.moves[state][action]
        total += weight * move.reward
        if move.end == "terminated" or not move.to:
            break
        weight *= gamma
        state = int(chance.choice(move.to))
        action = int(q[state][1] > q[state][0])
    return total


@pytest.mark.parametrize("name", TABLES)
def test_action_values_are_what_playing_brings(name: str) -> None:
    table, chance = TABLES[name], np.random.default_rng(0)
    for state, row in enumerate(best_q(table, 0.8)):
        for action, value in enumerate(row):
            seen = np.mean([played(table, state, action, 0.8, chance) for _ in range(20)])
            assert seen == pytest.approx(value, abs=1e-3)


def test_the_known_numbers() -> None:
    assert best_values(TABLES["boundary"], 0.99) == pytest.approx([0.99, 1.0, -3.0, 0.0])
    assert best_values(TABLES["alignment"], 0.99) == pytest.approx([0.0495, -1.9702, -0.98, -2.0], abs=1e-3)
    assert best_values(TABLES["long-chain"], 0.99)[0] == pytest.approx(0.99**9)
    assert best_values(TABLES["continuing"], 0.8) == pytest.approx([1.0])


def test_a_policy_has_its_own_values() -> None:
    assert policy_values(TABLES["action"], GAMMA, [(0.25, 0.75)]) == pytest.approx([0.5])


@pytest.mark.parametrize("name", TABLES)
def test_the_environment_does_what_its_table_says(name: str) -> None:
    table = TABLES[name]
    witness = Witness()
    env = make_world(table, coding(table), witness)
    chance = np.random.default_rng(1)
    obs, _ = env.reset(seed=3)
    for _ in range(200):
        codes = [np.array(code, np.float32) for code in table.codes]
        state = env.unwrapped.state  # type: ignore[attr-defined]
        assert np.array_equal(obs, codes[state])
        action = int(chance.integers(2))
        after, reward, terminated, truncated, _ = env.step(action)
        move = table.moves[state][action]
        assert (reward, terminated, truncated) == (
            move.reward,
            move.end == "terminated",
            move.end == "truncated",
        )
        assert env.observation_space.contains(after)
        obs = env.reset()[0] if terminated or truncated else after
    assert witness.steps == 200
    assert witness.after_end == witness.after_limit == 0


def test_stepping_after_an_end_is_seen() -> None:
    table = TABLES["boundary"]
    witness = Witness()
    env = make_world(table, coding(table), witness)
    env.reset(seed=0)
    for _ in range(30):
        env.step(0)
    assert witness.after_end + witness.after_limit > 10


@pytest.mark.parametrize("spaces", SPACES)
def test_every_coding_lies_in_its_space_and_tells_states_apart(spaces: str) -> None:
    table = TABLES["action-observation"]
    code = coding(table, spaces)
    assert all(code.observation_space.contains(shown) for shown in (*code.observations, code.blank))
    one, two = code.observations
    first = one["code"] if isinstance(one, dict) else one
    second = two["code"] if isinstance(two, dict) else two
    assert not np.array_equal(first, second)


def test_the_users_spaces_can_be_kept() -> None:
    import gymnasium

    like = gymnasium.make("CartPole-v1")
    code = coding(TABLES["alignment"], like=like)
    assert code.observation_space == like.observation_space
    assert (code.weight(0), code.weight(1)) == (0.0, 1.0)
    pendulum = coding(TABLES["action"], like=gymnasium.make("Pendulum-v1"))
    assert [pendulum.weight(np.array([x])) for x in (-2.0, 0.0, 2.0)] == [0.0, 0.5, 1.0]


def test_behaviour_is_counted_by_what_states_look_like() -> None:
    table = TABLES["episode-leak"]
    witness = Witness()
    witness.moves.extend([(1, 1.0)] * 5 + [(2, 0.0)] * 5)
    assert behaviour(table, witness) == (None, 0.5, 0.5)
