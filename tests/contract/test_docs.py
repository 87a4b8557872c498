"""Documentation renders: tables have as many cells as their heads, and the index names every page."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
_FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")


def tables(text: str) -> Iterator[list[list[str]]]:
    """Its tables, as rows of cells."""
    for drawn, lines in groupby(_FENCE.sub("", text).splitlines(), key=lambda line: line.startswith("|")):
        if drawn:
            yield [[cell.strip() for cell in _BAR.split(line.strip())[1:-1]] for line in lines]


def faults(text: str) -> list[str]:
    found = []
    for head, *rows in tables(text):
        if len(set(head)) < len([cell for cell in head if cell]) + ("" in head):
            found.append(f"a column stands twice: {head}")
        if not rows or not all(re.fullmatch(":?-+:?", cell) for cell in rows[0]):
            found.append(f"no line below the head: {head}")
        found += [f"{len(row)} cells below {len(head)}: {row}" for row in rows if len(row) != len(head)]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_tables_render(page: Path) -> None:
    assert faults(page.read_text("utf-8")) == []


BROKEN = {
    "a short line below the head": "| a | b |\n|---|\n| 1 | 2 |",
    "no line below the head": "| a | b |\n| 1 | 2 |",
    "a row too long": "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
    "a column twice": "| a | a |\n|---|---|\n| 1 | 2 |",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_table_would_be_noticed(text: str) -> None:
    assert faults(text) != []


def test_a_bar_within_a_cell_is_no_border() -> None:
    assert faults("| a | b |\n|---|---|\n| x \\| y | 2 |") == []


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    folders = {f"{path.parent.name}/README.md" for path in DOCS.glob("*/README.md")}
    assert {name for name in pages | folders if f"({name})" not in index} == set()


def test_every_link_of_the_index_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", (DOCS / "README.md").read_text("utf-8"))
    assert [target for target in targets if not (DOCS / target).exists()] == []
