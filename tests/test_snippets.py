"""Snippets written before the rules were run on them: right ones are left alone, and most bugs are found."""

from pathlib import Path

import pytest

from bench import snippets

GOOD = [path for name in snippets.sets() for path in snippets.good(name)]
LEAST_FOUND = 0.85  # published recall for static analysis of forum code; less would be a step back


@pytest.mark.parametrize("path", GOOD, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_right_snippet_is_left_alone(path: Path) -> None:
    assert [(finding.cause, str(finding.where)) for finding in snippets.findings(path)] == []


@pytest.mark.parametrize("name", snippets.sets())
def test_most_bugs_are_found_and_hardly_any_invented(name: str) -> None:
    result = snippets.tally(name)
    assert result.found >= LEAST_FOUND * result.bad
    assert result.precision >= 0.94  # published for static analysis of forum code; see docs/lint.md
