"""What watching costs: step time under each monitor, as a ratio to the bare loop beside it."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Step = Callable[[], None]
Monitor = Callable[[Any], AbstractContextManager[Any]]
# Pairs of a bare block and one under a monitor, now the one first, now the other: a machine that changes its
# pace hits both alike. Many short pairs tell a few hundredths apart; for the peers a few are enough.
PAIRS = 16
PAIRS_OF_PEERS = 4
SECONDS = 1.2  # of processor time in one block
# A block begins with a sample of everything, as a run does once; only a longer one shows what is left of it.
LONG_SECONDS = 15.0
LONG_PAIRS = 3


def mlp() -> tuple[Any, Step]:
    """A step of about a millisecond: what a monitor costs in calls shows here."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    return model, _loop(model, torch.randn(128, 64), torch.randint(10, (128,)), torch.optim.Adam)


def cnn() -> tuple[Any, Step]:
    import torch
    from torch import nn

    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for channels, wider in ((3, 32), (32, 64), (64, 64)):
        layers += [
            nn.Conv2d(channels, wider, 3, padding=1),
            nn.BatchNorm2d(wider),
            nn.ReLU(),
            nn.MaxPool2d(2),
        ]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 16, 10))
    return model, _loop(model, torch.randn(32, 3, 32, 32), torch.randint(10, (32,)), torch.optim.SGD)


