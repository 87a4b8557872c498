"""A polite guest: real processes, the same streams, exit codes, signals and children as without Sleuth."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from sleuth import archive
from sleuth.record.entries import End, Model, Replicas, Run
from sleuth.record.json_lines import read
from sleuth.watching.judging import load
from sleuth.watching.process import environment, records

TRAIN = """
    import sys, torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def train(steps=5):
        for _ in range(steps):
            optimizer.zero_grad()
            x = torch.randn(8, 3)
            loss = torch.nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
            loss.backward()
            optimizer.step()
        return loss.item()
"""


def script(folder: Path, body: str, name: str = "train.py") -> Path:
    path = folder / name
    path.write_text(dedent(TRAIN) + dedent(body))
    return path


def both(
    folder: Path, *command: str, level: str = "default"
) -> tuple[subprocess.CompletedProcess[bytes], ...]:
    """The same command alone and under the recorder (without the report of `sleuth watch`)."""
    record = folder / "record.jsonl"
    words = [sys.executable, *command]
    alone = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    env = environment(record, level, os.environ)
    seen = subprocess.run(words, cwd=folder, capture_output=True, env=env, check=False)
    return alone, seen


def sleuth(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", *words]
    env = os.environ | {"SLEUTH_HOME": str(folder / "home")}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, check=False)


def test_streams_arguments_traceback_and_code_are_the_same(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        if __name__ == "__main__":
            print(sys.argv, __file__, repr(train()))
            print("to the other stream", file=sys.stderr)
            torch.nn.functional.mse_loss(torch.zeros(3, 1), torch.zeros(3))
            try:
                net(torch.zeros(2, 9))
            except RuntimeError:
                pass
            torch.nn.CrossEntropyLoss()(torch.ones(3, 4), torch.zeros(5).long())
        """,
    )
    alone, seen = both(tmp_path, "train.py", "--lr", "0.1")
    assert (alone.stdout, alone.returncode) == (seen.stdout, seen.returncode)
    assert alone.stderr == seen.stderr
    record = read(tmp_path / "record.jsonl")
    end = record.end
    assert end is not None
    assert (end.status, end.exception, len(record.steps)) == ("raised", "ValueError", 5)
    assert end.frames[-1][0] == "train.py"


