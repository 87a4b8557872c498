"""The stage with real child processes: faithful, bounded in time, and leaving nothing behind."""

import os
import subprocess
import sys
import textwrap
import time
from ast import literal_eval
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sleuth.lab.client import Stage
from sleuth.lab.job import Ending, Job
from sleuth.record.entries import Record, Step
from sleuth.record.json_lines import read

LOADER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for epoch in range(4):
    model.train()
    for i, (xb, yb) in enumerate(loader):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
        print(repr(loss.item()))
    model.eval()
    with torch.no_grad():
        print("accuracy", (model(x).argmax(1) == y).float().mean().item())
"""
BY_HAND = """
import torch
torch.manual_seed(0)
x = torch.randn(200, 5)
y = x @ torch.randn(5, 1)
w = torch.nn.Linear(5, 1)
opt = torch.optim.Adam(w.parameters(), lr=0.01)
for epoch in range(5):
    order = torch.randperm(len(x))
    for i in range(0, len(x), 20):
        rows = order[i:i + 20]
        loss = ((w(x[rows]) - y[rows]) ** 2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        print(repr(loss.item()))
"""
DRAWN = """
import torch
torch.manual_seed(0)
data = torch.arange(1000)
table = torch.nn.Embedding(1000, 8)
head = torch.nn.Linear(8, 1000)
opt = torch.optim.AdamW([*table.parameters(), *head.parameters()], lr=0.01)
def get_batch():
    i = torch.randint(0, 999, (16,))
    return data[i], data[i + 1]
step = 0
while step < 50:
    a, b = get_batch()
    loss = torch.nn.functional.cross_entropy(head(table(a)), b)
    opt.zero_grad(set_to_none=True); loss.backward(); opt.step()
    print(repr(loss.item()))
    step += 1
"""


class Bench:
    """Runs sources on the stage and hands back their records."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage, self.folder, self.count = stage, folder, 0

    def run(self, source: str, **options: object) -> tuple[Ending, Record, str]:
        self.count += 1
        script = self.folder / f"script{self.count}.py"
        script.write_text(textwrap.dedent(source))
        name = f"{self.folder.name}-{self.count}"
        job = replace(Job(name, str(script), folder=str(self.folder)), **options)  # type: ignore[arg-type]
        (ending,) = self.stage.run([job])
        record = Path(self.stage.scratch) / f"{name}.jsonl"
        output = (Path(self.stage.scratch) / f"{name}.stdout").read_text()
        return ending, read(record) if record.is_file() else Record(), output


@pytest.fixture
def bench(stage: Stage, tmp_path: Path) -> Bench:
    return Bench(stage, tmp_path)


@pytest.mark.parametrize("source", [LOADER, BY_HAND, DRAWN], ids=["loader", "by hand", "drawn"])
def test_the_unchanged_world_reproduces_the_bare_run_bit_for_bit(bench: Bench, source: str) -> None:
    ending, _, output = bench.run(source)
    bare = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert ending.status == "finished", ending
    assert output == bare.stdout


@pytest.mark.parametrize("source", [LOADER, BY_HAND, DRAWN], ids=["loader", "by hand", "drawn"])
def test_same_batch_pins_every_kind_of_loop(bench: Bench, source: str) -> None:
    _, record, _ = bench.run(source, world="same-batch")
    _, plain, _ = bench.run(source, only=8)
    prints = {step.batch for step in record.of(Step)}
    assert len({step.batch for step in plain.of(Step)}) > 5
    assert len(prints) == 1
    assert record.losses[-1] < record.losses[0]


def test_a_limit_shortens_epochs_and_still_reaches_the_evaluation(bench: Bench) -> None:
    ending, record, output = bench.run(LOADER, steps=6)
    assert (ending.steps, ending.status) == (6, "finished")
    assert output.count("accuracy") == 2
    assert len(ending.cut) == 2
    assert record.end is not None
    assert record.end.shortened


def test_the_rate_is_another_one_and_the_group_is_left_alone(bench: Bench) -> None:
    source = LOADER + "\nassert opt.param_groups[0]['lr'] == 0.1\n"
    ending, record, _ = bench.run(source, world="lr×0.1")
    _, base, _ = bench.run(LOADER)
    assert ending.status == "finished", ending
    assert sum(ending.took_hold.values()) == ending.steps == 32
    assert record.losses[0] == base.losses[0]
    assert record.losses[5] != base.losses[5]


SEEDED_EVERYWHERE = """
import random
import numpy as np
import torch
random.seed(a=1)
np.random.seed(seed=2)
torch.manual_seed(seed=3)
drawn = [random.random(), np.random.rand(), torch.rand(()).item()]
drawn += [np.random.default_rng(seed=4).random(), np.random.RandomState(5).rand()]
drawn.append(torch.rand((), generator=torch.Generator().manual_seed(6)).item())
print(drawn)
assert isinstance(np.random.RandomState(0), np.random.RandomState)
assert isinstance(np.random.mtrand._rand, np.random.RandomState)
assert isinstance(torch.Generator(), torch.Generator)
w = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(w.parameters(), lr=0.1)
for _ in range(8):
    opt.zero_grad(); w(torch.ones(4, 2)).pow(2).mean().backward(); opt.step()
"""


def test_another_seed_reaches_every_source_of_chance(bench: Bench) -> None:
    plain, _, drawn = bench.run(SEEDED_EVERYWHERE)
    other, _, again = bench.run(SEEDED_EVERYWHERE, world="other-seed")
    assert (plain.status, other.status) == ("finished", "finished"), other
    assert not set(literal_eval(drawn)) & set(literal_eval(again))


def test_a_world_that_changes_nothing_says_so(bench: Bench) -> None:
    plain = LOADER.replace(", momentum=0.9", "")
    ending, record, _ = bench.run(plain, world="no-momentum")
    _, base, _ = bench.run(plain)
    assert not sum(ending.took_hold.values())
    assert record.losses == base.losses


def test_a_process_of_its_own_computes_the_same(bench: Bench) -> None:
    _, base, _ = bench.run(LOADER)
    ending, again, _ = bench.run(LOADER, world="again", fresh=True, only=12)
    assert ending.status == "stopped"
    assert again.losses[:12] == base.losses[:12]


def test_a_process_of_its_own_has_other_hashes(bench: Bench) -> None:
    source = BY_HAND.replace("manual_seed(0)", "manual_seed(abs(hash('a')) % 1000)")
    _, base, _ = bench.run(source)
    _, forked, _ = bench.run(source)
    apart = (bench.run(source, fresh=True)[1].losses != base.losses for _ in range(2))
    assert forked.losses == base.losses
    assert any(apart)  # two hashes may lead to one seed


def test_taking_back_a_missing_zero_grad_gives_the_repaired_run(bench: Bench) -> None:
    broken = BY_HAND.replace("opt.zero_grad(); ", "")
    _, repaired, _ = bench.run(BY_HAND)
    ending, undone, _ = bench.run(broken, undo=("missing-zero-grad",))
    _, as_it_is, _ = bench.run(broken)
    assert sum(ending.took_hold.values())
    assert undone.losses == repaired.losses
    assert as_it_is.losses != repaired.losses


def test_a_crash_is_told_with_the_users_frames(bench: Bench) -> None:
    ending, _, _ = bench.run("import torch\n\ndef f():\n    raise KeyError('weights')\n\nf()\n")
    assert (ending.status, ending.exception, ending.exit_code) == ("raised", "KeyError", 1)
    assert [(line, name) for _, line, name in ending.frames] == [(6, "<module>"), (4, "f")]


@pytest.mark.parametrize(
    ("last", "status", "code"), [("sys.exit(3)", "exited", 3), ("sys.exit()", "finished", 0)]
)
def test_an_exit_code_is_kept(bench: Bench, last: str, status: str, code: int) -> None:
    ending, _, _ = bench.run(f"import sys\n{last}\n")
    assert (ending.status, ending.exit_code) == (status, code)


def test_a_script_that_never_ends_is_stopped_with_all_it_spawned(bench: Bench) -> None:
    source = """
    import subprocess, time
    child = subprocess.Popen(["sleep", "600"])
    open("pid", "w").write(str(child.pid))
    while True:
        time.sleep(0.05)
    """
    ending, _, _ = bench.run(source, time_limit=6.0)
    pid = int((bench.folder / "pid").read_text())
    assert ending.status == "stopped"
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    """Whether a process still runs; one that ended may stand in the table until its parent is told."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except (ProcessLookupError, FileNotFoundError):
            return False
        time.sleep(0.02)
    return True


def test_writing_into_a_guarded_folder_is_refused_and_told(bench: Bench) -> None:
    ending, _, _ = bench.run("open('out.txt', 'w').write('x')", guarded=(str(bench.folder),))
    assert ending.status == "wrote"
    assert not (bench.folder / "out.txt").exists()


def test_no_input_is_waited_for(bench: Bench) -> None:
    ending, _, _ = bench.run("name = input('who? ')")
    assert ending.exception == "EOFError"


def test_modules_of_the_project_are_held_too(bench: Bench) -> None:
    (bench.folder / "trainer.py").write_text(
        "def fit(step, n):\n    for i in range(n):\n        step()\n    return i\n"
    )
    source = """
    import torch
    from trainer import fit
    w = torch.nn.Parameter(torch.zeros(3))
    opt = torch.optim.SGD([w], lr=0.1)
    def step():
        opt.zero_grad(); ((w - 1) ** 2).sum().backward(); opt.step()
    print(fit(step, 1000))
    """
    ending, _, _ = bench.run(source, steps=25)
    assert ending.steps == 25
    assert any("trainer.py" in key for key in ending.cut)


def test_main_looks_as_python_makes_it(bench: Bench) -> None:
    source = """
    import sys, __main__
    if __name__ == "__main__":
        print(sys.argv[1:], __file__ == sys.argv[0], __main__.__file__ == __file__, sys.path[0])
    """
    _, _, output = bench.run(source, arguments=("--lr", "0.1"))
    assert output.split() == ["['--lr',", "'0.1']", "True", "True", str(bench.folder)]


def test_nothing_is_left_behind() -> None:
    with Stage() as made:
        scratch, process = made.scratch, made._process
        assert Path(scratch).is_dir()
    assert not Path(scratch).exists()
    assert process.returncode is not None


TRAINED = """
import os, signal, sys, time, torch
w = torch.nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([w], lr=0.1)
for i in range(5):
    opt.zero_grad(); ((w - 1) ** 2).sum().backward(); opt.step()
"""


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("os.abort()", ("died", "SIGABRT", 5, False)),
        ("os.kill(os.getpid(), signal.SIGSEGV)", ("died", "SIGSEGV", 5, False)),
        ("os.kill(os.getpid(), signal.SIGKILL)", ("died", "SIGKILL", 5, False)),
        ("os.kill(os.getpid(), signal.SIGTERM)", ("died", "SIGTERM", 5, False)),
        ("os._exit(0)", ("finished", "", 5, False)),
        ("os._exit(7)", ("exited", "7", 5, False)),
    ],
)
def test_an_end_of_its_own_is_not_told_as_the_deadline(
    bench: Bench, last: str, told: tuple[str, str, int, bool]
) -> None:
    ending, _, _ = bench.run(f"{TRAINED}\n{last}\n", time_limit=300.0)
    assert (ending.status, ending.message, ending.steps, ending.out_of_time) == told


ENDLESS = {
    "waits": ("time.sleep(600)", "stopped"),
    "cleans up badly": ("try:\n    time.sleep(600)\nfinally:\n    raise KeyError('gone')", "stopped"),
    "ends in its own way": ("try:\n    time.sleep(600)\nexcept BaseException:\n    sys.exit(1)", "stopped"),
    "does not listen": ("signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)", "killed"),
}


@pytest.mark.parametrize("how", ENDLESS)
def test_out_of_time_is_told_from_enough_steps(bench: Bench, how: str) -> None:
    last, status = ENDLESS[how]
    ending, _, _ = bench.run(f"{TRAINED}\n{last}\n", time_limit=8.0)
    assert (ending.status, ending.steps, ending.out_of_time) == (status, 5, True)


def test_enough_steps_are_not_out_of_time(bench: Bench) -> None:
    ending, _, _ = bench.run(LOADER, only=3)
    assert (ending.status, ending.out_of_time) == ("stopped", False)


def test_a_fault_of_sleuth_is_told_as_one(bench: Bench) -> None:
    for fresh in (False, True):
        ending, _, _ = bench.run("x = 1", world="no-such-world", fresh=fresh)
        told = "a fault of Sleuth's own (ValueError: there is no experiment called 'no-such-world')"
        assert (ending.status, ending.message) == ("died", told)
    ending, _, _ = bench.run("import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'exit(4)'])")
    assert (ending.status, ending.message) == ("died", "itself, with exit code 4")
