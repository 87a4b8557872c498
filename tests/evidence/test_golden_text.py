"""What people read, letter by letter. `SLEUTH_GOLDEN=write pytest tests/evidence` rewrites the files."""

import os
from pathlib import Path

import click
import pytest

from sleuth.evidence.check import check_map
from sleuth.evidence.credence import weigh
from sleuth.evidence.folklore import rules
from sleuth.evidence.reader import read_map
from sleuth.evidence.why import why
from sleuth.show import evidence, evidence_claims, evidence_export
from tests.evidence.maps import SMALL

FOLDER = Path(__file__).parent / "golden"


def rendered() -> dict[str, str]:
    found = read_map(SMALL, "kettle.argdown")
    weighed = weigh(found)
    return {
        "check.txt": evidence.check_text(check_map(found)),
        "show.txt": evidence.tree(weighed),
        "why.txt": evidence.why_text(why(weighed, "Descale")),
        "map.dot": evidence_export.as_dot(weighed),
        "rule.md": evidence_claims.rule_markdown(rules()["loss-curve-red-herring"]),
        "claims.md": evidence_claims.claims_markdown([rules()["random-search"]]),
    }


@pytest.mark.parametrize("name", ["check.txt", "show.txt", "why.txt", "map.dot", "rule.md", "claims.md"])
def test_golden(name: str) -> None:
    text = click.unstyle(rendered()[name]) + "\n"
    if os.environ.get("SLEUTH_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, "utf-8")
    assert text == (FOLDER / name).read_text("utf-8")
