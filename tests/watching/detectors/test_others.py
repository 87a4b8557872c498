"""Hyperparameters, numerics, environment, physics: a spoiled record and its healthy twin for each cause."""

import math
from dataclasses import replace
from typing import Any

import pytest

from sleuth.record.entries import (
    Cached,
    Evaluation,
    Layers,
    Load,
    Metric,
    Model,
    NonFinite,
    Optimizer,
    Parameter,
    Record,
    Replicas,
    Run,
    Step,
    Values,
)
from tests.watching.detectors import records
from tests.watching.detectors.records import Twins, add, cases, found, healthy, serious, spoil, wobble

NAN, INF = math.nan, math.inf


def steps(record: Record | None = None, **changes: Any) -> Record:
    return spoil(record or healthy(), Step, **changes)


def passes(losses: list[float], record: Record | None = None, **changes: Any) -> Record:
    kept = Record(tuple(i for i in (record or healthy()).items if not isinstance(i, Evaluation)))
    made = [records.evaluation(10 * (k + 1), loss=loss, **changes) for k, loss in enumerate(losses)]
    return add(kept, *made)


def game(record: Record) -> Record:
    return add(
        spoil(record, Step, optimizer=lambda s: 1 + s.n % 2),
        Optimizer(2, "SGD", 22, "train.py", parameters=5),
    )


def dtype(record: Record, kind: str) -> Record:
    return spoil(record, Model, parameters=lambda m: tuple(replace(p, dtype=kind) for p in m.parameters))


def one_small(record: Record, change: float) -> Record:
    """One layer's weights in half precision; a step changes them by this share of their size."""
    name = "fc1.weight"
    small = spoil(
        record,
        Model,
        parameters=lambda m: tuple(
            replace(p, dtype="bfloat16") if p.name == name else p for p in m.parameters
        ),
    )
    return spoil(small, Layers, updates=lambda s: {**s.updates, name: change * s.weights[name]})


def scalar(values: Any) -> Record:
    """The healthy run with a fitted scalar in the model."""
    record = spoil(healthy(), Model, parameters=lambda m: (*m.parameters, Parameter("nu", (1,), norm=1.0)))
    record = spoil(record, Layers, weights=lambda s: {**s.weights, "nu": values(s.n)})
    return spoil(record, Layers, updates=lambda s: {**s.updates, "nu": 0.1 if s.n < 5 else 0.0})


def logged(residual: Any, boundary: Any, names: tuple[str, str] = ("pde_loss", "loss bc")) -> Record:
    told = [
        Metric(name, value(n), n, line=33)
        for n in range(0, 120, 15)
        for name, value in zip(names, (residual, boundary), strict=True)
    ]
    return add(healthy(), *told)


def ranks(parameters: tuple[str, str], batches: tuple[str, str]) -> Record:
    looks = [Replicas(n, parameters, tuple(f"{b}{n}" for b in batches)) for n in (10, 20, 40)]
    return add(spoil(healthy(), Run, world_size=2), *looks)


FLAT = steps(loss=lambda s: 1.1 + 0.01 * wobble(s.n))
FAST: dict[str, Any] = {"update_norm": 2.0}
CRAWL = steps(FLAT, update_norm=1e-5)
EXPLODES = steps(loss=lambda s: s.loss if s.n < 60 else min(1e9, 0.1 * 1.5 ** (s.n - 60)))
TURNS = [1.0, 0.8, 0.6, 0.5, 0.6, 0.7, 0.8, 0.9]
BROKE = NonFinite(
    70,
    "loss",
    "fc2",
    "aten.log",
    41,
    "train.py",
    inputs=(Values("0", maximum=1.0, minimum=0.0),),
    replayed=True,
)
MEGABYTE = 2**20
PARTS = {"total_s": 0.01, "data_s": 0.001, "forward_s": 0.002, "backward_s": 0.003, "optimizer_s": 0.001}
BUSY = healthy()  # all parts of a step slow down alike
for _part in PARTS:
    BUSY = spoil(BUSY, Step, **{_part: lambda s, part=_part: PARTS[part] * (1 + s.n / 40)})

