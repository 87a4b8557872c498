"""`sleuth runs` and `sleuth journal` as a user meets them."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from sleuth import archive
from tests.archive import made

LIST = """\
run                   began             status    script    steps  last                           causes
<run a>  <began>  finished  train.py  20     loss 1.9035, val accuracy 0.9  double-softmax
<run b>  <began>  failed    train.py  20     loss 1.582, val accuracy 0.9"""

DIFF = """\
a  <run a>
b  <run b>

Command
  - python train.py
  + python train.py --lr 0.2

Run
  exit_code  0                    →  1
  seeds      torch.manual_seed 0  →  torch.manual_seed 1

Code
--- a/train.py
+++ b/train.py
@@ -1,4 +1,4 @@
 import helper
<blank>
-lr = 0.1
+lr = 0.2
 print(helper.name)

Curves
  They part at step 0: step/loss 2.3 against 2.308414709848079.
  step/loss  from step 0  2.3 against 2.3084  by 1 % from step 2
  step/lr    from step 0  0.1 against 0.2     by 1 % from step 0"""

SHOW = """\
<run a>  finished
  command     python train.py
  in          <work>
  began       <began>, 0.0 s
  exit code   0
  code        no git, 4 files copied
  python      <python>
  seeds       torch.manual_seed 0
  summary     verdict cause-found

Findings
  error [double-softmax] train.py:3: Softmax twice.

Series
  step/loss     steps 0–19   2.3 → 1.9035  best 1.9035
  step/lr       steps 0–19   0.1 → 0.1     0.1 to 0.1
  step/t        steps 0–19   0 → 0.19      0 to 0.19
  val accuracy  steps 19–19  0.9 → 0.9     best 0.9

