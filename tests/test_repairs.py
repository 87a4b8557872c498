"""A repaired twin is its broken script and a patch: what a patch does, and that every one of the zoo fits."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import repair
from bench.zoo import ROOT, SETS, cases
from sleuth.errors import SleuthError

LINES = st.lists(st.sampled_from(["a", "b", "", "-- a", "++ b", " c", "@@ -1 +1 @@", "\x0c"]), max_size=12)
TEXTS = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))
FOLDERS = st.dictionaries(st.sampled_from(["broken.py", "broken/a.py", "broken/b/c.py"]), TEXTS, min_size=1)


@given(FOLDERS, st.data())
def test_a_patch_makes_of_the_one_the_other(before: dict[str, str], data: st.DataObject) -> None:
    after = {name: data.draw(TEXTS) for name in before}
    assert repair.applied(repair.patch(before, after), before) == after


@given(LINES.filter(bool), TEXTS, st.data())
def test_a_patch_never_passes_over_what_it_does_not_know(
    lines: list[str], after: str, data: st.DataObject
) -> None:
    patch = repair.patch({"a": "".join(f"{line}\n" for line in lines)}, {"a": after})
    lines[data.draw(st.integers(0, len(lines) - 1))] = "another"
    try:
        made = repair.applied(patch, {"a": "".join(f"{line}\n" for line in lines)})
    except SleuthError:
        return
    assert "another" in made["a"].split("\n")  # outside of what the patch shows


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("nonsense\n", "no head of a file"),
        ("--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "which is not there"),
        ("--- a\n+++ a\n@@ -1 +1 @@\n-y\n+x\n", "does not fit line 1 of a"),
        ("--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n", "does not fit line 2 of a"),
    ],
)
def test_what_is_wrong_with_a_patch_is_said(patch: str, said: str) -> None:
    with pytest.raises(SleuthError, match=said):
        repair.applied(patch, {"a": "x\n"})


def test_it_is_an_ordinary_patch(tmp_path: Path) -> None:
    before, after = {"broken.py": "a\nb\nc\n"}, {"broken.py": "a\nB\nc\nd\n"}
    (tmp_path / "broken.py").write_text(before["broken.py"])
    (tmp_path / "repair.patch").write_text(repair.patch(before, after))
    subprocess.run(["git", "apply", "-p0", "repair.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "broken.py").read_text() == after["broken.py"]


@pytest.mark.parametrize("of", SETS)
def test_every_patch_of_the_zoo_fits_and_its_twin_is_a_program(of: str) -> None:
    seen = 0
    for case in cases(SETS[of]):
        twin = repair.twin(case.folder)
        files = {name: data for name, data in twin.items() if name.startswith("fixed")}
        before = {name: (case.folder / name.replace("fixed", "broken", 1)).read_bytes() for name in files}
        assert files != before, case.name
        for name, data in files.items():
            if name.endswith(".py"):
                ast.parse(data, name)
        seen += 1
    assert seen >= 40


def test_a_twin_finds_what_lies_beside_its_broken_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, "CACHE", tmp_path / "cache")
    folder = tmp_path / "case"
    for half, text in {"broken": "print(other.X + 1)", "fixed": "print(other.X)"}.items():
        (folder / half).mkdir(parents=True)
        (folder / half / "train.py").write_text(f"import other\n{text}\n")
        (folder / half / "other.py").write_text("X = int(open('numbers.csv').read())\n")
    (folder / "numbers.csv").write_text("1\n")
    repair.main([str(folder)])
    assert not (folder / "fixed").exists()
    home = repair.repaired(folder)
    done = subprocess.run([sys.executable, "fixed/train.py"], cwd=home, capture_output=True, text=True)
    assert done.stdout.strip() == "1"
    assert not (home / "broken").exists()
    assert repair.repaired(folder) == home
    (folder / "numbers.csv").write_text("2\n")
    assert repair.repaired(folder) != home


def test_halves_of_other_files_are_no_pair(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("")
    with pytest.raises(SleuthError, match="same files"):
        repair.main([str(tmp_path)])


def test_the_cache_is_not_part_of_the_repository() -> None:
    assert f"{repair.CACHE.relative_to(ROOT).parts[0]}/" in (ROOT / ".gitignore").read_text().split()
