"""How long a probe takes, in training steps of the same model, its memory, and what it finds in the zoo."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import zoo

ROUNDS = 2
BUDGET = 2.0  # seconds; short enough to be spent
MODELS = ("cnn", "mlp", "gpt", "lstm")
PHASES = {"training/frozen-params": 3}  # the defect stands in the script's third phase


@dataclass(frozen=True)
class Cost:
    """One model: a probe without and with the memorise test, in steps; memory in MB, beside a bare step's.

    `allowed` is twice the model and the data of one batch; a bare training step of many models takes more.
    """

    name: str
    step: float
    plain: float
    full: float
    overshoot: float
    extra: float
    bare: float
    allowed: float
    model: float


@dataclass(frozen=True)
class Harvest:
    """The zoo: causes found, found first, and false alarms on repaired and healthy scripts."""

    visible: int
    found: int
    first: int
    quiet: int
    alarms: int


def rows() -> Iterator[tuple[str, str, str]]:
    for name in MODELS:
        cost = measured(name)
        yield "probe", f"{name}: without memorise, in training steps", f"{cost.plain:.0f}×"
        yield "probe", f"{name}: with memorise, in training steps", f"{cost.full:.0f}×"
        yield "probe", f"{name}: peak extra memory", f"{cost.extra:.0f} MB"
        yield "probe", f"{name}: peak memory of a bare training step beside it", f"{cost.bare:.0f} MB"
        yield "probe", f"{name}: twice the model + the data of one batch", f"{cost.allowed:.0f} MB"
        yield (
            "probe",
            f"{name}: extra over model + bare step",
            f"{cost.extra / (cost.model + cost.bare):.2f}×",
        )
        yield "probe", f"{name}: time over a budget of {BUDGET:g} s", f"{cost.overshoot:.0%}"
    seen = harvest()
    yield "probe on the zoo", "visible causes found", f"{seen.found} of {seen.visible}"
    yield "probe on the zoo", "found first", f"{seen.first} of {seen.visible}"
    yield "probe on the zoo", "false alarms on repaired and healthy scripts", f"{seen.alarms} of {seen.quiet}"


def measured(name: str) -> Cost:
    """In a process of its own: peak memory is a property of a process."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.probe", name], capture_output=True, text=True, check=True
    )
    numbers = [float(word) for word in done.stdout.split()[-8:]]
    return Cost(name, *numbers)


def make(name: str) -> dict[str, Any]:
    import torch
    from torch import nn

    torch.manual_seed(0)
    if name == "cnn":
        model: nn.Module = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
            nn.Flatten(), nn.Linear(1024, 10),
        )  # fmt: skip
        batch = (torch.randn(64, 3, 32, 32), torch.arange(64) % 10)
    elif name == "mlp":
        model = nn.Sequential(
            nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
        )
        batch = (torch.randn(256, 256), torch.arange(256) % 10)
    elif name == "gpt":
        return _gpt()
    else:
        model = _Last(nn.LSTM(32, 256, num_layers=2, batch_first=True), nn.Linear(256, 10))
        batch = (torch.randn(32, 64, 32), torch.arange(32) % 10)
    optimizer = torch.optim.Adam(model.parameters())
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": optimizer}


