"""meta.json and end.json of one run are damaged: it is listed as damaged, and all others work."""

import json
import os
import random
import sqlite3
from pathlib import Path

import pytest

from sleuth import archive
from sleuth.archive import index
from tests.archive import made
from tests.attacks import archives
from tests.attacks.tally import tally

SEED, SAMPLE, WHOLE = 5, 25, 200


def pair(home: Path) -> tuple[archive.Run, archive.Run]:
    return tuple(archives.recorded(home, b"".join(archives.blocks())) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "end.json",
            b'{"ended": 1700000000, "exit_code": 0, "findings": ["x"]}',
            "findings[0] is the text 'x'",
        ),
        ("end.json", b"[1]", "end.json does not fit: it is a list of 1, not an object"),
        ("end.json", b"{}", "ended is missing"),
        ("end.json", b"", "end.json is no JSON"),
        ("end.json", b"[" * 100_000, "end.json is nested too deeply"),
        ("end.json", b'{"ended": 1e300, "exit_code": 0}', "ended lies outside"),
        ("end.json", b'{"ended": 1, "exit_code": 1' + b"0" * 400 + b"}", "hundreds of digits"),
        ("meta.json", b"\xff\xfe", "meta.json is not UTF-8"),
        ("meta.json", b'{"started": "yesterday"}', "started is the text 'yesterday', not a number"),
        ("meta.json", b'{"started": NaN, "command": [], "cwd": "/"}', "started lies outside"),
    ],
)
def test_a_damaged_run_is_listed_as_such(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    run, other = pair(tmp_path)
    (run.folder / name).write_bytes(content)
    assert archives.faults(tmp_path, run, other) == []
    (line,) = (
        line for line in archives.said("runs", "--home", str(tmp_path)).text.splitlines() if run.id in line
    )
    assert "damaged" in line
    assert told in line
    assert told in archives.said("runs", "show", run.id, "--home", str(tmp_path)).text
    assert "step/loss" in archives.said("runs", "show", run.id, "--home", str(tmp_path)).text
    assert {row.run.id: row.status for row in archive.listed(tmp_path)} == {
        run.id: "damaged",
        other.id: "finished",
    }


def test_fields_of_a_newer_version_are_no_damage(tmp_path: Path) -> None:
    run, _ = pair(tmp_path)
    for name in ("meta.json", "end.json"):
        path = run.folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | {f"new in {name}": [{"deep": 1}]}))
    assert run.damage == ()
    assert run.meta["new in end.json"] == [{"deep": 1}]


def test_a_name_with_half_a_letter_is_shown_as_its_escape(tmp_path: Path) -> None:
    run = archive.begin(["x"], None, home=tmp_path)
    run.record_path.write_text('{"kind": "metric", "name": "acc \\udce9", "value": 1, "n": 0}\n')
    run.finish(0)
    assert archives.faults(tmp_path, run, run) == []
    assert "acc \\udce9" in archives.said("runs", "show", run.id, "--home", str(tmp_path)).text


def test_a_run_that_goes_on_is_running_whatever_its_reader_sees(tmp_path: Path) -> None:
    run = archive.begin(["x"], None, home=tmp_path)
    block = archives.blocks()[0]
    for cut in range(0, len(block), 97):
        run.record_path.write_bytes(block[:cut])
        assert (run.status, run.damage) == ("running", ())


def test_a_commit_that_git_would_take_for_an_option_is_damage(tmp_path: Path) -> None:
    run, other = pair(tmp_path)
    meta = json.loads((run.folder / "meta.json").read_text())
    out = tmp_path / "written by git"
    meta["code"] |= {"commit": f"--output={out}", "root": os.getcwd()}
    (run.folder / "meta.json").write_text(json.dumps(meta))
    assert archives.faults(tmp_path, other, run) == []
    assert not out.exists()
    assert any("no commit of git" in sentence for sentence in run.damage)


def attack(tmp_path: Path, tries: int) -> list[str]:
    """Junk in one place of a run's facts."""
    chance = random.Random(SEED)
    run, other = pair(tmp_path)
    whole = {name: (run.folder / name).read_text() for name in ("meta.json", "end.json")}
    found: list[str] = []
    for _ in range(tries):
        name = chance.choice(list(whole))
        bad = json.dumps(archives.bent(json.loads(whole[name]), chance))
        (run.folder / name).write_text(bad)
        found += [f"{fault} {bad[:300]}" for fault in archives.faults(tmp_path, run, other)]
        (run.folder / name).write_text(whole[name])
    return found


