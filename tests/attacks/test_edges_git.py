"""A repository whose own settings name programs to run: Sleuth reads it, and runs none of them."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import sleuth
from sleuth.archive import code
from sleuth.lint.changes import changed_lines
from tests.attacks import processes
from tests.attacks.tally import tally

TRAIN = "import torch\nx = 1\n"


def plain_git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", "-C", str(folder), *who, *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def configure(folder: Path, *pairs: tuple[str, str]) -> None:
    for key, value in pairs:
        plain_git(folder, "config", key, value)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, one change since, and one new file."""
    folder = tmp_path / "repository"
    folder.mkdir()
    plain_git(folder, "init", "-q")
    (folder / "train.py").write_text(TRAIN)
    (folder / "book.ipynb").write_text("{}")
    plain_git(folder, "add", ".")
    plain_git(folder, "commit", "-qm", "first")
    (folder / "train.py").write_text(TRAIN + "y = 2\n")
    (folder / "new.py").write_text("z = 3\n")
    return folder


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it is run."""
    path = tmp_path / "trap"
    path.write_text(f"#!/bin/sh\necho ran >> '{tmp_path}/sprung'\nexit 1\n")
    path.chmod(0o755)
    return path


def monitor(folder: Path, trap: Path) -> None:
    configure(folder, ("core.fsmonitor", str(trap)))


def hooks(folder: Path, trap: Path) -> None:
    (folder / "hooks").mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        (folder / "hooks" / name).symlink_to(trap)
    configure(folder, ("core.hooksPath", str(folder / "hooks")))


def filters(folder: Path, trap: Path) -> None:
    (folder / ".gitattributes").write_text("*.py filter=evil=one\n*.ipynb filter=evil=one diff=evil\n")
    configure(folder, ("filter.evil=one.clean", str(trap)), ("filter.evil=one.required", "true"))


def long_running_filter(folder: Path, trap: Path) -> None:
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil\n")
    configure(folder, ("filter.evil.process", str(trap)))


def drivers(folder: Path, trap: Path) -> None:
    (folder / ".gitattributes").write_text("*.py diff=evil\n")
    pairs = (
        ("diff.evil.command", str(trap)),
        ("diff.evil.textconv", str(trap)),
        ("diff.external", str(trap)),
    )
    configure(folder, *pairs)


def pagers(folder: Path, trap: Path) -> None:
    configure(
        folder, *((key, str(trap)) for key in ("core.pager", "pager.diff", "core.editor", "core.askPass"))
    )


def aliases(folder: Path, trap: Path) -> None:
    configure(
        folder, *((f"alias.{word}", f"!{trap}") for word in ("diff", "ls-files", "cat-file", "rev-parse"))
    )


def included(folder: Path, trap: Path) -> None:
    (folder / "more").write_text(f'[core]\n\tfsmonitor = {trap}\n[filter "late"]\n\tclean = {trap}\n')
    (folder / ".gitattributes").write_text("*.py filter=late\n")
    configure(folder, ("include.path", "../more"))


def lost_objects(folder: Path, trap: Path) -> None:
    """A clone that would fetch what is missing, from a remote with a program of its own."""
    configure(
        folder,
        ("remote.origin.url", str(folder.parent)),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", str(trap)),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("protocol.file.allow", "always"),
    )
    head = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD:train.py"], capture_output=True, text=True, check=True
    )
    name = head.stdout.strip()
    (folder / ".git" / "objects" / name[:2] / name[2:]).unlink()


def submodule(folder: Path, trap: Path) -> None:
    inner = folder.parent / "inner"
    inner.mkdir()
    plain_git(inner, "init", "-q")
    (inner / "a.py").write_text("a = 1\n")
    plain_git(inner, "add", ".")
    plain_git(inner, "commit", "-qm", "inner")
    plain_git(folder, "submodule", "add", "-q", str(inner), "inner")
    plain_git(folder, "commit", "-qm", "with a part")
    configure(folder / "inner", ("core.fsmonitor", str(trap)))
    (folder / "inner" / "a.py").write_text("a = 2\n")


TRAPS = (
    monitor,
    hooks,
    filters,
    long_running_filter,
    drivers,
    pagers,
    aliases,
    included,
    lost_objects,
    submodule,
)
SPRUNG_BY_PLAIN_GIT = (monitor, filters, long_running_filter, drivers, included, lost_objects, submodule)


@pytest.mark.parametrize("lay", processes.sampled(SPRUNG_BY_PLAIN_GIT, 3), ids=lambda lay: lay.__name__)
def test_the_trap_is_one(repository: Path, trap: Path, lay: Callable[[Path, Path], None]) -> None:
    lay(repository, trap)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    subprocess.run(
        ["git", "-C", str(repository), "diff", "HEAD"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
        env=environment,
    )
    assert (trap.parent / "sprung").exists()


@pytest.mark.parametrize("lay", processes.sampled(TRAPS, 3), ids=lambda lay: lay.__name__)
def test_nothing_of_a_repository_is_run(
    repository: Path, trap: Path, lay: Callable[[Path, Path], None]
) -> None:
    lay(repository, trap)
    (trap.parent / "sprung").unlink(missing_ok=True)
    done = processes.sleuth("lint", "--diff", "HEAD", "--notes", ".", cwd=repository)
    kept = trap.parent / "kept"
    kept.mkdir()
    told = code.snapshot(kept, repository / "train.py", repository)
    if told["commit"]:
        code.committed(repository, told["commit"], "train.py")
        code.between(repository, told["commit"], "HEAD")
    failed = (trap.parent / "sprung").exists() or done.returncode not in (0, 1, 2) or b"fault" in done.stderr
    tally("programs named in a repository's git settings", 1, int(failed))
    assert not failed, done


def test_what_is_asked_is_answered(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    configure(repository, ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"))
    (repository / 'caf\u00e9 "1"\t.py').write_text("a = 1\n")
    plain_git(repository, "add", "-N", ".")
    (repository / "untracked \u00e9.py").write_text("a = 1\n")
    changed = {path.name: lines for path, lines in changed_lines("HEAD").items()}
    assert changed["train.py"] == {3}
    assert changed['caf\u00e9 "1"\t.py'] == {1}
    assert changed["untracked \u00e9.py"] == {1, 2}
    state = code.git_state(repository)
    assert state is not None
    assert "+y = 2" in state.diff
    assert code.committed(repository, state.commit, "train.py") == TRAIN


def test_there_is_one_door_to_git() -> None:
    package = Path(sleuth.__file__).parent
    started = [
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if re.search(r"""[\[(]\s*["']git["']""", file.read_text("utf-8"))
    ]
    assert started == ["git.py"]
