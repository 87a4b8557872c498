"""`--keep`: copies stay in one folder of the run, whatever the pattern; Sleuth's own files are whole."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import archive
from tests.attacks.tally import tally

OUTSIDE = ("../elsewhere.pt", "../*.pt", "{folder}/elsewhere.pt", "sub/../../elsewhere.pt")
OWN = ("../home/runs/*/meta.json", "{folder}/home/**/meta.json", "../**/record.jsonl", "../home/**/*")
NONE = ("", "**.pt", "/", "..", "/nothing/like/it/*", "\0", "[", "~")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> archive.Run:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    monkeypatch.chdir(work)
    return archive.begin(["train"], None, home=tmp_path / "home")


def copies(run: archive.Run) -> list[str]:
    return sorted(path.name for path in (run.folder / "artefacts").rglob("*") if path.is_file())


@pytest.mark.parametrize("pattern", OUTSIDE)
def test_a_file_from_elsewhere_is_kept_under_its_own_name(run: archive.Run, pattern: str) -> None:
    elsewhere = Path.cwd().parent / "elsewhere.pt"
    elsewhere.write_bytes(b"new")
    before = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    (kept,) = run.keep([pattern.format(folder=Path.cwd().parent)])
    tally("a file to keep from outside the working folder", 1, int(kept.parent != run.folder / "artefacts"))
    assert kept == run.folder / "artefacts" / "elsewhere.pt"
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("pattern", OWN)
def test_nothing_of_the_archive_is_copied_into_itself(run: archive.Run, pattern: str) -> None:
    meta = run.meta
    run.keep([pattern.format(folder=Path.cwd().parent)])
    tally("a pattern that means Sleuth's own files", 1, int(run.meta != meta or bool(copies(run))))
    assert (run.meta, copies(run)) == (meta, [])


@pytest.mark.parametrize("pattern", NONE)
def test_a_pattern_that_fits_nothing_or_is_none_keeps_nothing(run: archive.Run, pattern: str) -> None:
    assert run.keep([pattern]) == ()


def test_two_files_of_one_name_are_both_kept(run: archive.Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "last.pt").write_text(name)
    first, second = run.keep(["../one/last.pt", str(tmp_path / "two/*.pt")])
    assert (first.read_text(), second.read_text(), second.name) == ("one", "two", "2-last.pt")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["sub/..", ".", "sub", "*", "**", "x.pt", "meta.json", "a" * 300]), max_size=5)
)
def test_no_pattern_leaves_the_folder(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("kept")
    run = archive.begin(["train"], None, home=folder / "home")
    (folder / "x.pt").write_text("x")
    kept = run.keep(["/".join([str(folder), *parts])])
    assert all(path.is_relative_to(run.folder / "artefacts") for path in kept)
