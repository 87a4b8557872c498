"""Reading records: torn lines, odd values, series, seeds, packing."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.archive import record

STEP: dict[str, Any] = {
    "kind": "step",
    "n": 0,
    "t": 0.0,
    "loss": 1.0,
    "grad_norm": None,
    "note": "x",
    "ok": True,
}


def written(folder: Path, text: str) -> Path:
    (folder / record.RECORD).write_text(text, "utf-8")
    return folder


def test_every_number_of_a_step_is_a_series_and_nothing_else_is() -> None:
    found = record.digest([STEP, STEP | {"n": 5, "loss": math.inf, "grad_norm": 3}])
    assert set(found.series) == {"step/t", "step/loss", "step/grad_norm"}
    assert (found.series["step/loss"].steps, found.series["step/loss"].values) == ((0, 5), (1.0, math.inf))
    assert (found.series["step/grad_norm"].steps, found.series["step/grad_norm"].values) == ((5,), (3.0,))
    assert found.steps == 6


def test_numbers_that_json_lacks_may_stand_as_words() -> None:
    found = record.digest([STEP | {"loss": word, "note": "infinite"} for word in ("nan", "inf", "-inf")])
    assert [repr(value) for value in found.series["step/loss"].values] == ["nan", "inf", "-inf"]
    assert "step/note" not in found.series


def test_metrics_without_a_step_take_the_latest() -> None:
    events = [STEP | {"n": 7}, {"kind": "metric", "name": "acc", "value": 0.5}, {"kind": "unheard", "acc": 3}]
    found = record.digest(events).series["acc"]
    assert (found.steps, found.values) == ((7,), (0.5,))


def test_seeds_are_told_once() -> None:
    seed = {"kind": "seed", "what": "numpy", "value": 3}
    assert record.digest([seed, seed, seed | {"value": 4}]).seeds == (("numpy", 3), ("numpy", 4))


def test_a_seed_of_nought_is_a_seed() -> None:
    """A recorder does not write what has its default."""
    assert record.digest([{"kind": "seed", "what": "torch"}]).seeds == (("torch", 0),)


def test_where_only_children_trained_the_first_of_theirs_is_read(tmp_path: Path) -> None:
    folder = written(tmp_path, '{"kind":"run"}\n')
    for name in ("4711", "rank1", "rank0", "rank10"):
        (folder / f"record.{name}.jsonl").write_text(json.dumps(STEP | {"who": name}) + "\n")
    assert [event.get("who") for event in record.events(folder)] == [None, "rank0"]
    assert record.span(folder) == 1
    (folder / record.RECORD).write_text(json.dumps(STEP) + "\n")
    assert [*record.events(folder)] == [STEP]


@pytest.mark.parametrize("tail", ['{"kind":"st', "\x00\x00", "[1, 2]", '{"n": 3}', "[" * 100_000])
def test_a_torn_or_foreign_line_is_passed_over(tmp_path: Path, tail: str) -> None:
    folder = written(tmp_path, json.dumps(STEP) + "\n" + tail)
    assert list(record.events(folder)) == [STEP]
    assert record.span(folder) == 1


def test_numbers_that_no_float_holds_are_left_out() -> None:
    found = record.digest([STEP | {"loss": 10**400, "n": 10**30}])
    assert "step/loss" not in found.series
    assert found.series["step/t"].steps == (0,)


@settings(deadline=None)  # the machine may be busy
@given(st.integers(0, 400))
def test_a_record_cut_anywhere_keeps_the_lines_before_the_cut(cut: int) -> None:
    lines = [json.dumps(STEP | {"n": n}) + "\n" for n in range(4)]
    whole = "".join(lines)[:cut]
    with TemporaryDirectory() as folder:
        kept = [event["n"] for event in record.events(written(Path(folder), whole))]
    complete = whole.count("\n")
    assert kept[:complete] == list(range(complete))


def test_a_long_record_is_packed_and_reads_the_same(tmp_path: Path) -> None:
    lines = "".join(json.dumps(STEP | {"n": n}) + "\n" for n in range(5000))
    before = list(record.events(written(tmp_path, lines)))
    record.pack(tmp_path)
    assert not (tmp_path / record.RECORD).exists()
    assert list(record.events(tmp_path)) == before
    assert len(before) == 5000


def test_a_packed_record_cut_short_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    written(tmp_path, "".join(json.dumps(STEP | {"n": n}) + "\n" for n in range(5000)))
    record.pack(tmp_path)
    packed = tmp_path / record.PACKED_RECORD
    packed.write_bytes(packed.read_bytes()[:-2000])
    assert 0 < len(list(record.events(tmp_path))) < 5000


def test_a_short_record_stays_a_text(tmp_path: Path) -> None:
    record.pack(written(tmp_path, json.dumps(STEP) + "\n"))
    assert (tmp_path / record.RECORD).exists()


def test_the_span_of_a_long_record_is_read_from_its_ends(tmp_path: Path) -> None:
    folder = written(tmp_path, "".join(json.dumps(STEP | {"n": n}) + "\n" for n in range(10, 9000)))
    assert record.span(folder) == record.digest(record.events(folder)).steps == 8990


def test_no_record_has_no_events(tmp_path: Path) -> None:
    assert list(record.events(tmp_path)) == []
    assert record.span(tmp_path) is None
