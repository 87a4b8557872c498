"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from sleuth.errors import SleuthError
from sleuth.files import write_whole


def test_a_new_file_holds_the_text_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "héllo")
    assert (tmp_path / "a.json").read_text("utf-8") == "héllo"
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interruption_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")

    def interrupted(*_: object) -> None:
        raise interruption

    monkeypatch.setattr("sleuth.files.os.replace", interrupted)
    with pytest.raises((KeyboardInterrupt, SleuthError)):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_missing_folder_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SleuthError, match=r"^Cannot write .*No such file or directory\.$"):
        write_whole(tmp_path / "none" / "a.json", "x")


def test_permissions_of_the_old_file_stay(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_text("old")
    target.chmod(0o640)
    write_whole(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
