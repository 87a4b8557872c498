# mypy: disable-error-code="no-untyped-call,operator,arg-type"
"""Memory, time, precision and wiring: what a probe costs, and what it leaves out when asked to be quick."""

import copy
import time
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from bench.memory import peak
from sleuth.facts.bench import FOR_THE_PAGE, Bench, NotApplicable
from sleuth.facts.bench.memorise import read_curve
from sleuth.probing import probe
from sleuth.show.probe_text import page, painted
from tests.probe.cases import classify, mlp


def test_the_meter_counts_what_is_alive_at_one_time() -> None:
    assert peak(lambda: torch.ones(100, 100)) == 40_000
    assert peak(lambda: torch.ones(100, 100).add(1)) == 80_000
    assert peak(lambda: [torch.ones(100, 100).sum() for _ in range(5)]) < 50_000
    held = torch.ones(100, 100)
    assert peak(lambda: held.view(-1).add_(1), [held]) == 0


def test_a_probe_needs_no_more_than_two_training_steps_of_memory() -> None:
    made = classify(torch.randn(64, 6), model=nn.Sequential(nn.Linear(6, 512), nn.ReLU(), nn.Linear(512, 3)))
    model, (x, y) = made["model"], made["batch"]
    size = sum(p.numel() * 4 for p in model.parameters())
    held = [*model.parameters(), x, y]
    step = peak(lambda: F.cross_entropy(model(x), y).backward(), held)
    held += [p.grad for p in model.parameters()]
    assert peak(lambda: probe(**made, quick=True), held) < 2 * (size + step)


def test_quick_leaves_out_what_no_cause_is_judged_by() -> None:
    report = probe(**classify(), quick=True)
    reason = "left out to be quick"
    left = {entry["name"] for entry in report.observations if entry.get("not_examined") == reason}
    assert left == {"downhill", "precision", "shapes", "rate_range", "noise_scale"}
    assert len(left) == len(FOR_THE_PAGE)
    full = probe(**classify(), memorise=False)
    assert [e["done"] for e in report.examined] == [e["done"] for e in full.examined]


def test_a_budget_is_kept() -> None:
    class Slow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()

        def forward(self, x: Tensor) -> Any:
            time.sleep(0.05)
            return self.net(x)

    started = time.perf_counter()
    report = probe(**classify(model=Slow()), budget=1.0)
    assert time.perf_counter() - started < 2.0  # a shared machine may be late by itself
    reasons = {entry["reason"] for entry in report.examined if not entry["done"]}
    assert "the time budget of 1 s was spent" in reasons


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
def test_updates_are_those_of_the_real_optimizer(kind: Any) -> None:
    made = classify()
    model, (x, y) = made["model"], made["batch"]
    optimizer = kind(model.parameters(), lr=0.01)
    for _ in range(3):  # with a state of its own
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    told = {part.name: part.update for part in Bench(**made, optimizer=optimizer).updates.parts}
    state = copy.deepcopy(optimizer.state_dict())
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    for name, parameter in model.named_parameters():
        assert told[name] == pytest.approx(float((parameter.detach() - before[name]).norm()), rel=1e-4)
    assert state.keys() == optimizer.state_dict().keys()


def test_half_precision_is_foreseen() -> None:
    model = mlp()
    with torch.no_grad():
        model[0].weight.mul_(1e6)
    half = Bench(**classify(model=model)).first.half
    outputs = model[0](classify()["batch"][0])
    assert half.largest >= float(outputs.abs().max())
    assert half.share_of_range == pytest.approx(half.largest / 65504)
    assert half.share_of_range > 1
    small = Bench(**classify(), step=lambda m, b: 1e-9 * F.cross_entropy(m(b[0]), b[1])).first.half
    assert small.vanishing > 0.5
    assert Bench(**classify()).first.half.vanishing < 0.1


def test_a_target_matters_though_a_fresh_head_says_the_same_to_all() -> None:
    model = mlp()
    nn.init.zeros_(model[-1].weight)
    nn.init.zeros_(model[-1].bias)
    effect = Bench(**classify(model=model)).wiring.target_effect
    assert effect is not None
    assert effect > 0.01


@pytest.mark.parametrize(("reduction", "factor"), [("mean", 1.0), ("sum", 2.0)])
def test_doubling_is_asked_of_half_the_batch(reduction: str, factor: float) -> None:
    made = classify() | {"loss_fn": nn.CrossEntropyLoss(reduction=reduction)}
    seen = Bench(**made).wiring
    assert seen.doubling == pytest.approx(factor, rel=1e-4)
    assert seen.gradient_doubling == pytest.approx(factor, rel=1e-4)


def test_sizes_become_prime_where_the_step_allows_it() -> None:
    bench = Bench(**classify())
    assert bench.subject.smaller().examples == 7
    fixed = Bench(**classify(), step=lambda m, b: F.cross_entropy(m(b[0].view(64, 6)), b[1]))
    assert fixed.subject.smaller().examples == 64


def test_zeros_are_woken_for_questions_about_the_wiring_only() -> None:
    model = mlp()
    nn.init.zeros_(model[-1].weight)
    bench = Bench(**classify(model=model))
    assert bench.reach.ignored == 0
    assert not model[-1].weight.any()


def test_a_curve_that_will_not_move_is_not_followed_to_the_end() -> None:
    made = classify(torch.zeros(64, 6))  # inputs that tell nothing
    memory = Bench(**made).memory
    assert memory.reading in ("flat", "plateaus", "oscillates")
    assert 80 < memory.steps < 150
    assert read_curve(list(memory.curve), complete=True)[0] == memory.reading


def test_colour_changes_no_word() -> None:
    report = probe(**classify(), quick=True).report
    assert painted(report).plain.rstrip("\n") == page(report).rstrip("\n")


def test_rows_of_one_graph_may_influence_each_other() -> None:
    class Graph(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()

        def forward(self, x: Tensor, edges: Tensor) -> Any:
            return self.net(edges @ x)

    x, y = classify()["batch"]
    bench = Bench(Graph(), (x, torch.eye(64).roll(1, 0), y), nn.CrossEntropyLoss())
    with pytest.raises(NotApplicable, match="nodes of one graph"):
        bench.mixing  # noqa: B018  asked for its reason
