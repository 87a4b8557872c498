"""Same-batch: loops that feed themselves in other ways are held, and what cannot be held is told so."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sleuth.lab.client import Stage
from sleuth.lab.job import Job
from sleuth.record import outcome
from sleuth.record.entries import Batch, Record, Step
from sleuth.record.json_lines import read

FEEDS = """
import torch

class Fit:
    def __init__(self, x, y, size=20):
        self.x, self.y, self.size, self.pos = x, y, size, 0

    def epoch(self, model, opt):
        self.pos = 0
        while self.pos < len(self.x):
            batch = self.x[self.pos:self.pos + self.size]
            wanted = self.y[self.pos:self.pos + self.size]
            self.pos += self.size
            loss = ((model(batch) - wanted) ** 2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            print(repr(loss.item()))

class Feeder:
    def __init__(self, x, y, size=20):
        self.x, self.y, self.size, self.pos = x, y, size, 0
        self.order = torch.randperm(len(x))

    def next_batch(self):
        if self.pos + self.size > len(self.x):
            self.pos, self.order = 0, torch.randperm(len(self.x))
        rows = self.order[self.pos:self.pos + self.size]
        self.pos += self.size
        return self.x[rows], self.y[rows]
"""
START = """
import torch
from torch import nn
from feeds import Feeder, Fit
torch.manual_seed(0)
x = torch.randn(200, 5)
y = x @ torch.randn(5, 1)
model = nn.Linear(5, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
"""
CURSORS = {
    "a loop of a class": "fit = Fit(x, y)\nfor epoch in range(4):\n    fit.epoch(model, opt)\n",
    "a feeder that shuffles": """
        feeder = Feeder(x, y)
        for step in range(40):
            a, b = feeder.next_batch()
            loss = ((model(a) - b) ** 2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
            print(repr(loss.item()))
        """,
    "micro-batches": """
        pos = step = 0
        while step < 40:
            opt.zero_grad()
            for micro in range(2):
                a, b = x[pos:pos + 10], y[pos:pos + 10]
                pos = (pos + 10) % 200
                loss = ((model(a) - b) ** 2).mean()
                loss.backward()
            opt.step()
            step += 1
            print(repr(loss.item()))
        """,
}
GAN = """
import torch
from torch import nn
torch.manual_seed(0)
data = torch.randn(512, 4) + 2
own = torch.Generator().manual_seed(1)
G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 4))
D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
of_g = torch.optim.Adam(G.parameters(), lr=1e-3)
of_d = torch.optim.Adam(D.parameters(), lr=1e-3)
bce, ones, zeros = nn.BCEWithLogitsLoss(), torch.ones(32, 1), torch.zeros(32, 1)
for epoch in range(2):
    order = torch.randperm(512)
    for i in range(0, 512, 32):
        real = data[order[i:i + 32]]
        fake = G(torch.randn(32, 3))
        loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)
        of_d.zero_grad(); loss.backward(); of_d.step()
        loss = bce(D(G(torch.randn(32, 3))), ones)
        of_g.zero_grad(); loss.backward(); of_g.step()
"""
TRAINER = """
import torch
from torch import nn
from transformers import Trainer, TrainingArguments

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x, labels=None):
        scores = self.layers(x)
        return {"loss": nn.functional.cross_entropy(scores, labels), "logits": scores}

