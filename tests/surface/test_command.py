"""`sleuth surface` as a user meets it: real processes, real exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from sleuth import cli

FILE = str(Path(__file__).parent / "losses.py")


class Said(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*words: str) -> Said:
    """In this process: a start of torch for each request would take a minute."""
    with CliRunner().isolation(env={"NO_COLOR": "1"}) as (out, err, *_):
        code = cli.run(["surface", *words])
        return Said(code, out.getvalue().decode(), err.getvalue().decode())


def test_a_real_process_gives_the_same() -> None:
    words = [f"{FILE}:barrier", "--x", "distance=-3:3", "--want", "2"]
    command = [sys.executable, "-m", "sleuth", "surface", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == run(*words)


def test_a_defect_is_exit_code_one_and_its_absence_zero(tmp_path: Path) -> None:
    page = tmp_path / "surface.html"
    done = run(f"{FILE}:barrier", "--x", "distance=-3:3", "--want", "2", "--start=-1", "--out", str(page))
    assert done.returncode == 1, done.stderr
    for part in (
        "error[dead-zone]",
        "50% of the map",
        "The start lies in it",
        "fix:",
        "Gradient flow",
        "Written:",
    ):
        assert part in done.stdout
    assert page.stat().st_size > 100_000
    fine = run(f"{FILE}:soft_barrier", "--x", "distance=-3:3", "--want", "3", "--quiet")
    assert (fine.returncode, fine.stdout) == (0, "")


def test_two_axes_fixed_slices_and_json() -> None:
    words = [
        "--x",
        "a=-1:1",
        "--y",
        "b=-1:1",
        "--want",
        "0,0",
        "--slice",
        "weight=0.1,1",
        "--n",
        "20",
        "--json",
        "-",
    ]
    done = run(f"{FILE}:terms", *words)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert [sheet["slice"] for sheet in data["sheets"]] == [{"weight": 0.1}] * 3 + [{"weight": 1.0}] * 3
    assert data["want"] == [[0.0, 0.0], [0.0, 0.0]]


def test_compare_on_the_command_line(tmp_path: Path) -> None:
    target = tmp_path / "both.json"
    done = run(
        f"{FILE}:barrier", "--x", "distance=-3:3", "--compare", f"{FILE}:soft_barrier", "--json", str(target)
    )
    assert "What changed" in done.stdout
    assert json.loads(target.read_text("utf-8"))["changes"]


def test_a_module_class_and_an_importable_target() -> None:
    assert run(f"{FILE}:Squared", "--x", "error=-1:1", "-q").returncode == 0
    assert run("tests.surface.losses:product", "--x", "a=-1:1", "--y", "b=-1:1", "-q").returncode == 1


def test_the_poles_of_torch_are_listed() -> None:
    done = run("--poles")
    assert done.returncode == 0
    for part in ("BCE at 0, target 1", "log of 0", "sqrt at 0", "normalise at 0", "softplus"):
        assert part in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Say which function"),
        ([f"{FILE}:barrier"], "Say which function"),
        ([FILE, "--x", "distance=0:1"], "names no function"),
        ([f"{FILE}:bariier", "--x", "distance=0:1"], "Did you mean 'barrier'"),
        ([f"{FILE}:constant", "--x", "distance=0:1"], "not a function"),
        ([f"{FILE}:Needy", "--x", "distance=0:1"], "cannot be made without arguments"),
        (["no_such.py:f", "--x", "a=0:1"], "There is no file 'no_such.py'"),
        (["no_such_module:f", "--x", "a=0:1"], "could not be loaded: ModuleNotFoundError"),
        ([f"{FILE}:barrier", "--x", "distance"], "should be NAME=VALUE"),
        ([f"{FILE}:barrier", "--x", "distance=1"], "write NAME=LO:HI"),
        ([f"{FILE}:barrier", "--x", "distance=nan:1"], "finite"),
        ([f"{FILE}:barrier", "--x", "distance=1:0"], "empty"),
        ([f"{FILE}:barrier", "--x", "distance=a:b"], "is no number"),
        ([f"{FILE}:barrier", "--x", "distanc=0:1"], "Did you mean 'distance'?"),
        ([f"{FILE}:barrier", "--x", "distance=0:1", "--want", "1,2"], "does not fit"),
        ([f"{FILE}:barrier", "--x", "distance=0:1", "--want", "1:2:3"], "an interval is LO:HI"),
        ([f"{FILE}:barrier", "--x", "distance=0:1", "--n", "1"], "n=1"),
        ([f"{FILE}:barrier", "--x", "distance=0:1", "--out", "map.gif"], "must end in"),
        ([f"{FILE}:terms", "--x", "a=0:1", "--fix", "weight=1.0"], "also needs b"),
    ],
    ids=lambda value: " ".join(value).replace(FILE, "") if isinstance(value, list) else "",
)
def test_a_wrong_request_gets_one_sentence_and_exit_code_two(words: list[str], sentence: str) -> None:
    said = run(*words)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("sleuth: ")
    assert said.stderr.count("\n") == 1
    assert sentence in said.stderr


def test_help_and_mistakes_load_nothing_heavy() -> None:
    code = (
        "import sys; from sleuth.cli import run; run(['surface', '--help'])\n"
        "run(['surface', 'x.py:f', '--x', 'a'])\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'numpy', 'scipy', 'matplotlib', 'plotly')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
