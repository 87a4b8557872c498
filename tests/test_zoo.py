"""The zoo keeps its promises: pairs differ by the repair only, give nothing away, and really learn."""

import difflib
import re
from pathlib import Path

import pytest

from bench import zoo
from sleuth import catalog

CASES = list(zoo.cases())
HEALTHY = list(zoo.healthy())
SAMPLE = 6  # every so-manieth script runs here; `make bench` runs them all
# What drives a script comes before what it is made of.
FRAMEWORKS = (
    "lightning",
    "transformers",
    "accelerate",
    "gymnasium",
    "torch",
    "sklearn",
    "numpy",
)
MAX_CHANGED = 12  # lines added and removed together: a repair, not a rewrite


def name(item: zoo.Case | zoo.Healthy) -> str:
    return item.name if isinstance(item, zoo.Case) else item.path.stem


def test_there_are_enough_of_both() -> None:
    assert len(CASES) >= 25
    assert len(HEALTHY) >= 11


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_case_lies_on_the_shelf_of_its_family(case: zoo.Case) -> None:
    assert case.name.split("/")[0] == catalog.find(case.slug).family


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_twins_differ_by_a_small_repair_at_the_guilty_line(case: zoo.Case) -> None:
    broken, fixed = (path.read_text("utf-8").splitlines() for path in (case.broken, case.fixed))
    changes = [
        block for block in difflib.SequenceMatcher(None, broken, fixed).get_opcodes() if block[0] != "equal"
    ]
    assert 0 < sum((stop - start) + (end - begin) for _, start, stop, begin, end in changes) <= MAX_CHANGED
    nearest = min(min(abs(case.line - 1 - start), abs(case.line - stop)) for _, start, stop, _, _ in changes)
    assert nearest <= 25


@pytest.mark.parametrize("case", CASES, ids=name)
def test_a_script_does_not_give_itself_away(case: zoo.Case) -> None:
    for path in (case.broken, case.fixed):
        text = path.read_text("utf-8").lower()
        assert not re.search(r"\b(bug|broken|wrong|fixme|sleuth|oops|mistake)\b", text)
        assert case.name.split("/")[1] not in text


@pytest.mark.parametrize("folder", zoo.SETS.values(), ids=zoo.SETS)
def test_the_index_names_what_is_there(folder: Path) -> None:
    assert {case.folder for case in zoo.cases(folder)} == {p.parent for p in folder.rglob("repair.patch")}
    scripts = {entry.path for entry in zoo.healthy(folder)}
    shelf = folder / "healthy"
    assert {path for path in scripts if path.parent == shelf} == set(shelf.glob("*.py"))
    assert {path.parent for path in scripts} - {shelf} == {
        path for path in shelf.iterdir() if path.is_dir()
    } - {shelf / "__pycache__"}


@pytest.mark.parametrize("folder", zoo.SETS.values(), ids=zoo.SETS)
def test_a_script_imports_the_framework_that_is_told(folder: Path) -> None:
    items: list[zoo.Case | zoo.Healthy] = [*zoo.cases(folder), *zoo.healthy(folder)]
    for item in items:
        texts = [path.read_text("utf-8") for path in sources(item)]
        imported = {name for text in texts for name in re.findall(r"^\s*(?:import|from) (\w+)", text, re.M)}
        assert item.framework == next(name for name in FRAMEWORKS if name in imported), item.name


def sources(item: zoo.Case | zoo.Healthy) -> list[Path]:
    if isinstance(item, zoo.Case):
        return sorted(item.folder.rglob("*.py"))
    alone = item.path.parent.name == "healthy"
    return [item.path] if alone else sorted(item.path.parent.rglob("*.py"))


@pytest.mark.parametrize("folder", zoo.SETS.values(), ids=zoo.SETS)
def test_a_guilty_line_is_a_line_of_code(folder: Path) -> None:
    for case in zoo.cases(folder):
        assert all(catalog.find(slug) for slug in (case.slug, *case.also))
        guilty = case.broken.parent / case.file if case.file else case.broken
        line = guilty.read_text("utf-8").splitlines()[case.line - 1].strip()
        assert line, case.name
        assert not line.startswith("#"), case.name


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[::SAMPLE], ids=name)
def test_a_repaired_script_learns_and_its_broken_twin_does_as_its_case_says(case: zoo.Case) -> None:
    fixed = zoo.run(case.fixed, case.metric.pattern)
    assert zoo.within(fixed, case.metric.fixed), fixed
    broken = zoo.run(case.broken, case.metric.pattern)
    assert zoo.within(broken, case.metric.broken), broken


@pytest.mark.slow
@pytest.mark.parametrize("entry", HEALTHY[::SAMPLE], ids=name)
def test_a_healthy_script_learns(entry: zoo.Healthy) -> None:
    outcome = zoo.run(entry.path, entry.metric.pattern)
    assert zoo.within(outcome, entry.metric.fixed), outcome