torch.manual_seed(0)
x = torch.randn(400, 4)
rows = [{"x": a, "labels": b} for a, b in zip(x, (x[:, 0] > 0).long())]
arguments = TrainingArguments(
    "out", max_steps=30, per_device_train_batch_size=16, report_to=[], save_strategy="no", use_cpu=True,
    disable_tqdm=True,
)
Trainer(model=Net(), args=arguments, train_dataset=rows).train()
"""

Run = Callable[..., tuple[Record, str]]


@pytest.fixture
def run(stage: Stage, tmp_path: Path) -> Run:
    def run(source: str, world: str = "same-batch") -> tuple[Record, str]:
        name = f"{tmp_path.name}-{world}"
        (tmp_path / "feeds.py").write_text(FEEDS)
        (tmp_path / "script.py").write_text(source)
        job = Job(name, str(tmp_path / "script.py"), folder=str(tmp_path), world=world, time_limit=300.0)
        (ending,) = stage.run([job])
        assert ending.status == "finished", ending
        scratch = Path(stage.scratch)
        return read(scratch / f"{name}.jsonl"), (scratch / f"{name}.stdout").read_text()

    return run


@pytest.mark.parametrize("kind", CURSORS)
def test_cursors_are_held_and_otherwise_left_alone(run: Run, kind: str, tmp_path: Path) -> None:
    source = START + textwrap.dedent(CURSORS[kind])
    record, _ = run(source)
    assert len({step.batch for step in record.of(Step)}) == 1
    assert outcome.pinned(record)
    plain, output = run(source, "")
    assert len({step.batch for step in plain.of(Step)}) > 5
    bare = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert output == bare.stdout


def test_two_players_are_held_whatever_they_make_for_each_other(run: Run) -> None:
    record, _ = run(GAN)
    assert len({step.batch for step in record.of(Step)}) > 10
    assert outcome.pinned(record)


@pytest.mark.parametrize("source", [GAN, START + textwrap.dedent(CURSORS["a feeder that shuffles"])])
def test_a_generator_of_its_own_cannot_be_held_and_is_not_said_to_be(run: Run, source: str) -> None:
    source = source.replace("data[order[i:i + 32]]", "torch.randn(32, 4, generator=own)")
    source = source.replace("feeder.next_batch()", "torch.randn(20, 5, generator=own), torch.ones(20, 1)")
    record, _ = run(source.replace("torch.manual_seed(0)", "own = torch.Generator()", 1))
    assert not outcome.pinned(record)


def test_a_trainer_that_fetches_ahead_is_held(run: Run) -> None:
    pytest.importorskip("accelerate")
    pytest.importorskip("transformers")
    record, _ = run(TRAINER)
    assert len(record.steps) == 30
    assert outcome.pinned(record)


def batches(prints: dict[int, Callable[[int], str]], count: int = 20) -> list[Batch]:
    return [
        Batch(n, model=model, fingerprint=made(n)) for n in range(count) for model, made in prints.items()
    ]


@pytest.mark.parametrize(
    ("seen", "held"),
    [
        ({1: lambda n: "a", 2: lambda n: "b"}, True),
        ({1: lambda n: "a", 2: str}, False),  # one of them was given something else each time
        ({1: lambda n: "a" if n < 12 else "b", 2: lambda n: "b"}, False),
        ({1: lambda n: "a"}, False),  # one model alone is told by its steps
    ],
)
def test_each_model_is_asked_for_the_batch_it_kept(seen: dict[int, Callable[[int], str]], held: bool) -> None:
    steps = [Step(n, optimizer=1 + n % 2, loss=1.0, batch=str(n)) for n in range(20)]
    assert outcome.pinned(Record((*steps, *batches(seen)))) is held


def test_each_optimizer_may_have_a_batch_of_its_own() -> None:
    steps = [Step(n, optimizer=1 + n % 2, loss=1.0, batch="ab"[n % 2]) for n in range(20)]
    assert outcome.pinned(Record(tuple(steps)))
    mixed = [Step(n, optimizer=1, loss=1.0, batch="ab"[n % 2]) for n in range(20)]
    assert not outcome.pinned(Record(tuple(mixed)))


def test_what_was_fetched_ahead_is_allowed_at_the_start_alone() -> None:
    steps = [Step(n, loss=1.0, batch="b" if n == 1 else "a") for n in range(20)]
    assert outcome.pinned(Record(tuple(steps)))
    later = [Step(n, loss=1.0, batch="b" if n == 15 else "a") for n in range(20)]
    assert not outcome.pinned(Record(tuple(later)))