def gpt() -> tuple[Any, Step]:
    import torch
    from torch import nn

    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True, norm_first=True)

    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(256, 128)
            self.blocks = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
            self.head = nn.Linear(128, 256)

        def forward(self, tokens: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
            return self.head(self.blocks(self.embed(tokens), mask=mask)).transpose(1, 2)

    tokens = torch.randint(256, (16, 65))
    model = Small()
    return model, _loop(model, tokens[:, :-1], tokens[:, 1:], torch.optim.AdamW)


def _loop(model: Any, x: Any, y: Any, optimizer: Any) -> Step:
    import torch

    taken = optimizer(model.parameters(), lr=1e-4)

    def step() -> None:
        taken.zero_grad()
        loss: Any = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        taken.step()

    return step


@contextmanager
def sleuth(model: Any, level: str = "default") -> Iterator[Any]:
    """The recorder past its first seconds, when nothing is given away any more."""
    from sleuth.watching.install import install

    with tempfile.TemporaryDirectory() as scratch:
        recorder = install(Path(scratch) / "record.jsonl", level=level)
        try:
            yield recorder
        finally:
            recorder.close()


def nothing(model: Any) -> AbstractContextManager[None]:
    """A second bare block: how far its ratio is from one is what the machine adds to all the others."""
    return nullcontext()


@contextmanager
def anomaly(model: Any) -> Iterator[None]:
    import torch

    with torch.autograd.set_detect_anomaly(True):
        yield


@contextmanager
def naive(model: Any) -> Iterator[None]:
    """What people write: a hook on every module that reads mean, spread and NaN of its output."""

    def look(module: Any, args: Any, output: Any) -> None:
        if hasattr(output, "mean"):
            values = output.detach()
            kept.append((values.mean().item(), values.std().item(), values.isnan().any().item()))

    kept: list[tuple[float, ...]] = []
    hooks = [part.register_forward_hook(look) for part in model.modules()]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def wandb_watch(model: Any) -> Iterator[None]:
    """wandb.watch, offline, gradients and parameters at every step."""
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true")
    wandb: Any = import_module("wandb")

    with tempfile.TemporaryDirectory() as scratch:
        run = wandb.init(project="overhead", dir=scratch)
        wandb.watch(model, log="all", log_freq=1)
        try:
            yield
        finally:
            wandb.unwatch(model)
            run.finish()


WORKLOADS: dict[str, Callable[[], tuple[Any, Step]]] = {
    "MLP, ~1 ms a step": mlp,
    "small CNN": cnn,
    "small GPT": gpt,
}


OURS = ("nothing", "sleuth, default", "sleuth, full")


def monitors() -> dict[str, Monitor]:
    found: dict[str, Monitor] = {
        "nothing": nothing,
        "sleuth, default": sleuth,
        "sleuth, full": lambda model: sleuth(model, "full"),
        "anomaly mode": anomaly,
        "naive hooks": naive,
    }
    if find_spec("wandb") is not None:
        found["wandb.watch"] = wandb_watch
    return found


@dataclass(frozen=True)
class Cost:
    """Step time under a monitor over the bare loop, and what part of it the monitor says it spent itself."""

    ratio: float
    own: float | None = None


def costs(workload: str, rounds: int = PAIRS, seconds: float = SECONDS) -> dict[str, Cost]:
    """Processor time a step against that of a bare block beside it: medians over pairs of blocks."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model, step = WORKLOADS[workload]()
        for _ in range(20):
            step()
        chosen = monitors()
        pairs: dict[str, list[tuple[Block, Block]]] = {name: [] for name in chosen}
        for turn in range(rounds):
            for name, monitor in chosen.items():
                if turn < PAIRS_OF_PEERS or name in OURS:
                    pairs[name].append(_pair(model, step, monitor, seconds, bare_first=turn % 2 == 0))
    finally:
        torch.set_num_threads(threads)
    return {name: _cost(found) for name, found in pairs.items()}


def amortised(workload: str, level: str = "default") -> Cost:
    """The same over blocks so long that the first sample weighs little."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model, step = WORKLOADS[workload]()

        def monitor(of: Any) -> AbstractContextManager[Any]:
            return sleuth(of, level)

        return _cost(
            [
                _pair(model, step, monitor, LONG_SECONDS, bare_first=turn % 2 == 0)
                for turn in range(LONG_PAIRS)
            ]
        )
    finally:
        torch.set_num_threads(threads)


def calls() -> tuple[float, float]:
    """Microseconds that watching adds to a step of a net so small that the step is all calls, and those of
    them that it counts as its own: the doors themselves are not timed. The least of several blocks each."""
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
    step = _loop(model, torch.randn(4, 4), torch.randint(4, (4,)), torch.optim.Adam)
    bare, watched, own = [], [], []
    for _ in range(LONG_PAIRS * 2):
        bare.append(_block(step, None, 0.5).step)
        with sleuth(model) as recorder:
            block = _block(step, recorder, 0.5)
        watched.append(block.step)
        own.append(block.step * (block.own or 0.0))
    return 1e6 * (min(watched) - min(bare)), 1e6 * min(own)


def _pair(
    model: Any, step: Step, monitor: Monitor, seconds: float, bare_first: bool
) -> tuple["Block", "Block"]:
    bare = _block(step, None, seconds) if bare_first else None
    with monitor(model) as recorder:
        watched = _block(step, recorder, seconds)
    return bare or _block(step, None, seconds), watched


def _cost(pairs: list[tuple["Block", "Block"]]) -> Cost:
    own = [watched.own for _, watched in pairs if watched.own is not None]
    ratio = statistics.median(watched.step / bare.step for bare, watched in pairs)
    return Cost(ratio, statistics.median(own) if own else None)


@dataclass(frozen=True)
class Block:
    step: float  # processor seconds
    own: float | None  # share of the time that the recorder spent in its own code


def _block(step: Step, recorder: Any, seconds: float) -> Block:
    """After a warm-up."""
    for _ in range(12):
        step()
    state = getattr(recorder, "state", None)
    if state is not None:
        state.use_up_grace()
    spent, started = state.own_s if state is not None else 0.0, time.perf_counter()
    began, count = time.process_time(), 0
    while time.process_time() - began < seconds:
        step()
        count += 1
    taken = (time.process_time() - began) / count
    if state is None:
        return Block(taken, None)
    return Block(taken, (state.own_s - spent) / (time.perf_counter() - started))


@dataclass(frozen=True)
class LongRun:
    """What a long watched run adds: bytes of memory a step, and bytes kept a step and series."""

    grown: float
    written: float
    kept: float
    series: int


def long_run(steps: int = 100_000) -> LongRun:
    """A very small model on one thread: the recorder is most of what happens."""
    import torch

    torch.set_num_threads(1)
    from sleuth import archive
    from sleuth.watching.install import install
    from sleuth.watching.memory import resident

    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    step = _loop(model, torch.randn(16, 8), torch.randint(4, (16,)), torch.optim.SGD)
    with tempfile.TemporaryDirectory() as place, chdir(place):
        run = archive.begin(["bench"], None)
        recorder = install(run.record_path)
        for _ in range(steps // 10):
            step()
        before = resident() or 0
        for _ in range(steps - steps // 10):
            step()
        grown = (resident() or 0) - before
        recorder.close()
        written = run.record_path.stat().st_size
        run.finish(0)
        curves = run.all_series()
        points = sum(map(len, curves.values()))
        return LongRun(grown / steps, written / points, _size(Path(".sleuth")) / points, len(curves))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def rows() -> Iterator[tuple[str, str, str]]:
    for workload in WORKLOADS:
        for name, cost in costs(workload).items():
            about = f"overhead of watch: {workload}"
            yield about, f"{name}, × the bare loop", f"{cost.ratio:.3f}×"
            if cost.own is not None:
                yield about, f"{name}, share of the time in its own code", f"{cost.own:.1%}"
        cost = amortised(workload)
        told = f"{cost.ratio:.3f}×, {cost.own:.1%} of the time in its own code"
        yield about, f"sleuth, default, over {LONG_SECONDS:.0f} s", told
    added, timed = calls()
    yield (
        "overhead of watch: a step that is all calls",
        "added, of them timed",
        f"{added:.0f}, {timed:.0f} µs",
    )
    long = long_run()
    about = "overhead of watch, 100,000 steps"
    yield about, "memory growth", f"{long.grown:.1f} bytes a step"
    yield about, f"kept after packing, {long.series} series", f"{long.kept:.1f} bytes a step and series"


if __name__ == "__main__":
    if sys.argv[1:] == ["long"]:
        print(long_run())
        raise SystemExit
    for workload in sys.argv[1:] or [*WORKLOADS]:
        for name, cost in costs(workload).items():
            print(f"{workload}: {name} {cost.ratio:.3f}x, own {cost.own}", flush=True)
