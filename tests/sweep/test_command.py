"""`sleuth sweep` as a user meets it: real processes, real files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.sweep.runs import grid, write_csv

TRAIN = """
import argparse, random, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--seed", type=int)
parser.add_argument("--sleep", type=float, default=0)
asked = parser.parse_args()
time.sleep(asked.sleep)
if (asked.lr, asked.seed) == (0.3, 1):
    sys.exit("out of luck")
noise = random.Random(asked.seed * 100 + asked.lr).gauss(0, 0.01)
print("epoch 1 acc 0.1")
print("acc =", 0.5 + 0.1 * asked.seed + (0.3 if asked.lr == 0.2 else 0) + noise)
"""
WORDS = ["reliable-better", "reliable-worse", "suggestive", "no-evidence", "undefined"]
NULLABLE = {"type": ["number", "null"]}
SCHEMA = {
    "type": "object",
    "required": ["schema", "groups", "findings"],
    "properties": {
        "schema": {"const": "sleuth.sweep/1"},
        "findings": {"type": "array", "items": {"required": ["kind", "message", "severity", "runs"]}},
        "groups": {
            "type": "array",
            "items": {
                "required": "group param values trend also_varies missing failed warnings".split(),
                "properties": {
                    "values": {
                        "type": "array",
                        "items": {
                            "required": [
                                "value", "n_seeds", "mean", "q10", "q90", "t_folklore", "effect",
                                "interval", "p", "verdict",
                            ],
                            "properties": {
                                "n_seeds": {"type": "integer"}, "mean": NULLABLE, "q10": NULLABLE,
                                "q90": NULLABLE,
                                "t_folklore": NULLABLE, "effect": NULLABLE, "p": NULLABLE,
                                "interval": {"type": ["array", "null"], "minItems": 2, "maxItems": 2},
                                "verdict": {"enum": WORDS},
                            },
                        },
                    },
                    "trend": {
                        "required": ["r", "slope", "p", "verdict"],
                        "properties": {"r": NULLABLE, "slope": NULLABLE, "p": NULLABLE},
                    },
                    "also_varies": {"type": "array", "items": {"type": "string"}},
                    "missing": {"type": "array", "items": {"minItems": 2, "maxItems": 2}},
                    "failed": {"type": "array", "items": {"minItems": 2, "maxItems": 2}},
                    "warnings": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}  # fmt: skip


def sleuth(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", "sweep", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=os.environ | environment, check=False
    )


def analyzed(folder: Path, *words: str) -> dict[str, Any]:
    done = sleuth(folder, "analyze", *words, "--json", "-")
    assert done.returncode in (0, 1), done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(data, SCHEMA)
    return data


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def plan(
    work: Path, *more: str, command: str = "", name: str = "lr.toml"
) -> subprocess.CompletedProcess[str]:
    line = command or f"{sys.executable} train.py --lr {{value}} --seed {{seed}}"
    words = ["--param", "lr", "--values", "0.1,0.2,0.3", "--seeds", "4", "--metric", "acc", "--question", "q"]
    return sleuth(work, "plan", name, "--command", line, *words, *more)


def test_the_json_keeps_its_schema(tmp_path: Path) -> None:
    write_csv(tmp_path / "runs.csv", grid(effects={0.2: 0.2}))
    data = analyzed(tmp_path, "runs.csv", "--param", "lr", "--metric", "acc")
    assert [value["verdict"] for value in data["groups"][0]["values"]][1] == "reliable-better"
    assert data["journal"].startswith("Swept lr for acc")


def test_exit_codes(tmp_path: Path) -> None:
    words = ("--param", "lr", "--metric", "acc")
    write_csv(tmp_path / "null.csv", grid(salt=1))
    write_csv(tmp_path / "real.csv", grid(effects={0.2: 0.2}))
    assert sleuth(tmp_path, "analyze", "null.csv", *words).returncode == 0
    assert sleuth(tmp_path, "analyze", "real.csv", *words).returncode == 1
    wrong = sleuth(tmp_path, "analyze", "none.csv", *words)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "There is no file 'none.csv'" in wrong.stderr
    assert "There is no sweep" in sleuth(tmp_path, "analyze", "nothing", *words).stderr
    assert "--param" in sleuth(tmp_path, "analyze", "null.csv").stderr


def test_a_small_csv_is_read_without_heavy_packages(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "runs.csv", grid())
    code = (
        "import sys; from sleuth.cli import run\n"
        f"run(['sweep', 'analyze', {str(path)!r}, '--param', 'lr', '--metric', 'acc'])\n"
        "heavy = {'pandas', 'scipy', 'torch', 'polars', 'matplotlib', 'pyarrow'}\n"
        "sys.stderr.write('LOADED ' + ' '.join(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.rpartition("LOADED")[2].split() == []


def test_the_page_stands_alone(tmp_path: Path) -> None:
    rows = grid(effects={0.2: 0.2}, opt="<b>")
    rows[0]["acc"] = "nan"
    write_csv(tmp_path / "runs.csv", rows)
    sleuth(tmp_path, "analyze", "runs.csv", "--param", "lr", "--metric", "acc", "--html", "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count("<svg") == 3
    assert "reliable better" in text
    assert "http" not in text
    assert "<script" not in text


def test_plan_tells_count_power_and_time(work: Path) -> None:
    done = plan(work, "--time")
    assert done.returncode == 0, done.stderr
    for part in (
        "12 runs",
        "3 sd 4, 2 sd 6, 1.5 sd 9, 1 sd 16",
        "time: about",
        "no hypothesis",
        "2.5 noise sd",
    ):
        assert part in done.stdout
    again = json.loads(sleuth(work, "plan", "lr.toml", "--json", "-").stdout)
    assert (again["runs"], again["todo"], again["finished"]) == (12, 11, 1)
    assert "exists" in plan(work).stderr


def test_run_keeps_everything_repeats_nothing_and_is_analysed(work: Path) -> None:
    plan(work)
    done = sleuth(work, "run", "lr.toml")
    assert done.returncode == 1
    assert "lr=0.3,seed=1: failed (exit code 1)" in done.stderr
    runs = work / ".sleuth" / "sweeps" / "lr" / "runs"
    assert len(list(runs.iterdir())) == 12
    assert "out of luck" in (runs / "lr=0.3,seed=1.1" / "log.txt").read_text()
    config = json.loads((runs / "lr=0.1,seed=0.1" / "config.json").read_text())
    assert (config["group"], config["seed"], config["values"]) == ("lr", 0, {"lr": 0.1})
    again = sleuth(work, "run", "lr.toml")
    assert "0 finished, 11 were finished before, 1 failed before" in again.stdout
    assert len(list(runs.iterdir())) == 12
    sleuth(work, "run", "lr.toml", "--retry-failed")
    assert len(list(runs.iterdir())) == 13
    data = analyzed(work, "lr")
    assert data["groups"][0]["failed"] == [[0.3, 1]]
    assert data["groups"][0]["values"][1]["verdict"] == "reliable-better"


def _interruptible() -> None:
    """Tests run in the background may have inherited that interrupts are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupt_and_resume(work: Path) -> None:
    plan(work, command=f"{sys.executable} train.py --lr {{value}} --seed {{seed}} --sleep 0.7")
    command = [sys.executable, "-m", "sleuth", "sweep", "run", "lr.toml", "--parallel", "2"]
    with subprocess.Popen(
        command,
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_interruptible,
    ) as process:
        runs = work / ".sleuth" / "sweeps" / "lr" / "runs"
        deadline = time.time() + 60
        while not list(runs.glob("*/result.json")) and time.time() < deadline:
            time.sleep(0.05)
        second = sleuth(work, "run", "lr.toml")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert "another process already" in second.stderr
    assert process.returncode == 130
    assert "the same command resumes" in out
    states = [json.loads(path.read_text())["state"] for path in runs.glob("*/result.json")]
    done = states.count("finished")
    assert 1 <= done < 12
    assert "interrupted" in states
    (work / "train.py").write_text(TRAIN.replace("time.sleep(asked.sleep)", ""))
    again = sleuth(work, "run", "lr.toml")
    assert f"{done} were finished before" in again.stdout
    assert analyzed(work, "lr")["groups"][0]["missing"] == []


