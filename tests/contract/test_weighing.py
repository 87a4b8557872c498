"""One weighing: detectors say how telling what they saw is, and `sleuth.judge` alone makes findings of it."""

import ast
from collections.abc import Iterator

import pytest

from sleuth import catalog
from tests.contract.sources import of_the_engine, trees_of

DECIDED = {"severity", "credence"}
HERE = {"judge/strength.py", "judge/weigh.py"}
OTHERS = {"lsp.py"}  # the severities of an editor's marks, made from those of findings


def decisions(tree: ast.Module) -> Iterator[int]:
    """Lines that make a finding, or give one a severity or a credence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name == "Finding" or DECIDED & {word.arg for word in node.keywords}:
                yield node.lineno


def test_nothing_but_the_judge_makes_findings() -> None:
    found = {name for name, tree in of_the_engine().items() if list(decisions(tree))}
    assert found == HERE | OTHERS


@pytest.mark.parametrize("slug", sorted(catalog.causes()))
def test_no_cause_makes_findings(slug: str) -> None:
    assert [line for tree in trees_of(slug) for line in decisions(tree)] == []


def test_a_finding_made_elsewhere_would_be_seen() -> None:
    code = "Finding('x')\nreplace(f, credence=0.5)\nFlaw('x', severity='error')\nEvidence('x')\nf.severity"
    assert list(decisions(ast.parse(code))) == [1, 2, 3]
