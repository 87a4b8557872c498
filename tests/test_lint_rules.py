"""Every lint rule against its fixtures: the guilty line carries the slug in a comment, good files carry none.

A fixture `bad_*.py` marks each guilty line with a comment that ends in `# <slug>`; any other finding of that
cause in the file fails, and so does any error or warning of ANY cause in a `good_*.py`.
"""

import re
from pathlib import Path

import pytest

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.lint import Selection, lint_source, lintable
from sleuth.source.parsed_file import read_source

FIXTURES = Path(__file__).parent / "causes"
BAD = sorted(FIXTURES.glob("*/*/bad_*.py"))
GOOD = sorted(FIXTURES.glob("*/*/good_*.py"))


def name(path: Path) -> str:
    return "/".join(path.parts[-2:])


def expected_lines(path: Path, slug: str) -> set[int]:
    lines = path.read_text("utf-8").splitlines()
    return {
        number for number, line in enumerate(lines, 1) if re.search(rf"#.*(?<![\w-]){slug}$", line.rstrip())
    }


@pytest.mark.parametrize("path", BAD, ids=name)
def test_a_bad_file_is_flagged_on_the_marked_lines_only(path: Path) -> None:
    slug = path.parent.name
    expected = expected_lines(path, slug)
    assert expected, "the guilty line must carry the slug in a comment"
    found = lint_source(read_source(path), Selection(select=(slug,), notes=True))
    assert {finding.where.line for finding in found if finding.where} == expected


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_a_good_file_is_left_alone_by_every_rule(path: Path) -> None:
    assert [(f.cause, f.where, f.message) for f in lint_source(read_source(path))] == []


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_a_good_file_gets_no_note_of_its_own_cause(path: Path) -> None:
    found = lint_source(read_source(path), Selection(select=(path.parent.name,), notes=True))
    assert [(f.cause, f.where, f.message) for f in found] == []


@pytest.mark.parametrize("slug", sorted(lintable()))
def test_a_rule_has_at_least_three_bad_and_three_good_files(slug: str) -> None:
    folder = FIXTURES / catalog.find(slug).family / slug
    assert len(list(folder.glob("bad_*.py"))) >= 3
    assert len(list(folder.glob("good_*.py"))) >= 3


def test_the_words_that_rules_need_hold_nothing_back() -> None:
    """A rule is not asked where none of its words occur: asked all the same, it has nothing to say."""
    everything = Selection(notes=True)
    unconditional = {slug: Cause(slug, cause.family, cause.file) for slug, cause in lintable().items()}
    for cause in unconditional.values():
        vars(cause)["needs"] = ()
    for path in BAD:
        source = read_source(path)
        asked = {(f.cause, f.where) for f in lint_source(source, everything)}
        assert {(f.cause, f.where) for f in lint_source(source, everything, unconditional)} == asked, path