TWINS: Twins = {
    "lr-too-high": (
        [
            EXPLODES,
            steps(EXPLODES, **FAST),
            steps(loss=lambda s: 5.0 + wobble(s.n) if s.n > 2 else 1.1, **FAST),
            steps(FLAT, **FAST),
            steps(FLAT, loss=lambda s: 70.0 if 2 < s.n < 6 else s.loss),
            steps(loss=lambda s: 1.0 + 0.9 * (-1) ** s.n, update_norm=0.5),
        ],
        [
            healthy(),
            steps(**FAST),
            FLAT,
            game(EXPLODES),
            steps(loss=lambda s: 1e3 if s.n == 50 else s.loss),  # one bad batch
            steps(loss=lambda s: NAN if s.n > 60 else s.loss),  # at one blow: not by growth
        ],
    ),
    "lr-too-low": (
        [
            CRAWL,
            steps(CRAWL, loss=lambda s: 1.1 - 1e-4 * s.n),
            steps(CRAWL, lr=lambda s: 1e-6 * max(0.01, 1 - s.n / 120)),  # a schedule that ends at zero
        ],
        [
            healthy(),
            FLAT,
            steps(update_norm=1e-5),  # learns all the same
            steps(CRAWL, lr=lambda s: 1e-5 * (1 + s.n)),  # warming up
            steps(CRAWL, grad_norm=1e-9),
        ],
    ),
    "no-warmup": (
        [
            steps(loss=lambda s: 1.0 if s.n == 0 else (6.0 if s.n < 5 else 0.95 + 0.01 * wobble(s.n))),
            steps(loss=lambda s: 2.0 if s.n == 0 else (9.0 if s.n < 4 else 1.9)),
        ],
        [
            healthy(),
            steps(loss=lambda s: 6.0 if 0 < s.n < 5 else s.loss),  # comes back and learns
            steps(
                loss=lambda s: 1.0 if s.n == 0 else (6.0 if s.n < 5 else 0.95),
                lr=lambda s: min(0.01, s.n / 2000),
            ),
            EXPLODES,
        ],
    ),
    "overfitting": (
        [passes(TURNS), passes([0.5, 0.4, 0.3, 0.45, 0.6, 0.75])],
        [
            healthy(),
            passes([1.0, 0.5, 0.8, 0.9]),
            passes([loss / 50 for loss in TURNS]),  # the same turn, where next to nothing is left
            passes([1.0, 0.8, 0.6, 0.5, 0.51, 0.5, 0.52, 0.5]),
            passes(TURNS, seen_in_training=1.0),
            passes(TURNS, FLAT),
            add(passes(TURNS), Load(50, "train.py", 119, matched=5)),  # the best weights came back
        ],
    ),
    "nonfinite-forward": (
        [
            add(steps(loss=lambda s: NAN if s.n >= 70 else s.loss), BROKE),
            steps(loss=lambda s: INF if s.n > 50 else s.loss),
        ],
        [healthy(), add(steps(grad_norm=lambda s: NAN if s.n > 70 else 1.0), replace(BROKE, backward=True))],
    ),
    "nonfinite-gradient": (
        [
            steps(grad_norm=lambda s: NAN if s.n > 70 else 1.0),
            add(steps(grad_norm=lambda s: INF if s.n > 70 else 1.0), replace(BROKE, backward=True)),
        ],
        [
            healthy(),
            steps(loss=NAN, grad_norm=NAN),
            steps(loss=lambda s: 16.0 if s.n < 1 else 5e32, grad_norm=lambda s: INF if s.n else 260.0),
            steps(grad_norm=lambda s: INF if s.n < 4 else 1.0, scale=65536.0),
        ],
    ),
    "unsafe-log-div": (
        [
            add(healthy(), replace(BROKE, operation="div", inputs=())),
            add(healthy(), replace(BROKE, operation="log")),
        ],
        [
            healthy(),
            add(healthy(), replace(BROKE, operation="addmm")),
            add(healthy(), replace(BROKE, operation="div", backward=True)),
            add(healthy(), replace(BROKE, operation="div", replayed=False)),
            # On its way out already: the rate, not the operation.
            add(steps(loss=lambda s: 2.0 ** max(0, s.n - 55)), replace(BROKE, operation="div")),
        ],
    ),
    "unstable-exp": (
        [add(healthy(), replace(BROKE, operation="exp"))],
        [healthy(), add(steps(loss=lambda s: 2.0 ** max(0, s.n - 55)), replace(BROKE, operation="exp"))],
    ),
    "update-underflow": (
        [
            dtype(steps(FLAT, update_norm=1e-3), "bfloat16"),
            dtype(steps(FLAT, update_norm=0.0), "torch.float16"),
            steps(FLAT, update_norm=lambda s: 0.0 if s.n % 3 else 1e-8, lr=1e-6),
            one_small(FLAT, change=1e-4),
        ],
        [
            healthy(),
            steps(FLAT, update_norm=0.0),  # large enough to be told apart: it is not written
            one_small(healthy(), change=1e-4),  # it learns all the same
            one_small(FLAT, change=0.05),
            dtype(healthy(), "bfloat16"),
            dtype(steps(FLAT, update_norm=0.5), "bfloat16"),
            CRAWL,
        ],
    ),
    "memory-growth": (
        [
            steps(rss=lambda s: 500 * MEGABYTE + 5 * MEGABYTE * s.n, tensors=lambda s: 100 + 3 * s.n),
            steps(rss=lambda s: 500 * MEGABYTE + 4 * MEGABYTE * s.n),
            steps(rss=lambda s: 500 * MEGABYTE + 0.8 * MEGABYTE * s.n, tensors=lambda s: 100 + 3 * s.n),
        ],
        [
            healthy(),
            steps(rss=lambda s: 500 * MEGABYTE + 40 * MEGABYTE * min(s.n, 20)),  # warm-up
            steps(tensors=lambda s: 100 + s.n),  # small tensors in a list
            steps(rss=lambda s: 500 * MEGABYTE + 0.8 * MEGABYTE * s.n),  # as much, and no tensors
        ],
    ),
    "rank-divergence": (
        [ranks(("a", "b"), ("x", "y")), ranks(("a", "a"), ("x", "x"))],
        [healthy(), ranks(("a", "a"), ("x", "y"))],
    ),
    "silent-cpu-fallback": (
        [
            spoil(healthy(), Run, accelerator=True),
            spoil(spoil(healthy(), Run, accelerator=True), Model, type="Other"),
        ],
        [
            healthy(),
            spoil(spoil(healthy(), Run, accelerator=True), Model, devices=("cuda:0",)),
            spoil(spoil(healthy(), Run, accelerator=True), Model, devices=("cuda:0", "cpu")),
        ],
    ),
    "stale-cache": (
        [
            add(healthy(), Cached("features.pt", 4, 1.0, ("data.csv",))),
            add(healthy(), Cached("cache.npy", 4, 1.0, ("prepare.py", "raw.parquet"))),
        ],
        [
            healthy(),
            add(healthy(), Cached("features.pt", 4, 1.0)),
            add(healthy(), Cached("model.pt", 4, 1.0, ("train.py",))),
        ],
    ),
    "throughput-decay": (
        [
            steps(total_s=lambda s: 0.01 + 0.0002 * s.n),
            steps(total_s=lambda s: 0.01 + 0.001 * s.n, backward_s=lambda s: 0.001 + 0.001 * s.n),
            steps(total_s=lambda s: 0.01 + 0.0002 * s.n, cpu=lambda s: 0.01 * s.n + 0.0001 * s.n**2),
            steps(hooks=lambda s: s.n // 20 * 5),
        ],
        [
            healthy(),
            steps(total_s=lambda s: 0.01 + 0.0002 * s.n, cpu=lambda s: 0.01 * s.n),  # it waits for its turn
            steps(total_s=lambda s: 0.5 if s.n % 20 == 0 else 0.01),  # evaluation now and then
            steps(total_s=lambda s: 0.01 if s.n % 40 < 20 else 0.03),  # a busy machine
            BUSY,
            steps(hooks=5),
            steps(hooks=lambda s: s.n % 20 * 5),  # hung on and taken off
            steps(hooks=lambda s: 0 if s.n < 50 else 3),  # once
            spoil(healthy(60), Step, total_s=lambda s: 0.01 + 0.001 * s.n),
        ],
    ),
    "boundary-starved": (
        [
            logged(lambda n: math.exp(-n / 10), lambda n: 0.4),
            logged(lambda n: 1 / (1 + n), lambda n: 0.1 + 0.001 * n, ("residual", "boundary")),
        ],
        [
            logged(lambda n: math.exp(-n / 10), lambda n: math.exp(-n / 12)),
            logged(lambda n: 0.5, lambda n: 0.4),
            logged(lambda n: math.exp(-n / 10), lambda n: 0.4, ("loss", "lr")),
        ],
    ),
    "degenerate-parameter": (
        [scalar(lambda n: math.exp(-float(n))), scalar(lambda n: 1.0 if n < 3 else 0.0)],
        [healthy(), scalar(lambda n: 1.0 + 0.01 * n), scalar(lambda n: 0.3 if n > 4 else 1.0)],
    ),
}


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=True))
def test_spoiled(slug: str, number: int, record: Record) -> None:
    assert serious(found(slug, record))


