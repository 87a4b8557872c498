"""What a diagnosis keeps: each observation is in the ledger as soon as it is made."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sleuth.diagnosis import keeping
from sleuth.diagnosis.case import Case
from sleuth.diagnosis.ledger import Ledger, find_case
from sleuth.diagnosis.request import Request
from sleuth.diagnosis.trials import Trial
from sleuth.experiments import called
from sleuth.finding import Evidence
from sleuth.report import Verdict

SCRIPT = """
import torch
torch.manual_seed(0)
x = torch.randn(60, 4)
y = x.sum(1, keepdim=True)
model = torch.nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(30):
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def kept(home: Path) -> Ledger:
    return find_case(None, home)


def test_each_observation_is_on_disk_at_once(home: Path) -> None:
    request = Request(Path("train.py"), prior="measured")
    found = Evidence("seen", "proven", cause="double-softmax", technique="lint")
    case = Case(request, evidence=[found])
    book = keeping.open_book(request)
    assert [line["kind"] for line in kept(home).lines] == ["opened"]
    book.observed(case, "")
    assert [line["kind"] for line in kept(home).lines] == ["opened", "run", "clue"]
    case.made["same-batch"] = Trial(called("same-batch"), yes=False, detail="memorises")
    case.order.append("same-batch")
    book.observed(case, "same-batch")
    assert kept(home).lines[3]["note"] == "memorises"
    assert kept(home).board() == pytest.approx(case.weighed().board)
    book.closed(Verdict("cause-found", "it is"))
    assert kept(home).lines[-1]["status"] == "cause-found"


def test_a_case_is_replayed_with_the_shares_of_its_project(home: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.sleuth.priors]\nlr-too-low = 0.4\n")
    request = Request(tmp_path / "train.py")
    keeping.open_book(request)
    case = Case(replace(request, overrides={"lr-too-low": 0.4}))
    assert kept(home).board() == pytest.approx(case.weighed().board)


def test_a_clue_that_was_refuted_weighs_nothing_when_replayed(home: Path) -> None:
    request = Request(Path("train.py"), prior="measured")
    case = Case(request, evidence=[Evidence("x", "proven", cause="double-softmax", technique="probe")])
    book = keeping.open_book(request)
    book.observed(case, "")
    assert kept(home).board()["double-softmax"] > 0.3
    case.evidence.clear()
    case.made["other-seed"] = Trial(called("other-seed"), yes=None)
    case.order.append("other-seed")
    book.observed(case, "other-seed")
    assert kept(home).board() == pytest.approx(case.weighed().board)
    assert len([line for line in kept(home).lines if line["kind"] == "clue"]) == 2  # the first stands


def test_where_nothing_can_be_written_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLEUTH_HOME", str(tmp_path / "file" / "home"))
    book = keeping.open_book(Request(Path("train.py")))
    assert book.ledger is None
    book.observed(Case(Request(Path("train.py"))), "")


def test_a_diagnosis_that_is_broken_off_leaves_what_it_saw(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from sleuth.diagnosis.diagnose import answered

    (tmp_path / "train.py").write_text(SCRIPT)

    def tell(what: str, words: str) -> None:
        if what == "answer":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answered(Request(tmp_path / "train.py", steps=20, wanted=("same-batch",)), tell)
    lines: list[dict[str, Any]] = [json.loads(line) for line in kept(home).path.read_text().splitlines()]
    assert [line["kind"] for line in lines][:2] == ["opened", "run"]
    assert len([line for line in lines if line["kind"] == "observed"]) == 1
