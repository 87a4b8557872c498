"""A project that ships a `.sleuth`: links, pipes, devices and junk where lint keeps what it may forget."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sleuth.files import read_regular
from sleuth.lint.cache import LARGEST, Cache
from sleuth.lint.reports import FileReport
from sleuth.source.parsed_file import fingerprint
from tests.attacks.processes import Done, sampled, sleuth
from tests.attacks.tally import tally

GUILTY = Path("zoo/handmade/loss/double-softmax/broken.py").read_text("utf-8")
FOLDER = Path(".sleuth", "cache", "lint")
LINKS = [FOLDER / ".gitignore", FOLDER, FOLDER.parent, FOLDER.parent.parent]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With a folder beside it that is none of its business."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "train.py").write_text(GUILTY, "utf-8")
    return tmp_path / "project"


def lint(project: Path, **environment: str) -> Done:
    return sleuth("lint", "train.py", cwd=project, **environment)


def found(done: Done) -> bool:
    return done.returncode == 1 and b"[double-softmax]" in done.stdout and done.stderr == b""


@pytest.mark.parametrize("link", LINKS, ids=str)
@pytest.mark.parametrize("dangling", [False, True])
def test_no_link_leads_lint_to_write_elsewhere(project: Path, link: Path, dangling: bool) -> None:
    elsewhere = project.parent / "elsewhere"
    target = elsewhere / "new" if dangling else elsewhere
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(target)
    done = lint(project)
    failed = not found(done) or os.listdir(elsewhere) != []
    tally("links in a shipped .sleuth that lead outside", 1, int(failed))
    assert not failed, done


def test_a_home_that_the_user_chose_may_be_a_link(project: Path) -> None:
    home = project.parent / "home"
    home.symlink_to(project.parent / "elsewhere")
    assert found(lint(project, SLEUTH_HOME=str(home)))
    assert (project.parent / "elsewhere" / "cache" / "lint" / ".gitignore").read_text() == "*\n"


def pipe(place: Path) -> None:
    os.mkfifo(place)


def device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def secret(place: Path) -> None:
    place.symlink_to(place.parent.parent / ".gitignore")


def deep(place: Path) -> None:
    place.write_text("[" * 100_000)


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(20_000_000_000)


def folder(place: Path) -> None:
    place.mkdir()


OBSTACLES = (pipe, device, secret, deep, huge, folder)


@pytest.mark.parametrize("obstacle", sampled(OBSTACLES, 2), ids=lambda make: make.__name__)
@pytest.mark.parametrize("own", ["cached", ".gitignore", "consulted"])
def test_whatever_stands_in_the_cache_lint_answers(
    project: Path, obstacle: Callable[[Path], None], own: str
) -> None:
    """Where a report is expected, where a mark is written, and where a report says to look."""
    assert found(lint(project))
    (cached,) = (project / FOLDER).rglob("*.json")
    place = {"cached": cached, ".gitignore": project / FOLDER / ".gitignore"}.get(own, project / "other.py")
    if own == "consulted":
        data = json.loads(cached.read_text("utf-8"))
        data["report"]["consulted"] = {str(place): ""}
        cached.write_text(json.dumps(data), "utf-8")
    else:
        place.unlink()
    obstacle(place)
    done = lint(project)
    tally("pipes, devices, huge and deep files in a shipped .sleuth", 1, int(not found(done)))
    assert found(done), done


def test_what_is_read_is_a_file_of_bounded_size(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    assert read_regular(file, 100) == b"x" * 100
    (tmp_path / "link").symlink_to(file)
    assert read_regular(tmp_path / "link", 100) == b"x" * 100
    for path, most, follow in (
        (file, 99, True),
        (tmp_path / "link", 100, False),
        (Path("/dev/zero"), 9, True),
    ):
        with pytest.raises(OSError, match=r"\w"):
            read_regular(path, most, follow)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(part=st.sampled_from("path fingerprint evidence trouble consulted excerpts rules".split()), junk=JUNK)
def test_junk_of_the_right_names_is_forgotten_or_sound(tmp_path: Path, part: str, junk: object) -> None:
    path, content = tmp_path / "train.py", GUILTY.encode()
    cache = Cache(tmp_path / "cache")
    cache.remember(path, FileReport(str(path), fingerprint(content)))
    file = cache._file(path)
    data = json.loads(file.read_text("utf-8"))
    data["report"][part] = junk
    if part == "evidence":
        data["report"][part] = [{"cause": "double-softmax", "message": junk, "where": {"line": junk}}]
    file.write_text(json.dumps(data), "utf-8")
    report = cache.recall(path, content)
    assert report is None or all(isinstance(one.message, str) for one in report.evidence)


def test_a_report_too_long_to_be_read_again_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.remember(Path("a.py"), FileReport("a.py", excerpts={("a.py", None, 1): "x" * LARGEST}))
    assert list(tmp_path.rglob("*.json")) == []