def test_tracebacks_that_others_print_hold_no_frame_of_sleuth(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        import logging, threading, traceback

        class Late:
            def __del__(self):
                net(torch.zeros(2, 9))

            __repr__ = __qualname__ = "late".__str__

        def fail():
            net(torch.zeros(2, 9))

        train(2)
        try:
            fail()
        except RuntimeError as error:
            print(traceback.format_exc(), *traceback.format_tb(error.__traceback__))
            logging.exception("so it was")
        thread = threading.Thread(target=fail, name="other")
        thread.start()
        thread.join()
        sys.stderr.flush()
        Late()
        """,
    )
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.returncode) == (seen.stdout, seen.returncode)
    addresses = re.compile(rb"0x[0-9a-f]+")
    assert addresses.sub(b"", alone.stderr) == addresses.sub(b"", seen.stderr)


def test_watch_passes_everything_through_and_keeps_the_run(tmp_path: Path) -> None:
    script(tmp_path, "print(train())\nsys.exit(3)\n")
    alone = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, check=False)
    done = sleuth(tmp_path, "watch", "--json", "report.json", "--html", "page.html", "train.py", "--flag")
    assert (done.stdout, done.returncode) == (alone.stdout.decode(), 3)
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["schema"] == "sleuth.report/1"
    assert "5 optimizer steps" in done.stderr
    assert "<svg" in (tmp_path / "page.html").read_text()
    (kept,) = (tmp_path / "home" / "runs").iterdir()
    assert (kept / "stdout.txt").read_bytes() == alone.stdout
    again = sleuth(tmp_path, "judge", "last", "--json", "-")
    assert json.loads(again.stdout)["verdict"] == report["verdict"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_script_and_its_record_survives(tmp_path: Path, number: signal.Signals) -> None:
    script(
        tmp_path,
        "train()\nprint('ready', flush=True)\nimport time\nwhile True:\n    train(1); time.sleep(0.05)\n",
    )
    command = [sys.executable, "-m", "sleuth", "watch", "train.py"]
    env = os.environ | {"SLEUTH_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # A suite started in the background of a shell has interrupts off, and so would all it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1.0)
        process.send_signal(number)
        try:
            assert process.wait(60) == 128 + number
        finally:
            process.kill()
    assert sleuth(tmp_path, "judge", "last", "--quiet").returncode in (0, 1)


CHILDREN = """
    import torch.multiprocessing as mp
    from torch.utils.data import DataLoader, TensorDataset

    def work(rank):
        train(2)

    if __name__ == "__main__":
        data = TensorDataset(torch.randn(16, 3))
        for method in ("fork", "spawn"):
            served = sum(len(x) for x, in DataLoader(data, 4, num_workers=1, multiprocessing_context=method))
            print(method, served)
        mp.spawn(work, nprocs=1)
        print(train(3))
"""


def test_workers_do_not_record_and_children_that_train_do(tmp_path: Path) -> None:
    script(tmp_path, CHILDREN)
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.stderr, alone.returncode) == (seen.stdout, seen.stderr, seen.returncode)
    whole, *others = records(tmp_path / "record.jsonl")
    assert len(read(whole).steps) == 3
    assert [len(read(path).steps) for path in others] == [2]


@pytest.mark.parametrize("early", [True, False], ids=["torch before", "torch after"])
@pytest.mark.parametrize("way", ["fork", "forkserver"])
def test_forked_children_that_train_record(tmp_path: Path, way: str, early: bool) -> None:
    script(tmp_path, "", "model.py")
    (tmp_path / "train.py").write_text(
        dedent(
            f"""
            import multiprocessing
            {"import torch" if early else ""}

            def work(steps):
                from model import train

                train(steps)

            if __name__ == "__main__":
                context = multiprocessing.get_context("{way}")
                children = [context.Process(target=work, args=(steps,)) for steps in (2, 3)]
                for child in children:
                    child.start()
                for child in children:
                    child.join()
                print([child.exitcode for child in children])
            """
        )
    )
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.stderr, alone.returncode) == (seen.stdout, seen.stderr, seen.returncode)
    found = [read(path) for path in records(tmp_path / "record.jsonl")[1:]]
    assert sorted(len(record.steps) for record in found) == [2, 3]
    assert all(record.end is not None and len(record.of(Model)) == 1 for record in found)
    assert load(tmp_path / "record.jsonl").steps


def test_what_is_left_at_once_is_recorded_to_its_end(tmp_path: Path) -> None:
    script(tmp_path, "import os\ntrain(3)\nos._exit(7)\n")
    alone, seen = both(tmp_path, "train.py")
    assert (alone.returncode, seen.returncode) == (7, 7)
    record = read(tmp_path / "record.jsonl")
    assert record.end is not None
    assert (len(record.steps), record.end.exit_code) == (3, 7)


def test_a_run_that_breaks_off_is_said_to(tmp_path: Path) -> None:
    script(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    done = sleuth(tmp_path, "watch", "train.py")
    assert done.returncode == 137
    assert "The record breaks off there" in " ".join(done.stderr.split())


def test_what_the_script_wrote_is_kept_where_asked(tmp_path: Path) -> None:
    script(tmp_path, "train(2)\ntorch.save(net.state_dict(), 'last.pt')\nopen('notes.txt', 'w').close()\n")
    assert sleuth(tmp_path, "watch", "--keep", "*.pt", "train.py").returncode == 0
    (kept,) = (tmp_path / "home" / "runs").iterdir()
    assert [path.name for path in (kept / "artefacts").iterdir()] == ["last.pt"]


RANKS = """
    import os, torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo")
    net = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    torch.manual_seed(dist.get_rank())
    print(f"{dist.get_rank()} {train(4)!r}\\n", end="")
    dist.destroy_process_group()
"""


@pytest.mark.slow
def test_ranks_of_a_distributed_run_stand_side_by_side(tmp_path: Path) -> None:
    script(tmp_path, RANKS)
    alone, seen = both(
        tmp_path, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"
    )
    assert sorted(alone.stdout.split(b"\n")) == sorted(seen.stdout.split(b"\n"))
    assert (alone.returncode, seen.returncode) == (0, 0)
    record = load(tmp_path / "record.jsonl")
    assert (record.of(Run)[0].rank, record.of(Run)[0].world_size) == (0, 2)
    assert len(record.steps) == 4
    marks = record.of(Replicas)
    assert all(len(set(mark.parameters)) == 1 for mark in marks)
    assert all(len(set(mark.batches)) == 2 for mark in marks)
    assert record.of(Model)[0].type == "Linear"


@pytest.mark.slow
def test_a_distributed_run_stands_in_the_archive_like_any_other(tmp_path: Path) -> None:
    script(tmp_path, RANKS)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    done = sleuth(tmp_path, "watch", "--level", "full", *words)
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "home" / "runs").iterdir()
    kept = archive.find(run)
    assert kept.meta["command"] == ["sleuth", "watch", "--level", "full", *words]
    assert kept.meta["script"] == str(tmp_path / "train.py")
    assert (kept.meta["steps"], len(kept.series("step/loss"))) == (4, 4)
    again = sleuth(tmp_path, "judge", "last")
    assert "4 optimizer steps" in again.stdout


@pytest.mark.parametrize(
    ("content", "words", "sentence"),
    [
        (None, ["watch", "missing.py"], "There is no file 'missing.py'."),
        ("def (:\n", ["watch", "bad.py"], "'bad.py' is not Python (line 1)."),
        ("{}", ["watch", "bad.ipynb"], "is a notebook"),
        (None, ["watch"], "Which script?"),
        (None, ["watch", "."], "is a folder"),
        (None, ["judge", "nothing-like-it"], "nothing-like-it"),
        (None, ["watch", "-m", "nothing.like.it"], "no module 'nothing.like.it'"),
    ],
    ids=["missing", "not Python", "notebook", "nothing", "folder", "no such run", "no such module"],
)
def test_a_wrong_request_is_one_sentence(
    tmp_path: Path, content: str | None, words: list[str], sentence: str
) -> None:
    if content is not None:
        (tmp_path / words[1]).write_text(content)
    done = sleuth(tmp_path, *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_scripts_that_never_train_are_said_to(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("print('hello')\n")
    done = sleuth(tmp_path, "watch", "plain.py")
    assert (done.stdout, done.returncode) == ("hello\n", 0)
    assert "did not import torch" in done.stderr
    script(tmp_path, "net(torch.zeros(2, 3))\n")
    done = sleuth(tmp_path, "watch", "train.py")
    assert "No backward call" in done.stderr
    assert "1 models called" in done.stderr


def test_a_folder_that_cannot_be_written_costs_the_record_only(tmp_path: Path) -> None:
    script(tmp_path, "print(train())\n")
    (tmp_path / "home").write_text("a file, not a folder")
    done = sleuth(tmp_path, "watch", "train.py")
    assert done.returncode == 0
    assert "not recorded" in done.stderr
    assert "5 optimizer steps" in done.stderr


def test_a_users_own_sitecustomize_still_runs(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('mine')\n")
    (tmp_path / "plain.py").write_text("import sitecustomize; print(sitecustomize.__file__)\n")
    base = os.environ | {"PYTHONPATH": str(tmp_path)}
    env = environment(tmp_path / "record.jsonl", "default", base)
    done = subprocess.run(
        [sys.executable, "plain.py"], cwd=tmp_path, capture_output=True, text=True, env=env, check=False
    )
    assert done.stdout.splitlines() == ["mine", str(tmp_path / "sitecustomize.py")]
    assert read(tmp_path / "record.jsonl").of(End)[0].status == "finished"


def test_a_kill_loses_nothing_that_is_older_than_a_second(tmp_path: Path) -> None:
    script(tmp_path, "train(40)\nprint('ready', flush=True)\nimport time\ntime.sleep(60)\n")
    env = environment(tmp_path / "record.jsonl", "default", os.environ)
    with subprocess.Popen(
        [sys.executable, "train.py"], cwd=tmp_path, env=env, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1.0)  # and nothing happens that could have written the rest
        process.kill()
        process.wait(60)
    assert len(read(tmp_path / "record.jsonl").steps) == 40


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_tied_a_killed_sleuth_leaves_no_training_behind(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(120)\n")
    command = [sys.executable, "-m", "sleuth", "watch", "--tie", "silent.py"]
    env = os.environ | {"SLEUTH_HOME": str(tmp_path / "home")}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        training = Path("/proc", process.stdout.readline().decode().strip(), "cmdline")
        assert b"silent.py" in training.read_bytes()
        process.kill()
        process.wait(60)
    until = time.monotonic() + 60
    while _text_of(training) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _text_of(training)


def _text_of(process: Path) -> bytes:
    try:
        return process.read_bytes()  # empty for one that has ended and nobody asked after
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_costs_the_record_and_one_sentence(tmp_path: Path) -> None:
    script(tmp_path, "print(train())\nimport threading\nprint(threading.active_count())\n")
    (tmp_path / "record.jsonl").symlink_to("/dev/full")
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.returncode) == (seen.stdout, seen.returncode)
    assert seen.stderr.decode().splitlines() == [
        "sleuth: the rest of this run is not recorded (No space left on device); it goes on."
    ]


def test_a_fork_of_the_script_leaves_the_record_alone(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        import os, time
        train(3)
        child = os.fork()
        if child == 0:
            train(5)
            time.sleep(0.6)
            os._exit(7)
        train(2)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """,
    )
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.stderr, alone.returncode) == (seen.stdout, seen.stderr, seen.returncode)
    record = read(tmp_path / "record.jsonl")
    assert [step.n for step in record.steps] == [*range(5)]


