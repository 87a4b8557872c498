"""A suspicion of the source, held to the numbers of the run."""

from pathlib import Path

import pytest

from sleuth.diagnosis.joined import settled
from sleuth.finding import Finding
from sleuth.lint import Selection, lint
from sleuth.record.entries import Loader, Pattern, Record, Scheduler, Step

SCRIPT = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

BATCH = 64
loader = DataLoader(held_out, batch_size=BATCH{options})
model = nn.Linear(8, 3)
right = 0
model.eval()
with torch.no_grad():
    for x, y in loader:
        {added}
print(right / {divisor})
"""
ROWS = "(len(loader) * BATCH)"
HITS = "right += (model(x).argmax(1) == y).sum().item()"


def suspected(folder: Path, added: str = HITS, divisor: str = ROWS, options: str = "") -> list[Finding]:
    path = folder / "train.py"
    path.write_text(SCRIPT.format(added=added, divisor=divisor, options=options))
    found = lint([path], selection=Selection(notes=True), jobs=1).findings
    return [finding for finding in found if finding.cause == "metric-accumulation-bug"]


def loader(examples: int, drop_last: bool = False) -> Record:
    return Record((Loader(1, 6, "train.py", examples=examples, batch_size=64, drop_last=drop_last),))


@pytest.mark.parametrize(
    "added",
    [
        HITS,
        "right += nn.functional.cross_entropy(model(x), y).item() * x.size(0)",
        "right += ((model(x) - y) ** 2).mean(1).sum().item()",
    ],
)
def test_full_batches_are_suspected_where_rows_are_added_up(tmp_path: Path, added: str) -> None:
    (note,) = suspected(tmp_path, added)
    assert note.severity == "note"
    assert note.where is not None
    assert note.where.line == 13


@pytest.mark.parametrize(
    ("added", "divisor", "options"),
    [
        ("right += nn.functional.cross_entropy(model(x), y).item() * BATCH", ROWS, ""),  # means of batches
        (HITS, ROWS, ", drop_last=True"),
        (HITS, "(len(loader) * 3)", ""),  # something else is counted
    ],
)
def test_other_counts_are_left_alone(tmp_path: Path, added: str, divisor: str, options: str) -> None:
    assert not suspected(tmp_path, added, divisor, options)


@pytest.mark.parametrize(("rows", "severity"), [(80, "error"), (128, "note"), (10_000, "note")])
def test_the_run_says_whether_the_last_batch_is_short(tmp_path: Path, rows: int, severity: str) -> None:
    (finding,) = settled(suspected(tmp_path), loader(rows))
    assert finding.severity == severity


def test_what_no_run_showed_stays_a_note(tmp_path: Path) -> None:
    (finding,) = settled(suspected(tmp_path), Record())
    assert finding.severity == "note"


CALLBACK = """\
import torch
from torch.utils.data import DataLoader


class Plan:
    def begin(self, trainer):
        total = {length}

        def factor(t):
            return 1 - t / total

        self.schedule = torch.optim.lr_scheduler.LambdaLR(trainer.optimizer, factor)

    def on_end(self, trainer):
        self.schedule.step()
"""
IN_STEPS = "trainer.epochs * len(trainer.train_loader)"


def planned(folder: Path, length: str = IN_STEPS) -> list[Finding]:
    path = folder / "train.py"
    path.write_text(CALLBACK.format(length=length))
    found = lint([path], selection=Selection(notes=True), jobs=1).findings
    return [finding for finding in found if finding.cause == "scheduler-cadence"]


def called(every: int) -> Record:
    """Sixty steps, and a schedule made on line 12 that is called on line 15 after every so many."""
    plain = (("backward", 0, 30), ("step", 1, 31))
    late = (("scheduler", 1, 15), *plain)  # between the last step and this one
    steps = [Step(n, optimizer=1, loss=1.0, pattern=2 if n and n % every == 0 else 1) for n in range(60)]
    return Record((Scheduler(1, "LambdaLR", 1, 12, "train.py"), Pattern(1, plain), Pattern(2, late), *steps))


def test_a_plan_in_steps_that_somebody_else_calls_is_worth_a_note(tmp_path: Path) -> None:
    (note,) = planned(tmp_path)
    assert note.severity == "note"


def test_a_plan_in_epochs_is_none(tmp_path: Path) -> None:
    assert not planned(tmp_path, "trainer.epochs")


@pytest.mark.parametrize(("every", "severity"), [(20, "error"), (1, "note"), (100, "note")])
def test_the_run_says_how_often_a_plan_is_called(tmp_path: Path, every: int, severity: str) -> None:
    (finding,) = settled(planned(tmp_path), called(every))
    assert finding.severity == severity
    if severity == "error":
        assert finding.where is not None
        assert finding.where.line == 15
