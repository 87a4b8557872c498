"""Ledgers, settings and the cache of lint: a bad line or file costs itself, in one sentence."""

import json
import os
import random
from pathlib import Path

import pytest

from sleuth.diagnosis import ledger as ledgers
from tests.attacks import archives
from tests.attacks.tally import tally

SEED, SAMPLE, WHOLE = 11, 40, 200
DEEP = b"[" * 100_000


def case(home: Path) -> ledgers.Ledger:
    opened = ledgers.open_case("a case", True, home)
    lines = (
        ledgers.hypothesis("mine", 2.0, "it does not"),
        {
            "kind": "test",
            "name": "look",
            "question": "Is it?",
            "cost": 2.0,
            "likelihoods": {"mine": "always"},
        },
        {"kind": "observed", "test": "look", "answer": "yes", "note": ""},
        {"kind": "clue", "cause": "double-softmax", "technique": "lint", "strength": 0.5},
    )
    for line in lines:
        opened = ledgers.append(opened, line)
    return opened


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (DEEP, "Line 3 is nested too deeply. It is left out."),
        (b'{"kind": "hypothesis", "name": "caf\xe9"}', "Line 3 is not UTF-8. It is left out."),
        (b'{"kind": "hypothesis"}', "Line 3 does not fit: it lacks name. It is left out."),
        (
            b'{"kind": "clue", "cause": "x", "technique": "lint", "strength": NaN}',
            "strength lies outside 0 to 1",
        ),
        (b'{"kind": "test", "name": "t", "healthy": "often"}', "healthy is 'often', none of never"),
    ],
)
def test_a_bad_line_is_left_out_and_the_others_work(home: Path, line: bytes, told: str) -> None:
    opened = case(home)
    lines = opened.path.read_bytes().split(b"\n")
    before = archives.said("case", "status", "--json", "-").text
    opened.path.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]))
    after = archives.said("case", "status")
    assert after.code == 0
    assert told in after.text
    board = json.loads(archives.said("case", "status", "--json", "-").text)["board"]
    assert board == json.loads(before)["board"]
    assert archives.said("case", "list").text.strip() == "a-case  a case  (1 line damaged)"


def attack(home: Path, tries: int) -> list[str]:
    chance = random.Random(SEED)
    opened = case(home)
    whole = opened.path.read_bytes().rstrip(b"\n").split(b"\n")
    found = []
    for turn in range(tries):
        lines = list(whole)
        place = chance.randrange(len(lines))
        if turn % 2:
            lines[place] = archives.flipped(lines[place], chance)
        else:
            lines[place] = json.dumps(archives.bent(json.loads(lines[place]), chance)).encode()
        opened.path.write_bytes(b"\n".join(lines) + b"\n")
        for verb in ("status", "next", "list"):
            answer = archives.said("case", verb, "--json", "-")
            if answer.code != 0:
                found.append(f"{verb} {answer.code}: {lines[place][:200]!r} {answer.text[-300:]}")
    return found


def test_junk_in_a_ledger_ends_no_verb(home: Path) -> None:
    assert attack(home, SAMPLE) == []


@pytest.mark.slow
def test_junk_in_a_ledger_many_times(home: Path) -> None:
    found = attack(home, WHOLE)
    tally("a line of a ledger of another shape, or with a bit flipped", WHOLE, len(found))
    assert found == []


@pytest.mark.parametrize(
    "content", [DEEP, b"x = \xff", b"x = 1" + b"0" * 5000], ids=["deep", "bytes", "digits"]
)
def test_a_project_file_that_cannot_be_read_is_one_sentence(home: Path, content: bytes) -> None:
    Path("pyproject.toml").write_bytes(b"[tool.sleuth.lint]\n" + b"x = " * content.startswith(b"[") + content)
    Path("a.py").write_text("x = 1\n")
    answer = archives.said("lint", "a.py")
    assert answer.code == 2
    assert answer.text.count("\n") == 1
    assert "pyproject.toml is n" in answer.text
    Path("pyproject.toml").write_bytes(b"[tool.other]\n" + content)
    assert archives.said("lint", "a.py").code == 0


def test_a_cache_of_lint_is_forgotten_where_it_is_damaged(home: Path) -> None:
    Path("a.py").write_text("import torch\nx = torch.softmax(torch.zeros(3))\n")
    first = archives.said("lint", "a.py")
    (kept,) = (home / "cache" / "lint").glob("*/*.json")
    whole = kept.read_text()
    for bad in (DEEP.decode(), "[]", whole.replace('"evidence": [', '"evidence": [3, '), "{}"):
        kept.write_text(bad)
        assert archives.said("lint", "a.py") == first
    kept.unlink()
    os.mkfifo(kept)
    assert archives.said("lint", "a.py") == first
    kept.unlink()
    kept.symlink_to("/dev/zero")
    assert archives.said("lint", "a.py") == first


def test_a_cache_of_lint_writes_through_no_link(home: Path) -> None:
    Path("a.py").write_text("x = 1\n")
    (home / "cache" / "lint").mkdir(parents=True)
    (home / "cache" / "lint" / ".gitignore").symlink_to(Path("outside").absolute())
    assert archives.said("lint", "a.py").code == 0
    assert not Path("outside").exists()
