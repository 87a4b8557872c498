"""The page of a map: self-contained, complete, and safe with other people's text."""

import json
import re
from itertools import pairwise
from pathlib import Path

from sleuth.evidence.check import check_map
from sleuth.evidence.credence import weigh
from sleuth.evidence.reader import read_file, read_map
from sleuth.show.evidence_graph import BOX_HEIGHT, draw
from sleuth.show.evidence_page import page_html
from tests.evidence.maps import SMALL, write_small


def page(path: Path) -> str:
    found = read_file(path)
    return page_html(weigh(found), check_map(found))


def test_everything_is_in_the_page(tmp_path: Path) -> None:
    text = page(write_small(tmp_path))
    assert text.count('class="box ') == 6
    assert text.count('class="edge support"') == 1
    assert text.count('class="edge attack"') == 1
    assert text.count('class="edge premise"') == 3
    found = re.search(r'id="details">(.*?)</script>', text)
    assert found is not None
    details = json.loads(found[1])
    assert details["[Ada Measures]"]["quotes"][0]["verdict"] == "EXACT"
    assert details["[Descale]"]["terms"][1] == {
        "node": "[Wires First]",
        "against": True,
        "weight": "0.20 × 1.00",
    }
    assert "@@" not in text


def test_nothing_is_fetched(tmp_path: Path) -> None:
    text = page(write_small(tmp_path))
    assert not re.search(r'(?:src|href)="(?!#)|@import|url\(', text)


def test_other_people_s_text_stays_text(tmp_path: Path) -> None:
    nasty = SMALL.replace("Ada timed", "</script><img src=x onerror=alert(1)> Ada timed")
    nasty = nasty.replace("https://example.org/notes", "javascript:alert(1)").replace(
        "title: Kettles", "title: <b>K</b>"
    )
    text = page(write_small(tmp_path, nasty))
    assert "<img" not in text
    assert "<title>&lt;b&gt;K" in text
    assert '"target": "javascript:' not in text


def test_wider_is_more_believed_and_boxes_do_not_overlap() -> None:
    drawing = draw(weigh(read_map(SMALL)))
    by_column: dict[float, list[float]] = {}
    for box in drawing.boxes:
        by_column.setdefault(box.x, []).append(box.y)
    for rows in by_column.values():
        ordered = sorted(rows)
        assert all(after - before >= BOX_HEIGHT for before, after in pairwise(ordered))
    support, attack = (
        next(edge for edge in drawing.edges if edge.kind == kind) for kind in ("support", "attack")
    )
    assert support.credence > attack.credence