def flips(tmp_path: Path, tries: int) -> list[str]:
    """One bit of meta.json or end.json, and both cut anywhere."""
    chance = random.Random(SEED)
    run, other = pair(tmp_path)
    whole = {name: (run.folder / name).read_bytes() for name in ("meta.json", "end.json")}
    found: list[str] = []
    for turn in range(tries):
        name = chance.choice(list(whole))
        data = whole[name]
        bad = archives.flipped(data, chance) if turn % 2 else data[: chance.randrange(len(data))]
        (run.folder / name).write_bytes(bad)
        found += [f"{fault} {bad[:200]!r}" for fault in archives.faults(tmp_path, run, other)]
        (run.folder / name).write_bytes(data)
    return found


def test_junk_in_the_facts_of_one_run_ends_no_verb(tmp_path: Path) -> None:
    assert attack(tmp_path, SAMPLE) == []


def test_flips_and_cuts_in_the_facts_end_no_verb(tmp_path: Path) -> None:
    assert flips(tmp_path, SAMPLE) == []


@pytest.mark.slow
def test_junk_in_the_facts_many_times(tmp_path: Path) -> None:
    found = attack(tmp_path, WHOLE)
    tally("JSON of another shape in meta.json or end.json", WHOLE, len(found))
    assert found == []


@pytest.mark.slow
def test_flips_and_cuts_in_the_facts_many_times(tmp_path: Path) -> None:
    found = flips(tmp_path, WHOLE)
    tally("a bit flipped in meta.json or end.json, or either cut", WHOLE, len(found))
    assert found == []


ROWS = (
    "UPDATE runs SET meta = '[1'",
    "UPDATE runs SET meta = 'null'",
    "UPDATE runs SET meta = X'00ff'",
    "UPDATE runs SET meta = CAST(X'ff7b7d' AS TEXT)",
    'UPDATE runs SET meta = \'{"started": "x"}\'',
    "UPDATE runs SET steps = 'many'",
    "UPDATE runs SET steps = NULL",
    "UPDATE runs SET stamp = 3",
    "UPDATE series SET steps = X'78'",
    "UPDATE series SET vals = 'text'",
    "UPDATE series SET vals = X''",
    "UPDATE series SET steps = vals",
    "UPDATE metrics SET shown = 'much'",
    "UPDATE metrics SET lowest = 'low', highest = X'00'",
    "DELETE FROM runs",
    "DROP TABLE metrics",
    "DROP TABLE series",
    "ALTER TABLE runs RENAME COLUMN meta TO other",
    "DROP TABLE runs",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 99",
)


@pytest.mark.parametrize("junk", ROWS)
def test_an_index_of_junk_is_made_again_from_the_folders(tmp_path: Path, junk: str) -> None:
    run, other = pair(tmp_path)
    listed, curves = archives.said("runs", "--home", str(tmp_path)).text, run.all_series()
    with sqlite3.connect(tmp_path / "index.sqlite") as db:
        db.execute(junk)
    db.close()
    assert archives.faults(tmp_path, run, other) == []
    assert run.all_series() == curves
    assert archives.said("runs", "--home", str(tmp_path)).text == listed
    assert index.rows(tmp_path).keys() == {run.id, other.id}
    assert index.stored_series(run) == curves


def test_a_run_whose_end_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    """The folders are the truth: an index that is behind them is not believed."""
    run, _ = pair(tmp_path)
    assert [row.meta["exit_code"] for row in archive.listed(tmp_path)] == [0, 0]
    end = json.loads((run.folder / "end.json").read_text())
    (run.folder / "end.json").write_text(json.dumps(end | {"exit_code": 7}))
    assert [row.status for row in archive.listed(tmp_path) if row.run == run] == ["failed"]


def test_a_run_that_is_a_link_is_not_removed_and_says_so(tmp_path: Path) -> None:
    elsewhere = archives.recorded(tmp_path / "elsewhere", b"")
    kept = archives.recorded(tmp_path / "home", b"")
    (tmp_path / "home" / "runs" / elsewhere.id).symlink_to(elsewhere.folder)
    told = archives.said("runs", "remove", elsewhere.id, "--yes", "--home", str(tmp_path / "home"))
    assert told.code == 2
    assert f"is a link to {elsewhere.folder}" in told.text
    assert elsewhere.folder.is_dir()
    assert kept.folder.is_dir()


def test_a_pipe_in_place_of_an_end_is_not_waited_for(tmp_path: Path) -> None:
    run, other = pair(tmp_path)
    (run.folder / "end.json").unlink()
    os.mkfifo(run.folder / "end.json")
    assert archives.faults(tmp_path, run, other) == []
    assert made.sleuth("runs", "--home", str(tmp_path)).stdout.count("is no plain file") == 1