def test_a_run_over_its_limit_is_ended_and_kept(work: Path) -> None:
    line = f"{sys.executable} train.py --lr {{value}} --seed {{seed}} --sleep 60"
    plan(work, "--seconds", "0.5", "--parallel", "6", command=line)
    text = (work / "lr.toml").read_text().replace("seeds = 4", "seeds = 2")
    (work / "lr.toml").write_text(text)
    done = sleuth(work, "run", "lr.toml")
    assert done.stderr.count("over the limit of 0.5 s") == 6


def test_fill_runs_exactly_what_is_missing(work: Path) -> None:
    plan(work)
    text = (work / "lr.toml").read_text()
    (work / "part.toml").write_text('name = "lr"\ncells = [[0.1, 0], [0.2, 0], [0.1, 2]]\n' + text)
    sleuth(work, "run", "part.toml")
    data = analyzed(work, "lr", "--fill", "rest.toml")
    assert data["groups"][0]["missing"] == [[0.2, 2]]
    done = sleuth(work, "run", "rest.toml")
    assert "1 finished" in done.stdout
    assert analyzed(work, "lr")["groups"][0]["missing"] == []


def test_adapters_python_plans_priority_and_several_parameters(work: Path) -> None:
    show = "import sys; print(sys.argv[1:]); print('acc', 0.5)"
    base = f'command = ["{sys.executable}", "-c", "{show}"]\nmetric = "acc"\nseeds = 1\nquestion = "q"\n'
    (work / "hydra.toml").write_text(
        base + 'adapter = "hydra"\nparam = "model.lr"\nvalues = [1]\npriority = 1\n'
    )
    (work / "args.toml").write_text(base + 'adapter = "argparse"\nparam = "lr"\nvalues = [1]\npriority = 5\n')
    done = sleuth(work, "run", "hydra.toml", "args.toml")
    assert done.stdout.index("args:") < done.stdout.index("hydra:")
    log = next((work / ".sleuth/sweeps/hydra/runs").glob("*/log.txt")).read_text()
    assert "['model.lr=1', 'seed=0']" in log
    log = next((work / ".sleuth/sweeps/args/runs").glob("*/log.txt")).read_text()
    assert "['--lr', '1', '--seed', '0']" in log
    (work / "fn.py").write_text(
        "param = 'lr'\nvalues = [1, 2]\nseeds = 2\nmetric = 'acc'\nquestion = 'q'\n"
        "def train(lr, seed):\n    return {'acc': lr + seed}\n"
    )
    assert "4 finished" in sleuth(work, "run", "fn.py").stdout
    both = plan(work, "--also", "bs=16,32", name="both.toml", command="echo {lr} {bs} {seed}")
    assert "effects cannot be told apart" in both.stdout
    words = ["--seeds", "1", "--metric", "acc", "--search", "lr=1e-5:1e-1:log", "--samples", "7"]
    search = sleuth(work, "plan", "search.toml", "--command", "echo {lr} {seed}", *words)
    assert "7 runs" in search.stdout
    assert "paired sweep" in search.stdout


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("metric = 'a'", "has no 'command'"),
        ("command = 'x'\nmetric = 'a'\nseeds = 2\nparam = 'lr'\nvalues = [1]", "does not use {seed}"),
        ("command = 'x {seed}'\nmetric = 'a'\nseeds = 2\nparam = 'lr'\nvalues = [1]", "does not use {value}"),
        ("command = 'x {seed} {value}'\nmetric = 'a'\nseeds = 0\nparam = 'lr'\nvalues = [1]", "seeds"),
        (
            "command = 'x {seed} {value}'\nmetric = 'a'\nseeds = 2\nparam = 'lr'\nvalues = [1, 1]",
            "is twice in",
        ),
        ("comand = 'x'", "Did you mean 'command'?"),
        ("command = ", "is no TOML"),
    ],
)
def test_a_wrong_plan_is_one_sentence(work: Path, text: str, sentence: str) -> None:
    (work / "bad.toml").write_text(text)
    done = sleuth(work, "run", "bad.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert sentence in done.stderr
    assert not (work / ".sleuth").exists()


def test_a_sweep_of_a_python_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sleuth

    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path))
    calls = []

    def train(lr: float, seed: int) -> float:
        calls.append((lr, seed))
        if (lr, seed) == (0.3, 2):
            raise ValueError("diverged")
        return lr * 10 + seed + 0.01 * ((seed * 7 + int(lr * 10)) % 5)

    found = sleuth.sweep(train, "lr", [0.1, 0.2, 0.3], seeds=4)
    assert found.groups[0].trend.verdict == "reliable-better"
    assert found.groups[0].failed == ((0.3, 2),)
    assert len(calls) == 12
    sleuth.sweep(train, "lr", [0.1, 0.2, 0.3], seeds=5)
    assert len(calls) == 15