def _Last(rnn: Any, head: Any) -> Any:  # noqa: N802  builds a class on first use, torch being heavy
    from torch import nn

    class Last(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.head = rnn, head

        def forward(self, x: Any) -> Any:
            return self.head(self.rnn(x)[0][:, -1])

    return Last()


def _gpt() -> dict[str, Any]:
    """About ten million parameters: 6 layers of width 384."""
    import torch
    from torch import nn
    from torch.nn import functional as F  # noqa: N812

    class Gpt(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.token, self.place = nn.Embedding(256, 384), nn.Embedding(64, 384)
            layer = nn.TransformerEncoderLayer(384, 6, 1536, 0.0, batch_first=True, norm_first=True)
            self.blocks = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
            self.head = nn.Linear(384, 256)

        def forward(self, ids: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
            h = self.token(ids) + self.place(torch.arange(ids.shape[1]))
            return self.head(self.blocks(h, mask=mask, is_causal=True))

    def step(model: Any, batch: Any) -> Any:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())

    model, text = Gpt(), torch.randint(256, (8, 65))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    return {"model": model, "batch": (text[:, :-1], text[:, 1:]), "step": step, "optimizer": optimizer}


def harvest(limit: int | None = None) -> Harvest:
    from sleuth import catalog

    visible = [c for c in zoo.cases() if "probe" in catalog.find(c.slug).detectors][:limit]
    named = [causes_in(case.broken, PHASES.get(case.name, 1)) for case in visible]
    hits = [
        (case.slug in causes, causes[:1] == [case.slug]) for case, causes in zip(visible, named, strict=True)
    ]
    quiet = [(case.fixed, PHASES.get(case.name, 1)) for case in zoo.cases()]
    quiet += [(entry.path, 1) for entry in zoo.healthy()]
    alarms = sum(bool(causes_in(path, phases)) for path, phases in quiet[:limit])
    return Harvest(len(visible), sum(a for a, _ in hits), sum(b for _, b in hits), len(quiet[:limit]), alarms)


def causes_in(script: Path, phases: int = 1) -> list[str]:
    """Causes of errors and warnings at a script's step, surest first."""
    from sleuth.lab.capture import Captured, capture
    from sleuth.probing import bench_of, examine

    found: list[str] = []

    def look(seen: Captured) -> None:
        bench = bench_of(seen, memorise=False)
        found[:] = [finding.cause for finding in examine(bench).findings if finding.severity != "note"]

    capture(script, examine=look, phases=phases)
    return found


def _cost(name: str) -> tuple[float, ...]:
    """The numbers of a `Cost`, in its order."""
    import torch

    from sleuth.probing import probe

    torch.set_num_threads(1)  # on shared cores, two threads measure the neighbours
    made = make(name)
    for _ in range(2):
        train(made)
    endless = 1000 * _step(made)
    plain = min(_in_steps(made, lambda: probe(**made, memorise=False, budget=endless)) for _ in range(ROUNDS))
    full = min(_in_steps(made, lambda: probe(**made, budget=endless)) for _ in range(ROUNDS))
    late = max(_timed(lambda: probe(**made, budget=BUDGET)) for _ in range(ROUNDS)) / BUDGET - 1
    return endless / 1000, plain, full, max(late, 0.0), *memory(made, endless)


def _in_steps(made: dict[str, Any], function: Callable[[], Any]) -> float:
    """In processor time, and steps before and after: a machine that others use is not always as fast."""
    before = _step(made)
    seconds = _timed(function, time.process_time)
    return 2 * seconds / (before + _step(made))


def _step(made: dict[str, Any]) -> float:
    return statistics.median(_timed(lambda: train(made), time.process_time) for _ in range(7))


def memory(made: dict[str, Any], budget: float) -> tuple[float, float, float, float]:
    """Megabytes: peak of a whole probe, of a bare training step, twice the model and the batch, the model."""
    from bench.memory import peak
    from sleuth.measure import batches
    from sleuth.probing import probe

    model, optimizer = made["model"], made["optimizer"]
    held = [t for state in optimizer.state.values() for t in state.values() if hasattr(t, "untyped_storage")]
    given = [tensor for _, tensor in batches.leaves(made["batch"])]
    held += [*model.parameters(), *model.buffers(), *given]
    optimizer.zero_grad(set_to_none=True)
    bare = peak(lambda: train(made), held)
    size, data = _bytes(model.parameters()), _bytes(given)
    held += [p.grad for p in model.parameters() if p.grad is not None]
    extra = peak(lambda: probe(**made, budget=budget), held)
    return extra / 1e6, bare / 1e6, (2 * size + data) / 1e6, size / 1e6


def _bytes(tensors: Iterable[Any]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def train(made: dict[str, Any]) -> None:
    """One ordinary training step: the measure of everything here."""
    model, batch = made["model"], made["batch"]
    made["optimizer"].zero_grad()
    loss = made["step"](model, batch) if "step" in made else made["loss_fn"](model(batch[0]), batch[1])
    loss.backward()
    made["optimizer"].step()


def _timed(function: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    function()
    return clock() - started


if __name__ == "__main__":
    print(*_cost(sys.argv[1]))
