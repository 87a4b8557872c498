"""An experiment is one file: what stands in the folder can be chosen, and says all that is asked of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sleuth import experiments as package
from sleuth.experiments import called, experiments, named, part_of, undoing
from sleuth.judge.words import WORDS

NEW = """
from sleuth.experiments import Experiment

EXPERIMENT = Experiment("smaller-steps", "Is it better?", "it is", "it is not", "rarely", "size", place=99)


def change(world):
    world.rates(0.5)


def answer(trials, world):
    return True
"""


@pytest.fixture
def one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with one more experiment in it."""
    (tmp_path / "smaller_steps.py").write_text(NEW, "utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    for cached in (package.experiments, package._modules):
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in (package.experiments, package._modules):
        cached.cache_clear()


@pytest.mark.parametrize("name", experiments())
def test_each_makes_a_world_and_means_what_can_be_said(name: str) -> None:
    experiment = experiments()[name]
    assert callable(part_of(experiment, "change"))
    assert experiment.healthy in WORDS
    assert experiment.question.endswith("?")
    assert named(name) == experiment


def test_they_come_in_one_order() -> None:
    places = [one.place for one in experiments().values()]
    assert places == sorted(set(places))
    calm = [one.when_calm for one in experiments().values() if one.when_calm]
    assert len(calm) == len(set(calm))


def test_a_new_file_is_a_new_experiment(one_more: None) -> None:
    new = called("smaller-steps")
    assert list(experiments())[-1] == "smaller-steps"
    answer = part_of(new, "answer")
    assert answer is not None
    assert answer(None, None)


def test_without_the_file_there_is_none() -> None:
    assert named("smaller-steps") is None


def test_taking_a_cause_back_is_an_experiment_of_its_own() -> None:
    taken = undoing("zero-init")
    assert taken.name == "undo(zero-init)"
    assert called("undo(zero-init)") == taken
    assert part_of(taken, "change") is None  # that stands in the cause's file
