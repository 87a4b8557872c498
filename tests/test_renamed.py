"""Evidence that was recorded under the former names of the sets comes under those of today, all of it."""

import json
from pathlib import Path

import pytest

from bench import kept, record, renamed, replay
from bench.kept import Kept
from sleuth.judge.observed import Observed


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "evidence")
    monkeypatch.setattr(record, "SCRATCH", tmp_path / "scratch")
    monkeypatch.setattr(replay, "ACCEPTED", tmp_path / "evidence" / "verdicts.json")
    (tmp_path / "scratch").mkdir()
    return tmp_path


def test_evidence_verdicts_and_scratch_come_along(places: Path) -> None:
    seen = Observed(circumstances=frozenset({"learns"}))
    kept.write("zoo", [Kept("zoo/loss/a/broken", seen, "1"), Kept("zoo/loss/a/fixed", Observed(), "2")])
    kept.write("handmade", [Kept("handmade/loss/a/fixed", seen, "0"), Kept("handmade/loss/b/fixed", seen)])
    (places / "scratch" / "blind_data_c_broken.json").write_text(
        kept.to_line(Kept("blind/data/c/broken", seen))
    )
    replay.ACCEPTED.write_text(json.dumps({"wild/data/c/broken": {"grade": "first", "recorded": "v d"}}))
    renamed.main([])
    came = kept.read("handmade")
    assert {name: entry.script for name, entry in came.items()} == {
        "handmade/loss/a/broken": "1",
        "handmade/loss/a/fixed": "2",
        "handmade/loss/b/fixed": "",
    }
    text = (places / "scratch" / "strangers_data_c_broken.json").read_text()
    assert kept.from_line(text) == Kept("strangers/data/c/broken", seen)
    assert set(replay.accepted()) == {"practice/data/c/broken"}
    assert not list(places.glob("*/zoo*")) + list(places.glob("*/blind*"))
    before = {path: path.read_bytes() for path in places.rglob("*") if path.is_file()}
    renamed.main([])
    assert {path: path.read_bytes() for path in places.rglob("*") if path.is_file()} == before


def test_programs_that_shared_a_name_are_told_apart_by_their_text() -> None:
    alike = [
        s
        for s in kept.scripts("strangers")
        if s.name.startswith("strangers/healthy/") and s.path.stem == "train"
    ]
    assert len(alike) > 1
    for script in alike:
        assert renamed.todays("blind/healthy/train", kept.digest(script)) == script.name