@pytest.mark.parametrize(("slug", "number", "record"), cases(TWINS, bad=False))
def test_healthy(slug: str, number: int, record: Record) -> None:
    assert not serious(found(slug, record))


def test_tiny_batches_with_a_loss_that_only_wavers_are_a_note() -> None:
    noisy = steps(healthy(300), loss=lambda s: 1.3 - 0.001 * s.n + 0.9 * wobble(s.n), rows=2)
    (note,) = found("batch-too-small", noisy)
    assert note.severity == "note"
    assert found("batch-too-small", steps(noisy, rows=1))
    assert not found("batch-too-small", steps(noisy, rows=32))
    assert not found("batch-too-small", steps(healthy(300), rows=2))


def test_tiny_batches_that_get_nowhere_at_all_are_a_warning() -> None:
    nowhere = steps(healthy(300), loss=lambda s: 1.0 + 0.001 * s.n + 0.9 * wobble(s.n), rows=2)
    (finding,) = found("batch-too-small", nowhere)
    assert finding.severity == "warning"


def test_the_first_bad_operation_is_named() -> None:
    (finding,) = found("nonfinite-forward", TWINS["nonfinite-forward"][0][0])
    assert "aten.log" in finding.message
    assert "fc2" in finding.message
    assert finding.where is not None
    assert (finding.where.line, finding.where.module) == (41, "fc2")


def test_the_part_of_the_step_that_grows_is_named() -> None:
    (finding,) = found("throughput-decay", TWINS["throughput-decay"][0][1])
    assert finding.numbers["part"] == "backward"


def test_a_scalar_held_by_a_bound_is_a_note() -> None:
    (note,) = found("degenerate-parameter", scalar(lambda n: 0.3 if n > 4 else 1.0))
    assert note.severity == "note"
