"""How long a probe takes, in training steps of the same model, its memory, and what it finds in the zoo."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import zoo

ROUNDS = 3
MODELS = ("cnn", "mlp", "gpt", "lstm")
OUT_OF_SIGHT = ("data/fit-on-all-data",)  # a selector fitted on all rows leaves no trace in batches
PHASES = {"training/frozen-params": 3}  # the defect stands in the script's third phase


@dataclass(frozen=True)
class Cost:
    """One model: a probe without and with the memorise test, in steps; memory in models plus batch."""

    name: str
    step: float
    plain: float
    full: float
    memory: float


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
        yield "probe", f"{name}: peak extra memory, in model + batch", f"{cost.memory:.1f}×"
    seen = harvest()
    yield "probe on the zoo", "visible causes found", f"{seen.found} of {seen.visible}"
    yield "probe on the zoo", "found first", f"{seen.first} of {seen.visible}"
    yield "probe on the zoo", "false alarms on repaired and healthy scripts", f"{seen.alarms} of {seen.quiet}"


def measured(name: str) -> Cost:
    """In a process of its own: peak memory is a property of a process."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.probe", name], capture_output=True, text=True, check=True
    )
    numbers = [float(word) for word in done.stdout.split()[-4:]]
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

    visible = [
        c for c in zoo.cases() if "probe" in catalog.find(c.slug).detectors and c.name not in OUT_OF_SIGHT
    ]
    visible = visible[:limit]
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
    from sleuth.facts.bench import Bench
    from sleuth.facts.capture import Captured, capture
    from sleuth.probing import examine

    found: list[str] = []

    def look(seen: Captured) -> None:
        loaders = {"loader": seen.loader, "val_loader": seen.val_loader}
        bench = Bench(
            seen.model, seen.batch, step=seen.step, optimizer=seen.optimizers, memorise=False, **loaders
        )
        found[:] = [finding.cause for finding in examine(bench).findings if finding.severity != "note"]

    capture(script, examine=look, phases=phases)
    return found


def _cost(name: str) -> tuple[float, float, float, float]:
    """Seconds of a step; probe without and with memorise in steps; peak extra memory in model + batch."""
    from sleuth.facts.bench import batches
    from sleuth.probing import probe

    made = make(name)
    for _ in range(2):
        train(made)
    step = statistics.median(_timed(lambda: train(made)) for _ in range(7))
    before = _peak()
    plain = statistics.median(_timed(lambda: probe(**made, memorise=False)) for _ in range(ROUNDS))
    extra = _peak() - before
    full = statistics.median(_timed(lambda: probe(**made)) for _ in range(ROUNDS))
    size = sum(p.numel() * p.element_size() for p in made["model"].parameters())
    size += sum(t.numel() * t.element_size() for _, t in batches.leaves(made["batch"]))
    return step, plain / step, full / step, extra / size


def train(made: dict[str, Any]) -> None:
    """One ordinary training step: the measure of everything here."""
    model, batch = made["model"], made["batch"]
    made["optimizer"].zero_grad()
    loss = made["step"](model, batch) if "step" in made else made["loss_fn"](model(batch[0]), batch[1])
    loss.backward()
    made["optimizer"].step()


def _timed(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


if __name__ == "__main__":
    print(*_cost(sys.argv[1]))
