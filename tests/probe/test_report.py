"""What a user sees: the page in a terminal, in a notebook, as JSON, and the command."""

import base64
import json
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import torch

import sleuth
from sleuth.probing import ProbeReport, probe
from sleuth.report import REPORT_SCHEMA, Report
from sleuth.show.probe_html import document, png
from sleuth.show.probe_text import spark
from tests.probe.cases import CASES, classify

torch.set_num_threads(1)

GOLDEN = Path(__file__).parent / "golden" / "double_softmax.txt"
MAKE = """
import torch
from torch import nn

def make():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3){tail})
    return model, (torch.randn(32, 4), torch.arange(32) % 3), nn.CrossEntropyLoss()

def as_dict():
    model, batch, loss_fn = make()
    return {{"model": model, "batch": batch, "loss_fn": loss_fn}}

def misspelt():
    return {{"modle": 1}}

def number():
    return 5
"""


def report() -> ProbeReport:
    return probe(**CASES["double-softmax"][0](), memorise=False)


def steady(text: str) -> str:
    """Times, and digits that differ between processors, are no part of the golden page."""
    text = re.sub(r"[▁-█]+", "~", re.sub(r"\d+\.\d+ s", "0.0 s", text))
    return re.sub(r"-?\d+\.?\d*(e[+-]?\d+)?", "#", text)


def test_the_page_is_the_golden_one() -> None:
    text = steady(str(report()))
    if os.environ.get("SLEUTH_REWRITE"):
        GOLDEN.write_text(text + "\n", "utf-8")
    assert text + "\n" == GOLDEN.read_text("utf-8")


def test_the_page_names_cause_numbers_fix_and_what_was_not_examined() -> None:
    text = str(report())
    for part in (
        "CAUSE FOUND",
        "✗ double-softmax",
        "fix  ",
        "Loss at start",
        "0.weight",
        "Not examined",
        "no optimizer given",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_report_survives_json() -> None:
    data = json.loads(report().to_json())
    assert data["schema"] == REPORT_SCHEMA
    assert data["findings"][0]["cause"] == "double-softmax"
    assert {entry["cause"] for entry in data["examined"]} >= {"double-softmax", "split-overlap"}
    assert Report.from_dict(data).verdict == report().verdict


def test_a_notebook_gets_html_that_loads_nothing() -> None:
    page = report()._repr_html_()
    assert "double-softmax" in page
    assert not re.search(r"(src|href)=['\"]?http", page)
    assert document(report().report).startswith("<!doctype html>")


def test_pictures_are_pngs_with_the_right_pixels() -> None:
    address = png([[[0.0, 1.0], [0.5, 0.25]]])
    raw = base64.b64decode(address.partition(",")[2])
    assert raw.startswith(b"\x89PNG")
    assert struct.unpack(">II", raw[16:24]) == (2, 2)
    start = raw.index(b"IDAT")
    length = struct.unpack(">I", raw[start - 4 : start])[0]
    assert zlib.decompress(raw[start + 4 : start + 4 + length]) == bytes([0, 0, 255, 0, 127, 63])


def test_images_and_tokens_are_shown() -> None:
    images = torch.randn(8, 1, 6, 6)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 3))
    found = probe(net, (images, torch.arange(8) % 3), torch.nn.CrossEntropyLoss(), memorise=False)
    assert "What the model sees" in str(found)
    assert "data:image/png" in found._repr_html_()
    assert spark([0.0, 1.0]) == "▁█"


def test_findings_stand_by_falling_credence_and_notes_sink() -> None:
    found = probe(**CASES["zero-init"][0](), memorise=False).findings
    assert [f.credence for f in found] == sorted((f.credence for f in found), reverse=True)


def sleuth_command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sleuth", *words], capture_output=True, text=True, check=False
    )


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(MAKE.format(tail=", nn.Softmax(dim=1)"))
    page, data = tmp_path / "page.html", tmp_path / "out.json"
    done = sleuth_command("probe", f"{file}:make", "--no-memorise", "--html", str(page), "--json", str(data))
    assert done.returncode == 1, done.stderr
    assert "double-softmax" in done.stdout
    assert json.loads(data.read_text("utf-8"))["verdict"]["status"] == "cause-found"
    assert "<html" in page.read_text("utf-8")


def test_a_healthy_model_is_exit_code_zero_and_quiet_is_brief(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(MAKE.format(tail=""))
    done = sleuth_command("probe", f"{file}:as_dict", "--no-memorise", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (":mak", "Did you mean 'make'"),
        (":misspelt", "Did you mean 'model'"),
        (":number", "expected (model, batch, loss_fn)"),
        ("", "names no function"),
    ],
)
def test_a_wrong_request_is_one_sentence(tmp_path: Path, name: str, words: str) -> None:
    file = tmp_path / "train.py"
    file.write_text(MAKE.format(tail=""))
    done = sleuth_command("probe", f"{file}{name}")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_public_names_load_on_first_use() -> None:
    assert sleuth.probe is probe
    code = "import sleuth, sys; sleuth.probe; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_listing_causes_does_not_load_torch() -> None:
    code = "from sleuth.cli import run; run(['causes', '-q']); import sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
    assert classify()["model"] is not None
