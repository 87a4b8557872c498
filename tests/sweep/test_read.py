"""Files as people have them."""

from pathlib import Path

import pytest

from sleuth.errors import SleuthError
from sleuth.sweeping import read
from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.read import read_file
from sleuth.sweeping.table import indexed, meaning, numeric
from tests.sweep.runs import grid, write_csv


def said(path: Path) -> dict[str, object]:
    found = analyze(read_file(path), Request(Asked("lr", "acc"))).to_dict()
    return {key: value for key, value in found.items() if key != "source"}


def test_csv_tsv_json_lines_json_and_parquet_say_the_same(tmp_path: Path) -> None:
    import json

    import polars

    rows = grid(effects={0.2: 0.1}, group="g", opt="adam")
    rows[4]["acc"] = None
    csv = write_csv(tmp_path / "runs.csv", rows)
    (tmp_path / "runs.tsv").write_text(csv.read_text().replace(",", "\t"))
    (tmp_path / "semi.csv").write_text(
        "\ufeff" + csv.read_text().replace(",", ";").replace(".", ","), "utf-8"
    )
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "runs.json").write_text(json.dumps(rows))
    polars.DataFrame(rows).write_parquet(tmp_path / "runs.parquet")
    first = said(csv)
    for name in ("runs.tsv", "semi.csv", "runs.jsonl", "runs.json", "runs.parquet"):
        assert said(tmp_path / name) == first, name


def test_a_large_csv_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = grid(effects={0.2: 0.1}, opt="adam", flag=True)
    rows[4]["acc"] = "nan"
    rows[5]["acc"] = ""
    path = write_csv(tmp_path / "runs.csv", rows)
    first = said(path)
    monkeypatch.setattr(read, "SMALL", 0)
    assert said(path) == first


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"lr,seed,acc\n", "no runs"),
        (b"\x00\x01\x02", "binary file"),
    ],
)
def test_what_is_no_table_is_said(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(content)
    with pytest.raises(SleuthError, match=sentence):
        read_file(path)


def test_torn_lines_and_double_names_are_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("lr,seed,acc,acc\n1,0,0.5,9\n1,1\n2,0,0.4,9\n2,1,0.5,9,9\n")
    table = read_file(path)
    assert list(table.columns) == ["lr", "seed", "acc", "acc.2"]
    assert len(table.notes) == 2
    lines = tmp_path / "runs.jsonl"
    lines.write_text('{"lr": 1, "config": {"seed": 0}}\nnot json\n')
    assert list(read_file(lines).columns) == ["lr", "config.seed"]


@pytest.mark.parametrize(
    ("cell", "meant"),
    [("1", 1), ("1.0", 1), (" 0.10 ", 0.1), ("1e-3", 0.001), ("nan", None), ("", None), ("inf", float("inf")),
     ("1_000", "1_000"), ("True", "True"), (True, True), ("adam", "adam"), ("tiny", "tiny"),
     ([1, 2], "[1, 2]")],
)  # fmt: skip
def test_what_a_cell_means(cell: object, meant: object) -> None:
    assert meaning(cell) == meant


def test_large_seeds_survive(tmp_path: Path) -> None:
    import polars

    seeds = [2**60, 2**60 + 1]
    polars.DataFrame({"seed": seeds, "x": [1.0, 2.0]}).write_parquet(tmp_path / "a.parquet")
    table = read_file(tmp_path / "a.parquet")
    assert indexed(table.columns["seed"])[1] == tuple(seeds)
    assert numeric(table.columns["x"]).tolist() == [1.0, 2.0]
