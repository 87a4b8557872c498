"""The same maps through the official parser, where node and @argdown/core are installed."""

from typing import Any

import pytest

from bench.evidence import official, real, sample
from sleuth.evidence.model import AGAINST
from sleuth.evidence.reader import read_map
from tests.evidence.maps import SMALL
from tests.evidence.test_reader import RELATIONS

OTHERS = (
    "[A]: One.\n  + <B>: Two.\n  - [C]\n\n"
    "<B>\n\n(1) p {credence: 0.5}\n(2) [Q]: q #t\n-- rule --\n(3) r\n  +> [A]\n"
)


# The official parser allows no blank line between premises, which maps do have.
TEXTS = {
    "own": sample(),
    "real": real(),
    "small": SMALL.replace("\n\n(2)", "\n(2)"),
    "signs": RELATIONS,
    "others": OTHERS,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_official_parser_agrees(text: str | None) -> None:
    theirs: Any = official(text) if text else None
    if theirs is None:
        pytest.skip("node or @argdown/core is not installed (npm install @argdown/core)")
    assert text is not None
    ours = read_map(text)
    assert theirs["errors"] == []
    assert sorted(map(_untitled, ours.statements)) == sorted(map(_untitled, theirs["statements"]))
    assert sorted(ours.arguments) == sorted(theirs["arguments"])
    against = sum(entry.kind in AGAINST for entry in ours.relations)
    told = [kind in ("contrary", "attack", "undercut", "contradictory") for kind, _, _ in theirs["relations"]]
    assert (len(ours.relations), against) == (len(told), sum(told))
    for title, items in theirs["arguments"].items():
        named = [item["title"] for item in items if not item["title"].startswith("Untitled")]
        mine = [name for step in ours.arguments[title].steps for name in (*step.premises, step.conclusion)]
        assert [name for name in mine if not name.startswith("Untitled")] == named
        for item in items:
            if item["title"] in ours.statements and not item["title"].startswith("Untitled"):
                assert ours.statements[item["title"]].data == item["data"]


def _untitled(title: str) -> str:
    return "Untitled" if title.startswith("Untitled") else title