def test_a_transformed_function_and_a_trace_are_left_in_peace(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        from torch.func import functional_call, grad, vmap

        def loss(weights, x):
            out = functional_call(net, weights, (x.unsqueeze(0),))
            return torch.nn.functional.mse_loss(out, x.sum().reshape(1, 1))

        weights = {name: part.detach() for name, part in net.named_parameters()}
        each = vmap(grad(loss), in_dims=(None, 0))(weights, torch.randn(4, 3))
        print(each["weight"].tolist(), train())
        print(torch.jit.trace(net, torch.zeros(2, 3)).graph)
        """,
    )
    alone, seen = both(tmp_path, "train.py")
    assert (alone.stdout, alone.returncode) == (seen.stdout, seen.returncode)
    assert b"sleuth" not in seen.stderr
    assert len(read(tmp_path / "record.jsonl").steps) == 5


@pytest.mark.parametrize("level", ["default", "deep"])
def test_tensors_without_an_address_are_left_in_peace(tmp_path: Path, level: str) -> None:
    """`jacrev` inside `vmap` writes, with torch's own methods, into tensors that lie nowhere."""
    body = """
        from torch.func import functional_call, jacrev, vmap
        parts = dict(net.named_parameters())
        slopes = vmap(jacrev(lambda w, x: functional_call(net, w, (x,))), in_dims=(None, 0))
        print(slopes(parts, torch.randn(4, 3))["weight"].shape)
        print(train())
    """
    alone, seen = both(tmp_path, script(tmp_path, body).name, level=level)
    assert alone.returncode == 0, alone.stderr
    assert (seen.returncode, seen.stdout) == (0, alone.stdout), seen.stderr
