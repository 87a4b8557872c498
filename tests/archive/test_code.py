"""The code of a run: with git, without it, within bounds."""

import subprocess
import time
from pathlib import Path

import pytest

from sleuth import archive
from sleuth.archive import code
from tests.archive import made


def kept(run: archive.Run) -> list[str]:
    return sorted(code.kept(run.folder))


def test_without_git_the_imports_and_neighbours_are_copied(tmp_path: Path) -> None:
    script = made.project(tmp_path / "project")
    (script.parent / "neighbour.py").write_text("x = 1\n")
    run = archive.begin(["x"], script, home=tmp_path / "home")
    assert kept(run) == ["helper.py", "neighbour.py", "parts/__init__.py", "parts/deep.py", "train.py"]
    assert (run.folder / "code" / "train.py").read_text() == made.SCRIPT
    assert run.meta["code"]["commit"] is None


def test_with_git_the_commit_the_diff_and_the_new_files(tmp_path: Path) -> None:
    script = made.project(tmp_path / "project", git=True)
    (script.parent / "helper.py").write_text("name = 'changed'\n")
    (script.parent / "parts" / "nëw file.py").write_text("x = 1\n")
    (script.parent / "parts" / "unused.py").unlink()
    (script.parent / "data.bin").write_bytes(b"\x00" * 100)
    run = archive.begin(["x"], script, home=tmp_path / "home")
    head = subprocess.run(
        ["git", "-C", script.parent, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    assert run.meta["code"]["commit"] == head.stdout.strip()
    assert kept(run) == ["helper.py", "parts/nëw file.py", "train.py"]
    patch = (run.folder / "code.diff").read_text("utf-8")
    assert "+name = 'changed'" in patch
    assert "deleted file" in patch


def test_the_diff_rebuilds_the_tree(tmp_path: Path) -> None:
    """The slow twin: commit plus diff give back exactly what was there."""
    script = made.project(tmp_path / "project", git=True)
    (script.parent / "helper.py").write_text("from parts import deep\nname = 'changed'\n")
    run = archive.begin(["x"], script, home=tmp_path / "home")
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", script.parent, other], check=True)
    subprocess.run(["git", "-C", other, "apply", run.folder / "code.diff"], check=True)
    assert (other / "helper.py").read_text() == (script.parent / "helper.py").read_text()


def test_a_script_in_a_subfolder_of_a_repository_sees_the_whole_of_it(tmp_path: Path) -> None:
    script = made.project(tmp_path / "project" / "inner")
    (tmp_path / "project" / "shared.py").write_text("x = 1\n")
    made.commit(tmp_path / "project", "first")
    (tmp_path / "project" / "shared.py").write_text("x = 2\n")
    (tmp_path / "project" / "new.py").write_text("x = 3\n")
    run = archive.begin(["x"], script, home=tmp_path / "home")
    assert kept(run) == ["inner/train.py", "new.py", "shared.py"]


def test_a_repository_without_a_commit_is_copied(tmp_path: Path) -> None:
    script = made.project(tmp_path / "project")
    subprocess.run(["git", "init", "-q", script.parent], check=True)
    run = archive.begin(["x"], script, home=tmp_path / "home")
    assert run.meta["code"]["commit"] is None
    assert "helper.py" in kept(run)


def test_a_git_that_hangs_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = made.project(tmp_path / "project", git=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(code, "PATIENCE", 0.2)
    started = time.monotonic()
    run = archive.begin(["x"], script, home=tmp_path / "home")
    assert (run.recording, run.meta["code"]["commit"]) == (True, None)
    assert time.monotonic() - started < 20


def test_copies_stay_within_bounds_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = made.project(tmp_path / "project")
    (script.parent / "large.py").write_text("#" * 10_000)
    monkeypatch.setattr(code, "LARGEST", 5_000)
    run = archive.begin(["x"], script, home=tmp_path / "home")
    assert run.meta["code"]["left_out"] == ["large.py"]
    assert "large.py" not in kept(run)


def test_a_missing_script_is_no_reason_to_stop(tmp_path: Path) -> None:
    run = archive.begin(["x"], tmp_path / "nowhere" / "train.py", home=tmp_path / "home")
    assert run.recording
    assert run.meta["code"]["left_out"] == ["train.py"]


def test_relative_imports_are_followed(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    (package / "sub").mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "train.py": "from . import data\nfrom .sub.net import Net\nimport os, pkg.extra as extra\n",
        "data.py": "",
        "extra.py": "",
        "sub/__init__.py": "",
        "sub/net.py": "from ..loss import f\n",
        "loss.py": "",
    }.items():
        (package / name).write_text(text)
    found = {
        path.relative_to(package).as_posix() for path in code.local_files(package / "train.py", tmp_path)
    }
    assert {"data.py", "extra.py", "sub/net.py", "loss.py", "__init__.py"} <= found
