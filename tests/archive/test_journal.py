"""The work log: notes come back, also beside what people write by hand."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import SleuthError
from sleuth.archive.journal import Note, _line, _parsed, add, by_day, notes
from sleuth.archive.when import moment

NOW = datetime(2026, 3, 4, 15, 6, 7)
PAGE = """# Journal

## 2026-03-04

- 15:06 first note
- 15:06 [20260304-150607-abcd] about a run

## 2026-03-05

- 15:06 next day
"""


def test_the_file_is_plain_markdown(tmp_path: Path) -> None:
    add(tmp_path, "first\n  note", NOW)
    add(tmp_path, "about a run", NOW, "20260304-150607-abcd")
    add(tmp_path, "next day", NOW.replace(day=5))
    assert (tmp_path / "journal.md").read_text() == PAGE


def test_what_people_write_by_hand_is_kept(tmp_path: Path) -> None:
    (tmp_path / "journal.md").write_text(
        "# My log\nintro\n## 2026-03-04\nno time here\n- 09:00 early\n* a star"
    )
    add(tmp_path, "later", NOW)
    found = notes(tmp_path)
    assert found == (
        Note("2026-03-04", "", "no time here"),
        Note("2026-03-04", "09:00", "early"),
        Note("2026-03-04", "", "* a star"),
        Note("2026-03-04", "15:06", "later"),
    )


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))))
def test_any_note_comes_back(text: str) -> None:
    words = " ".join(text.split())
    if words:
        note = Note("2026-03-04", "15:06", words, "20260304-150607-abcd")
        head = "# Journal\n\n## 2026-03-04\n\n"
        assert list(_parsed(_line(note, head).decode())) == [note]


def test_notes_of_several_writers_do_not_mix(tmp_path: Path) -> None:
    texts = [f"note {number} " + "x" * 500 for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: add(tmp_path, text, NOW), texts))
    assert sorted(note.text for note in notes(tmp_path)) == sorted(texts)
    assert list(by_day(notes(tmp_path))) == ["2026-03-04"]


def test_writers_who_begin_a_journal_together_begin_it_once(tmp_path: Path) -> None:
    for home in (tmp_path / str(number) for number in range(60)):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda text: add(home, text, NOW), "abcdefgh"))  # noqa: B023
        assert (home / "journal.md").read_text().count("#") == 3


def test_an_empty_note_and_a_bad_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match="some words"):
        add(tmp_path, "  ", NOW)
    (tmp_path / "file").write_text("")
    with pytest.raises(SleuthError, match="Cannot write"):
        add(tmp_path / "file", "text", NOW)


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("2d", datetime(2026, 3, 2, 15, 6, 7)),
        ("90m", datetime(2026, 3, 4, 13, 36, 7)),
        ("1w", datetime(2026, 2, 25, 15, 6, 7)),
        ("today", datetime(2026, 3, 4)),
        ("yesterday", datetime(2026, 3, 3)),
        ("2026-01-02", datetime(2026, 1, 2)),
        ("2026-01-02T03:04", datetime(2026, 1, 2, 3, 4)),
    ],
)
def test_times_as_people_write_them(text: str, then: datetime) -> None:
    assert moment(text, NOW) == then.timestamp()


@pytest.mark.parametrize("text", ["", "soon", "2x", "-1d", "999999w", "2026-13-01"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(SleuthError, match="as a time"):
        moment(text, NOW)
