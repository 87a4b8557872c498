"""Checking a map with its evidence: verdicts in files, anchors rewritten, replaced sources noticed."""

from pathlib import Path

import pytest

from sleuth.errors import SleuthError
from sleuth.evidence.check import Check, check_map, fixed_text
from sleuth.evidence.files import lock_path, write_lock
from sleuth.evidence.reader import read_file
from tests.evidence.maps import SEED, SMALL, needs_seed, scraped, write_small


def checked(path: Path, folder: Path | None = None) -> Check:
    return check_map(read_file(path), folder)


def verdicts(result: Check) -> list[str]:
    return [entry.verdict for entry in result.quotes]


def rules(result: Check) -> set[str]:
    return {problem.rule for problem in result.problems}


def test_quotes_are_found_in_their_files(tmp_path: Path) -> None:
    result = checked(write_small(tmp_path))
    assert verdicts(result) == ["EXACT", "ELLIPSIS"]
    assert result.errors == ()
    assert result.no_folder is None


@pytest.mark.parametrize(
    ("old", "new", "verdict", "severity"),
    [
        ("to boil,", "to simmer,", "ALTERED", "warning"),
        ("> and four after the lime was gone.", "> but five when that lime went.", "ALTERED", "error"),
        ("**eleven minutes**", "**twelve minutes**", "ALTERED", "error"),
        ("kettle took", "took", "GAPS", "warning"),
        (
            "> The scaled kettle took **eleven minutes** to boil,\n",
            "> All is well in this house,\n",
            "MISSING",
            "error",
        ),
        ("notes.md#L3-L4", "notes.md#L1-L2", "MOVED", "warning"),
        ("notes.md#L3-L4", "gone.md#L3-L4", "NO-FILE", "error"),
    ],
)
def test_each_verdict_and_its_severity(
    tmp_path: Path, old: str, new: str, verdict: str, severity: str
) -> None:
    text = SMALL.replace(old, new)
    if verdict == "MISSING":
        text = text.replace("> and four after the lime was gone.", "> nobody needs tea.")
    result = checked(write_small(tmp_path, text))
    assert verdicts(result)[0] == verdict
    told = [problem for problem in result.problems if problem.rule == f"quote-{verdict.lower()}"]
    assert [(problem.severity, problem.line) for problem in told] == [(severity, 20)]


def test_a_moved_quote_gets_its_right_anchor(tmp_path: Path) -> None:
    path = write_small(tmp_path, SMALL.replace("notes.md#L3-L4", "notes.md#L1"))
    result = checked(path)
    text, done = fixed_text(path.read_text("utf-8"), result)
    assert done == 1
    assert text == SMALL


def test_the_anchor_of_a_scraped_map_is_rewritten_in_place(tmp_path: Path) -> None:
    page = scraped(SMALL)
    path = write_small(tmp_path, page.replace("notes.md#L3-L4", "notes.md#L1-L1"))
    text, done = fixed_text(path.read_text("utf-8"), checked(path))
    assert (text, done) == (page, 1)


def test_a_quote_without_a_link_cannot_be_compared(tmp_path: Path) -> None:
    result = checked(write_small(tmp_path, SMALL.replace("    [evidence](evidence/list.md#L2)\n", "")))
    assert verdicts(result) == ["EXACT", "NO-FILE"]


def test_a_replaced_source_is_noticed(tmp_path: Path) -> None:
    path = write_small(tmp_path)
    write_lock(str(path), checked(path).evidence)
    assert "source-replaced" not in rules(checked(path))
    notes = tmp_path / "evidence" / "notes.md"
    notes.write_text(notes.read_text("utf-8") + "\nOne more line.\n", "utf-8")
    result = checked(path)
    assert "source-replaced" in rules(result)
    assert verdicts(result)[0] == "EXACT"


def test_a_torn_lock_is_the_users_mistake(tmp_path: Path) -> None:
    path = write_small(tmp_path)
    lock_path(str(path)).write_text("{", "utf-8")
    with pytest.raises(SleuthError, match="--lock"):
        checked(path)


def test_a_missing_folder(tmp_path: Path) -> None:
    path = tmp_path / "kettle.argdown"
    path.write_text(SMALL, "utf-8")
    assert checked(path).no_folder == tmp_path / "evidence"
    assert verdicts(checked(path)) == ["NO-FILE", "NO-FILE"]
    (tmp_path / "elsewhere").mkdir()
    write_small(tmp_path / "elsewhere")
    assert verdicts(checked(path, tmp_path / "elsewhere" / "evidence")) == ["EXACT", "ELLIPSIS"]


@needs_seed
def test_real_quotes_against_pages_of_their_real_sources(tmp_path: Path) -> None:
    """Two of the sources are at hand as rendered pages: nothing is invented, everything stands elsewhere."""
    for name, start in (("joschu_nuts_and_bolts.md", "001"), ("amid_fish_reproducing_deep_rl.md", "003")):
        (page,) = SEED.parent.glob(f"{start}_*.txt")
        (tmp_path / name).write_text(page.read_text("utf-8"), "utf-8")
    result = checked(SEED, tmp_path)
    seen = [entry for entry in result.quotes if entry.verdict != "NO-FILE"]
    assert len(seen) == 5
    assert {entry.verdict for entry in seen} == {"MOVED"}
    assert all(entry.comparison and entry.comparison.bold == "EXACT" for entry in seen)