def test_tasks_and_sensitivity(tmp_path: Path) -> None:
    import random

    source = random.Random(0)
    scores = [
        {"algo": algo, "game": f"g{game}", "score": game + better + source.gauss(0, 0.3)}
        for algo, better in (("a", 0.0), ("b", 1.0))
        for game in range(6)
        for _ in range(5)
    ]
    write_csv(tmp_path / "tasks.csv", scores)
    done = sleuth(
        tmp_path,
        "tasks",
        "tasks.csv",
        "--algorithm",
        "algo",
        "--task",
        "game",
        "--metric",
        "score",
        "--json",
        "-",
    )
    data = json.loads(done.stdout)
    assert data["improvements"][0]["better"] == "b"
    assert data["improvements"][0]["probability"] > 0.95
    search = [
        {"lr": lr, "wd": source.random(), "acc": (0.9 if 20 <= lr < 40 else 0.1) + source.gauss(0, 0.01)}
        for lr in range(100)
    ]
    write_csv(tmp_path / "search.csv", search)
    done = sleuth(
        tmp_path, "sensitivity", "search.csv", "--metric", "acc", "--html", "s.html", "--json", "out.json"
    )
    assert done.returncode == 1
    data = json.loads((tmp_path / "out.json").read_text())
    assert {one["param"]: one["verdict"] for one in data["params"]} == {
        "lr": "too sensitive",
        "wd": "no evidence",
    }
    assert (tmp_path / "s.html").read_text().count("<svg") == 2