Files
  <folder>: code/, end.json, meta.json, record.jsonl, stderr.txt, stdout.txt"""


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[archive.Run, archive.Run]:
    """Two runs of one project in the current folder: the second with another rate and seed, and it failed."""
    script = made.project(tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    one = made.finished(Path(".sleuth"), script.relative_to(tmp_path / "project"), made.steps(20))
    script.write_text(made.SCRIPT.replace("0.1", "0.2"))
    relative = Path("train.py")
    return one, made.finished(Path(".sleuth"), relative, made.steps(20, 0.2, 1), 1, "--lr", "0.2")


def read_parquet(path: str) -> Any:
    from pyarrow import parquet  # type: ignore[import-untyped]

    return parquet.read_table(path)


def files() -> list[Path]:
    """All but what SQLite keeps beside the index while it is read."""
    return sorted(path for path in Path().rglob("*") if not path.name.startswith("index.sqlite-"))


def masked(text: str, pair: tuple[archive.Run, archive.Run]) -> str:
    """Without what changes from run to run; a line of a diff that is a lone space becomes visible."""
    one, other = pair
    text = text.replace(str(one.folder), "<folder>").replace(str(Path.cwd()), "<work>")
    text = re.sub(r"python      .*", "python      <python>", text)
    text = re.sub(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}", "<began>", text)
    text = re.sub(r"<began>, \d\.\d s", "<began>, 0.0 s", text).replace("\n \n", "\n<blank>\n")
    return text.replace(one.id, "<run a>").replace(other.id, "<run b>").rstrip("\n")


def test_pages_look_as_they_should(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair
    assert masked(made.sleuth("runs").stdout, pair) == LIST
    assert masked(made.sleuth("runs", "list", "--since", "1d").stdout, pair) == LIST
    assert masked(made.sleuth("runs", "diff", one.id, other.id).stdout, pair) == DIFF
    assert masked(made.sleuth("runs", "show", one.id).stdout, pair) == SHOW


def test_diff_says_by_its_exit_code_whether_runs_differ(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair
    assert made.sleuth("runs", "diff", one.id, one.id).returncode == 0
    told = made.sleuth("runs", "diff", one.id, other.id, "--json", "-")
    assert told.returncode == 1
    first = json.loads(told.stdout)["first_difference"]
    assert (first["name"], first["step"], first["values"]) == ("step/loss", 0, [2.3, 2.308414709848079])


def test_filters(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair

    def ids(*words: str) -> list[str]:
        return made.sleuth("runs", "--quiet", *words).stdout.split()

    assert ids() == [one.id, other.id]
    assert ids("--status", "failed") == [other.id]
    assert ids("--cause", "double-softmax") == [one.id]
    assert ids("--since", "1h") == ids("--script", "train") == ids()
    assert ids("--since", "2999-01-01") == ids("--script", "nothing") == []
    assert ids("--limit", "1") == [other.id]


def test_json_holds_numbers_that_json_lacks_as_words(tmp_path: Path) -> None:
    run = archive.begin(["x"], None)
    made.write(run, [{"kind": "step", "n": 0, "loss": math.nan}, {"kind": "step", "n": 1, "loss": math.inf}])
    run.finish(0, [], {"worst": math.inf})
    listed = json.loads(made.sleuth("runs", "--json", "-").stdout)
    assert listed["runs"][0]["metrics"]["step/loss"] == {"last": "inf", "lowest": "nan", "highest": "nan"}
    shown = json.loads(made.sleuth("runs", "show", "last", "--json", "-").stdout)
    assert (shown["series"]["step/loss"]["first"], shown["summary"]) == ("nan", {"worst": "inf"})
    series = json.loads(made.sleuth("runs", "show", "last", "--series", "step/loss", "--json", "-").stdout)
    assert (series["steps"], series["values"]) == ([0, 1], ["nan", "inf"])


def test_csv_and_parquet_hold_every_value(pair: tuple[archive.Run, archive.Run], tmp_path: Path) -> None:
    one, other = pair
    for name in ("out.csv", "out.parquet"):
        done = made.sleuth("runs", "export", one.id, other.id, one.id, "--to", name)
        assert (done.returncode, done.stdout) == (0, f"Wrote 122 values of 2 runs to {name}.\n")
    expected = [
        (run.id, run.meta["script"], series.name, step, value)
        for run in pair
        for series in run.all_series().values()
        for step, value in zip(series.steps, series.values, strict=True)
    ]
    with open("out.csv", newline="") as file:
        rows = [(*row[:3], int(row[3]), float(row[4])) for row in list(csv.reader(file))[1:]]
    table = read_parquet("out.parquet").to_pydict()
    assert table.keys() == {"run", "script", "series", "step", "value"}
    assert rows == list(zip(*table.values(), strict=True)) == expected


def test_an_empty_run_exports_as_an_empty_table() -> None:
    archive.begin(["x"], None).finish(0)
    for name in ("out.csv", "out.parquet"):
        assert made.sleuth("runs", "export", "last", "--to", name).returncode == 0
    assert read_parquet("out.parquet").num_rows == 0


def test_nothing_is_removed_without_yes(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair
    named = made.sleuth("runs", "remove", one.id)
    assert "Would remove 1 run" in named.stdout
    assert archive.runs() == pair
    assert "Removed 1 run" in made.sleuth("runs", "remove", one.id, "--yes").stdout
    assert archive.runs() == (other,)
    assert not one.folder.exists()
    assert json.loads(made.sleuth("runs", "--json", "-").stdout)["runs"][0]["id"] == other.id


def test_prune_keeps_what_it_is_told_to_and_what_runs(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair
    going_on = archive.begin(["x"], None)
    assert made.sleuth("runs", "prune", "--status", "failed", "--quiet").stdout.split() == [other.id]
    assert made.sleuth("runs", "prune", "--keep", "1", "--quiet").stdout.split() == [one.id]
    assert made.sleuth("runs", "prune", "--older-than", "1d", "--quiet").stdout.split() == []
    assert made.sleuth("runs", "prune", "--keep", "0", "--yes").returncode == 0
    assert archive.runs() == (going_on,)
    refused = made.sleuth("runs", "remove", going_on.id, "--yes")
    assert (refused.returncode, "still running" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["runs", "show", "nothing"], "There is no run 'nothing'"),
        (["runs", "show", "last", "--series", "step/los"], "Did you mean 'step/loss'"),
        (["runs", "export", "last", "--to", "out.xlsx"], "end it in .csv or .parquet"),
        (["runs", "export", "last", "--to", "nowhere/out.csv"], "Cannot write"),
        (["runs", "export", "last", "--to", "mlflow:"], "Say where MLflow is"),
        (["runs", "--since", "soon"], "Cannot read 'soon' as a time"),
        (["runs", "prune"], "Say what to prune"),
        (["runs", "--status", "odd"], "'odd' is not one of"),
        (["runs", "remove"], "Missing argument"),
        (["journal", "add", " "], "A note needs some words"),
        (["runs", "--home", "elsewhere", "show", "last"], "after the subcommand: `sleuth runs show ...`"),
        (["journal", "--quiet", "add", "x"], "after the subcommand: `sleuth journal add ...`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_request_gets_one_sentence(
    pair: tuple[archive.Run, archive.Run], words: list[str], sentence: str
) -> None:
    before = files()
    done = made.sleuth(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sleuth: ")
    assert done.stderr.count("\n") == 1
    assert sentence in done.stderr
    assert files() == before


def test_an_empty_archive_says_what_makes_a_run() -> None:
    done = made.sleuth("runs")
    assert (done.returncode, "sleuth watch SCRIPT" in done.stdout) == (0, True)
    assert not Path(".sleuth").exists()


def test_the_journal_tells_notes_and_runs_by_day(pair: tuple[archive.Run, archive.Run]) -> None:
    one, other = pair
    assert made.sleuth("journal", "add", "larger", "rate fails", "--run", other.id).returncode == 0
    text = made.sleuth("journal").stdout
    assert re.search(rf"\d\d:\d\d \[{other.id}\] larger rate fails", text)
    assert re.search(rf"\d\d:\d\d {one.id}  train.py  finished  double-softmax", text)
    entries = json.loads(made.sleuth("journal", "--json", "-").stdout)["entries"]
    assert {entry["run"] for entry in entries} == {one.id, other.id}
    assert "larger" not in made.sleuth("journal", "--since", "2999-01-01").stdout
