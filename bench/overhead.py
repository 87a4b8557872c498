"""What watching costs: step time under each monitor, as a ratio to the bare loop beside it."""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Step = Callable[[], None]
Monitor = Callable[[Any], AbstractContextManager[Any]]
ROUNDS = 9  # blocks of each kind, taken in turn, so that drifts of the machine hit all alike
SECONDS = 0.5  # of one block


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


def monitors() -> dict[str, Monitor]:
    found: dict[str, Monitor] = {
        "sleuth, default": sleuth,
        "sleuth, full": lambda model: sleuth(model, "full"),
        "anomaly mode": anomaly,
        "naive hooks": naive,
    }
    if find_spec("wandb") is not None:
        found["wandb.watch"] = wandb_watch
    return found


def ratios(workload: str, rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, float]:
    """Processor time a step under each monitor over that of the bare loop: median of blocks taken in turn."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model, step = WORKLOADS[workload]()
        for _ in range(20):
            step()
        chosen: dict[str, Monitor] = {"bare": lambda model: nullcontext(), **monitors()}
        taken: dict[str, list[float]] = {name: [] for name in chosen}
        for _ in range(rounds):
            for name, monitor in chosen.items():
                with monitor(model) as recorder:
                    taken[name].append(_block(step, recorder, seconds))
        bare = statistics.median(taken.pop("bare"))
        return {name: statistics.median(times) / bare for name, times in taken.items()}
    finally:
        torch.set_num_threads(threads)


def _block(step: Step, recorder: Any, seconds: float) -> float:
    """Processor seconds a step, after a warm-up."""
    for _ in range(12):
        step()
    if hasattr(recorder, "state"):
        recorder.state.use_up_grace()
    began, count = time.process_time(), 0
    while time.process_time() - began < seconds:
        step()
        count += 1
    return (time.process_time() - began) / count


def memory_growth(steps: int = 20_000) -> float:
    """Bytes a step that a long watched run adds to the process."""
    from sleuth.watching.memory import resident

    model, step = mlp()
    with sleuth(model):
        for _ in range(2000):
            step()
        before = resident() or 0
        for _ in range(steps):
            step()
        return ((resident() or 0) - before) / steps


def rows() -> Iterator[tuple[str, str, str]]:
    for workload in WORKLOADS:
        for name, ratio in ratios(workload).items():
            yield f"overhead of watch: {workload}", f"{name}, × the bare loop", f"{ratio:.3f}×"
    yield "overhead of watch", "memory growth over 20,000 steps", f"{memory_growth():.1f} bytes a step"


if __name__ == "__main__":
    chosen = sys.argv[1:] or [*WORKLOADS]
    for workload in chosen:
        print(
            workload, {name: round(ratio, 3) for name, ratio in ratios(workload, 5, 0.3).items()}, flush=True
        )
