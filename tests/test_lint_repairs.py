"""Every repair that a rule proposes, applied by itself: the file parses, the finding is gone, none is new."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from bench import snippets
from sleuth.finding import Finding
from sleuth.judge.strength import alone
from sleuth.lint import lint_source
from sleuth.lint.fix import apply
from sleuth.source.parsed_file import UnreadableSource, parse_source

FIXTURES = Path(__file__).parent / "causes"
FILES = sorted(
    [*FIXTURES.glob("*/*/bad_*.py"), *(s.path for name in snippets.sets() for s in snippets.bad(name))]
)
# Causes for which a repair is written; a rule that loses its repair fails here.
LEAST_CAUSES = 40


def found_in(path: Path, text: str) -> list[Finding]:
    return [alone(one) for one in lint_source(parse_source(str(path), text))]


def repairable(path: Path) -> list[Finding]:
    try:
        return [finding for finding in found_in(path, path.read_text("utf-8")) if finding.edits]
    except UnreadableSource:
        return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_repair_leaves_a_file_that_parses_without_the_finding(path: Path) -> None:
    proposed = repairable(path)
    text = path.read_text("utf-8")
    before = Counter(finding.cause for finding in found_in(path, text)) if proposed else Counter[str]()
    for finding in proposed:
        mended, count = apply(text, [finding])
        assert count == 1
        ast.parse(mended)
        after = Counter(one.cause for one in found_in(path, mended))
        assert after[finding.cause] < before[finding.cause], mended
        assert not after - before, mended


def test_many_causes_have_repairs_and_some_are_safe() -> None:
    """Of each cause, its fixtures up to the first that is repaired."""
    found: list[Finding] = []
    for folder in sorted(FIXTURES.glob("*/*")):
        named = (repairable(path) for path in sorted(folder.glob("bad_*.py")))
        found += next((some for some in named if any(one.cause == folder.name for one in some)), [])
    assert len({finding.cause for finding in found}) >= LEAST_CAUSES
    assert any(all(edit.safe for edit in finding.edits) for finding in found)
    assert any(not all(edit.safe for edit in finding.edits) for finding in found)
