"""What lint cannot read must not pass for clean, and must not cost the rest of a project."""

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sleuth.source.parsed_file import MAX_BYTES, UnreadableSource, decode
from tests.attacks.processes import is_sentence, sampled, sleuth
from tests.attacks.tally import tally

BROKEN = Path("zoo/handmade/loss/double-softmax/broken.py").read_text("utf-8")
DEEP = 100_000
BOOK = '{"cells": [{"cell_type": "code", "source": "x = ("}, {"cell_type": "code", "source": "y = 1"}]}'
UNREAD: dict[str, bytes] = {
    "undefined.py": b"# coding: undefined\nx = 1\n",
    "unknown.py": b"# coding: no-such-thing\nx = 1\n",
    "bytes_to_bytes.py": b"# coding: hex\nx = 1\n",
    "punycode.py": b"# coding: punycode\nx = '\xff'\n",
    "idna.py": "# coding: idna\nx = 'a..b\u3002\u3002'\n".encode(),
    "torn.py": b"import torch\ndef f(:\n    pass\n",
    "latin.py": b"x = '\xe9'\n",
    "binary.py": b"x = 1\0\n",
    "large.py": b"x = 1\n" * (MAX_BYTES // 6 + 1),
    "deep.py": b"(" * DEEP + b")" * DEEP,
    "minus.py": b"x = " + b"-" * DEEP + b"1\n",
    "torn.ipynb": BOOK.encode(),
    "none.ipynb": b"[]",
    "deep.ipynb": b"[" * DEEP + b"]" * DEEP,
    "deep_cells.ipynb": b'{"cells": ' + b'{"a": ' * DEEP + b"1" + b"}" * DEEP + b"}",
    "deep_code.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": "(" * DEEP}]}).encode(),
    "numbers.ipynb": b'{"cells": [{"cell_type": "code", "source": ' + b"9" * 10_000 + b"}]}",
}


@pytest.mark.parametrize("name", sampled(UNREAD, 8))
def test_a_file_that_was_not_read_is_exit_code_two_and_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(UNREAD[name])
    done = sleuth("lint", ".", cwd=tmp_path)
    failed = done.returncode != 2 or done.stderr.count(b"\n") != 1 or name.encode() not in done.stderr
    tally("files that cannot be read, among others", 1, int(failed))
    assert not failed, done


def test_the_rest_of_a_project_is_judged_all_the_same(tmp_path: Path) -> None:
    for name, content in UNREAD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "train.py").write_text(BROKEN, "utf-8")
    os.symlink(tmp_path / "nowhere", tmp_path / "dangling.py")
    done = sleuth("lint", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert b"[double-softmax]" in done.stdout
    assert done.stderr.count(b"sleuth: Cannot read ") == len(UNREAD) + 1
    data = json.loads(sleuth("lint", ".", "--json", "-", cwd=tmp_path).stdout)
    assert {entry["path"] for entry in data["unreadable"]} == {*UNREAD, "dangling.py"}
    assert [finding["cause"] for finding in data["findings"]] == ["double-softmax"]


def test_a_project_may_say_that_this_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_bytes(UNREAD["torn.py"])
    assert sleuth("lint", ".", cwd=tmp_path).returncode == 2
    assert sleuth("lint", "--unreadable", "ignore", ".", cwd=tmp_path).returncode == 0
    config = tmp_path / "pyproject.toml"
    config.write_text('[tool.sleuth]\nunreadable = "ignore"\n')
    done = sleuth("lint", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert b"torn.py:2" in done.stderr
    assert sleuth("lint", "--unreadable", "error", ".", cwd=tmp_path).returncode == 2
    (tmp_path / "train.py").write_text(BROKEN, "utf-8")
    assert sleuth("lint", ".", cwd=tmp_path).returncode == 1
    config.write_text('[tool.sleuth]\nunreadable = "ignroe"\n')
    assert is_sentence(sleuth("lint", ".", cwd=tmp_path), 2)


@pytest.mark.parametrize("words", [["--audit"], ["--fix"], ["-q"], ["--format", "sarif"]])
def test_every_way_of_linting_says_so(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_bytes(UNREAD["latin.py"])
    (tmp_path / "fine.py").write_text("x = 1\n")
    done = sleuth("lint", *words, ".", cwd=tmp_path)
    assert done.returncode == 2
    assert b"torn.py" in done.stderr


def test_what_did_not_change_is_not_held_against_a_change(tmp_path: Path) -> None:
    import subprocess

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    (tmp_path / "torn.py").write_bytes(UNREAD["torn.py"])
    git("init")
    git("add", ".")
    git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-m", "x")
    (tmp_path / "fine.py").write_text("x = 1\n")
    assert sleuth("lint", "--diff", "HEAD", ".", cwd=tmp_path).returncode == 0
    (tmp_path / "torn.py").write_bytes(UNREAD["torn.py"] + b"\n")
    assert sleuth("lint", "--diff", "HEAD", ".", cwd=tmp_path).returncode == 2


CODECS = st.sampled_from(
    "undefined hex rot13 utf-16 utf-7 idna punycode zlib mbcs utf-8-sig cp1252 base64".split()
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200), st.none() | CODECS)
def test_bytes_become_text_or_a_sentence(data: bytes, codec: str | None) -> None:
    head = b"" if codec is None else f"# coding: {codec}\n".encode()
    with suppress(UnreadableSource):
        assert isinstance(decode("a.py", head + data), str)
