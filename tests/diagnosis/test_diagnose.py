"""`sleuth diagnose` from end to end, on small scripts with real processes."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from sleuth.cli import run

SCRIPT = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(400, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(8):
    order = torch.randperm(300)
    for i in range(0, 300, 30):
        rows = order[i:i + 30]
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
model.eval()
with torch.no_grad():
    print("accuracy", (model(x[300:]).argmax(1) == y[300:]).float().mean().item())
"""
FORGOTTEN = SCRIPT.replace("        opt.zero_grad()\n", "").replace(
    "Adam(model.parameters(), lr=0.01)", "SGD(model.parameters(), lr=0.3)"
)

NUMBERED = SCRIPT.replace(
    "x = torch.randn(400, 6)\n",
    """
names = {f"column {n}" for n in range(40)}
order = torch.tensor([int(name.split()[1]) for name in names][:6])
x = torch.randn(400, 40)[:, order]
""",
).replace("range(8)", "range(40)")  # whatever columns chance picks, it learns them


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diagnosed(folder: Path, source: str, *options: str) -> tuple[int, dict[str, Any]]:
    (folder / "train.py").write_text(textwrap.dedent(source))
    code = run(["diagnose", "--budget", "120s", "--json", "out.json", *options, "train.py"])
    return code, json.loads((folder / "out.json").read_text())


def test_a_bug_is_named_with_its_line_and_confirmed_by_taking_it_back(folder: Path) -> None:
    code, told = diagnosed(folder, FORGOTTEN, "--html", "page.html")
    first = told["findings"][0]
    assert (code, told["schema"], told["verdict"]["status"]) == (1, "sleuth.report/1", "cause-found")
    assert first["cause"] == "missing-zero-grad"
    assert first["where"]["path"] == "train.py"
    assert abs(first["where"]["line"] - FORGOTTEN.splitlines().index("        loss.backward()") - 1) <= 2
    assert first["confirmed_by"] == ["undo(missing-zero-grad)"]
    assert first["sources"]
    assert len(told["hypotheses"]) >= 3
    assert {"nothing-wrong", "not-in-catalog"} <= {entry["hypothesis"] for entry in told["hypotheses"]}
    experiment = next(entry for entry in told["experiments"] if entry["name"] == "undo(missing-zero-grad)")
    assert experiment["curve"]
    assert experiment["base_curve"]
    page = (folder / "page.html").read_text()
    assert "missing-zero-grad" in page
    assert "<polyline" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    case = (folder / ".sleuth" / "cases" / "train.jsonl").read_text().splitlines()
    assert any(json.loads(line).get("test") == "undo(missing-zero-grad)" for line in case)


def test_a_healthy_script_gets_neither_error_nor_warning(folder: Path) -> None:
    """Nor is it asked whether it repeats, as nothing in it asks for that; what it writes lands in copies."""
    source = NUMBERED.replace("in names]", "in sorted(names)]")
    code, told = diagnosed(folder, source + "torch.save(model.state_dict(), 'model.pt')\n", "--no-archive")
    assert code == 0, told["findings"]
    assert told["verdict"]["status"] == "nothing-found"
    assert not [f for f in told["findings"] if f["severity"] != "note"]
    assert "again" not in [e["name"] for e in told["experiments"]]
    assert sorted(path.name for path in folder.iterdir()) == ["out.json", "train.py"]


def test_a_crash_is_the_verdict(folder: Path) -> None:
    source = "import torch\nmodel = torch.nn.Linear(3, 2)\nprint(model(torch.randn(4, 5)))\n"
    code, told = diagnosed(folder, source, "--no-archive")
    assert (code, told["verdict"]["status"]) == (2, "crashed")
    assert "train.py:3" in told["verdict"]["summary"]
    assert "Shapes do not fit" in told["verdict"]["summary"]


def test_a_full_path_into_the_users_folder_is_refused_in_words(folder: Path) -> None:
    source = f"import os\nos.makedirs({str(folder / 'out')!r})\n{SCRIPT}"
    code, told = diagnosed(folder, source, "--no-archive", "--steps", "20")
    assert code == 0
    assert told["verdict"]["status"] == "inconclusive"
    assert "by its full path" in told["verdict"]["summary"]
    assert "--allow-writes" in told["verdict"]["summary"]
    assert not (folder / "out").exists()


def test_apply_fix_writes_a_copy_and_shows_both_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(FORGOTTEN)
    code = run(["diagnose", "--budget", "120s", "--no-archive", "--apply-fix", "train.py"])
    shown = capsys.readouterr().out
    assert code == 1
    assert (folder / "train.py").read_text() == FORGOTTEN
    assert "zero_grad()" in (folder / "train.fixed.py").read_text()
    assert "clearly better" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["diagnose"], "Which script?"),
        (["diagnose", "missing.py"], "There is no file"),
        (["diagnose", "."], "is a folder"),
        (["diagnose", "broken.py"], "is not Python (line 1)"),
        (["diagnose", "--budget", "soon", "ok.py"], "is no time"),
        (["diagnose", "-m", "no.such.module"], "There is no module"),
        (["stuck", "ok.py"], "Which metric?"),
    ],
)
def test_bad_input_gets_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    (folder / "broken.py").write_text("def (:\n")
    (folder / "ok.py").write_text("x = 1\n")
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not (folder / ".sleuth").exists()


def test_stuck_names_a_structural_ceiling(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "fit.py").write_text(
        textwrap.dedent("""
        import torch
        torch.manual_seed(0)
        basis = torch.linalg.qr(torch.randn(6, 6))[0][:, :2]
        angle = torch.nn.Parameter(torch.tensor(0.3))
        opt = torch.optim.Adam([angle], lr=0.05)
        for step in range(40):
            out = basis @ torch.stack([torch.cos(angle), torch.sin(angle)])
            size = (out * out).sum()
            loss = (size - 3.0) ** 2
            opt.zero_grad(); loss.backward(); opt.step()
        """)
    )
    assert run(["stuck", "fit.py", "--metric", "size"]) == 1
    assert "structural-ceiling" in capsys.readouterr().out
    assert run(["stuck", "fit.py", "--metric", "siz"]) == 2
    assert "Did you mean 'size'?" in capsys.readouterr().err


def test_a_second_process_shows_what_no_seed_holds(folder: Path) -> None:
    _, told = diagnosed(folder, NUMBERED)
    serious = {f["cause"]: f["where"] for f in told["findings"] if f["severity"] != "note"}
    assert serious["nondeterminism"]["line"] == 7
    assert [e["answer"] for e in told["experiments"] if e["name"] == "again"] == ["yes"]
