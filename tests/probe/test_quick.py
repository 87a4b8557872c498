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
from sleuth.measure.forward import each_gradient
from sleuth.measure.memorise import read_curve
from sleuth.measure.short_training import Stepper
from sleuth.measure.workbench import FOR_THE_PAGE, NotApplicable, Workbench
from sleuth.probing import probe
from sleuth.report import Measured
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
    left = {
        entry.name
        for entry in report.observations
        if isinstance(entry, Measured)
        if entry.not_examined == reason
    }
    assert left == {"downhill", "precision", "shapes", "rate_range", "noise_scale"}
    assert len(left) == len(FOR_THE_PAGE)
    full = probe(**classify(), memorise=False)
    assert [e.done for e in report.examined] == [e.done for e in full.examined]


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
    assert time.perf_counter() - started < 1.1  # it sleeps, so a busy machine does not matter much
    reasons = {entry.reason for entry in report.examined if not entry.done}
    assert any(reason.startswith("the time budget of 1 s") for reason in reasons)


class Heavy(nn.Module):
    """Takes its time for every example."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.net, self.seconds, self.calls = mlp(), seconds, 0

    def forward(self, x: Tensor) -> Any:
        time.sleep(self.seconds * len(x))
        return self.net(x)


def test_a_batch_too_large_for_the_budget_is_not_begun() -> None:
    started = time.perf_counter()
    report = probe(**classify(model=Heavy(0.02)), budget=1.0)  # 64 examples: 1.3 s forward alone
    assert time.perf_counter() - started < 1.0
    assert report.verdict.status == "inconclusive"
    assert "give more time or a smaller batch" in report.verdict.summary
    assert next(iter(report.report.measured)) == "data"


def test_one_that_fits_is_begun_and_not_prolonged() -> None:
    started = time.perf_counter()
    report = probe(**classify(model=Heavy(0.003)), budget=1.0)  # 0.2 s forward: few passes fit
    assert time.perf_counter() - started < 2.0  # without a budget more than twenty passes, so 4 s and more
    assert report.verdict.status != "inconclusive"
    assert any(entry.done for entry in report.examined)


def test_a_short_training_keeps_less_than_adam_and_learns_as_well() -> None:
    torch.manual_seed(0)
    x, y = torch.randn(32, 300), torch.arange(32) % 10

    def trained(thrifty: bool) -> tuple[float, int]:
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(300, 400), nn.ReLU(), nn.Linear(400, 10))
        weights = list(model.parameters())
        stepper, adam = Stepper(weights), torch.optim.Adam(weights, lr=3e-3, foreach=False)

        def run() -> None:
            for _ in range(20):
                slopes = torch.autograd.grad(F.cross_entropy(model(x), y), weights)
                if thrifty:
                    stepper.step(slopes, 3e-3)
                    continue
                for weight, slope in zip(weights, slopes, strict=True):
                    weight.grad = slope
                adam.step()

        most = peak(run, [*weights, x, y])
        return float(F.cross_entropy(model(x), y).detach()), most

    (loss, most), (adams, large) = trained(True), trained(False)
    size = 4 * (301 * 400 + 401 * 10)
    assert loss < 0.1 > adams
    assert large - most > 1.5 * size  # two numbers a weight are not kept


def test_gradients_are_read_one_by_one() -> None:
    model = nn.Sequential(*(nn.Linear(200, 200) for _ in range(8)))
    batch = torch.randn(2, 200)
    named = dict(model.named_parameters())
    loss = model(batch).square().mean()
    exact = torch.autograd.grad(loss, list(named.values()), retain_graph=True)
    found: dict[str, float | None] = {}

    def read() -> None:
        found.update(each_gradient(loss, named, lambda _, slope: float(slope.norm()), again=True))

    most = peak(read, [*named.values(), batch])
    assert most < 3 * 4 * 200 * 200  # of eight such weights
    for name, slope in zip(named, exact, strict=True):
        assert found[name] == pytest.approx(float(slope.norm()), rel=1e-5)
    assert all(weight.grad is None and not weight._backward_hooks for weight in named.values())


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
def test_updates_are_those_of_the_real_optimizer(kind: Any) -> None:
    made = classify()
    model, (x, y) = made["model"], made["batch"]
    optimizer = kind(model.parameters(), lr=0.01)
    for _ in range(3):  # with a state of its own
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    told = {part.name: part.update for part in Workbench(**made, optimizer=optimizer).updates.parts}
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
    half = Workbench(**classify(model=model)).first.half
    outputs = model[0](classify()["batch"][0])
    assert half.largest >= float(outputs.abs().max())
    assert half.share_of_range == pytest.approx(half.largest / 65504)
    assert half.share_of_range > 1
    small = Workbench(**classify(), step=lambda m, b: 1e-9 * F.cross_entropy(m(b[0]), b[1])).first.half
    assert small.vanishing > 0.5
    assert Workbench(**classify()).first.half.vanishing < 0.1


def test_a_target_matters_though_a_fresh_head_says_the_same_to_all() -> None:
    model = mlp()
    nn.init.zeros_(model[-1].weight)
    nn.init.zeros_(model[-1].bias)
    effect = Workbench(**classify(model=model)).wiring.target_effect
    assert effect is not None
    assert effect > 0.01


@pytest.mark.parametrize(("reduction", "factor"), [("mean", 1.0), ("sum", 2.0)])
def test_doubling_is_asked_of_half_the_batch(reduction: str, factor: float) -> None:
    made = classify() | {"loss_fn": nn.CrossEntropyLoss(reduction=reduction)}
    seen = Workbench(**made).wiring
    assert seen.doubling == pytest.approx(factor, rel=1e-4)
    assert seen.gradient_doubling == pytest.approx(factor, rel=1e-4)


def test_sizes_become_prime_where_the_step_allows_it() -> None:
    bench = Workbench(**classify())
    assert bench.subject.smaller().examples == 7
    fixed = Workbench(**classify(), step=lambda m, b: F.cross_entropy(m(b[0].view(64, 6)), b[1]))
    assert fixed.subject.smaller().examples == 64


def test_zeros_are_woken_for_questions_about_the_wiring_only() -> None:
    model = mlp()
    nn.init.zeros_(model[-1].weight)
    bench = Workbench(**classify(model=model))
    assert bench.reach.ignored == 0
    assert not model[-1].weight.any()


def test_a_curve_that_will_not_move_is_not_followed_to_the_end() -> None:
    made = classify(torch.zeros(64, 6))  # inputs that tell nothing
    memory = Workbench(**made).memory
    assert memory.reading in ("flat", "plateaus", "oscillates")
    assert 80 < memory.steps < 150
    assert read_curve(list(memory.curve), complete=True)[0] == memory.reading


def test_colour_changes_no_word() -> None:
    report = probe(**classify(), quick=True).report
    assert painted(report).plain.rstrip("\n") == page(report).rstrip("\n")


def test_a_teacher_may_drop_while_the_model_is_in_eval_mode() -> None:
    student, teacher = mlp(), nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.Linear(16, 3)).train()

    def step(model: nn.Module, batch: Any) -> Any:
        with torch.no_grad():
            wanted = teacher(batch[0]).softmax(-1)
        return (model(batch[0]).softmax(-1) - wanted).pow(2).mean() + nn.functional.cross_entropy(
            model(batch[0]), batch[1]
        )

    report = probe(student, classify()["batch"], step)
    assert not [found for found in report.findings if found.cause == "dropout-ignores-mode"]


@pytest.mark.parametrize("cell", [nn.GRUCell, nn.LSTMCell])
@pytest.mark.parametrize("turned", [False, True])
def test_a_mask_that_blanks_almost_every_state(cell: Any, turned: bool) -> None:
    class Stream(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.out = cell(4, 8), nn.Linear(8, 3)

        def forward(self, x: Tensor, begins: Tensor) -> Tensor:
            keep = (begins if turned else ~begins).float().unsqueeze(-1)
            state: Any = torch.zeros(2, len(x), 8)
            outputs = []
            for t in range(x.shape[1]):
                kept = state * keep[:, t]
                found = self.cell(x[:, t], kept[0] if cell is nn.GRUCell else tuple(kept))
                state = torch.stack([found, found]) if cell is nn.GRUCell else torch.stack(found)
                outputs.append(self.out(state[0]))
            return torch.stack(outputs, 1)

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.cross_entropy(model(batch[0], batch[1]).flatten(0, 1), batch[2].flatten())

    torch.manual_seed(0)
    batch = torch.randn(16, 20, 4), torch.rand(16, 20) < 0.1, torch.randint(3, (16, 20))
    report = probe(Stream(), batch, step)
    assert any(found.cause == "state-not-carried" for found in report.findings) is turned


def test_a_table_of_all_pairs_is_meant_to_mix_examples() -> None:
    class Towers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = mlp(), mlp()

        def forward(self, x: Tensor, y: Tensor) -> Any:
            return self.one(x) @ self.other(y).T

    def contrast(alike: Tensor, target: Tensor) -> Tensor:
        return -torch.log_softmax(alike, 1).diagonal().mean()

    x, y = classify()["batch"]
    bench = Workbench(Towers(), (x, torch.randn_like(x), y), contrast)
    with pytest.raises(NotApplicable, match="examples by examples"):
        bench.mixing  # noqa: B018  asked for its reason


def test_rows_of_one_graph_may_influence_each_other() -> None:
    class Graph(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = mlp()

        def forward(self, x: Tensor, edges: Tensor) -> Any:
            return self.net(edges @ x)

    x, y = classify()["batch"]
    bench = Workbench(Graph(), (x, torch.eye(64).roll(1, 0), y), nn.CrossEntropyLoss())
    with pytest.raises(NotApplicable, match="nodes of one graph"):
        bench.mixing  # noqa: B018  asked for its reason


def test_a_sine_with_a_factor_keeps_small_weights_alive() -> None:
    class Wave(nn.Module):
        def __init__(self, inside: int, factor: float) -> None:
            super().__init__()
            self.linear, self.factor = nn.Linear(inside, 64), factor
            nn.init.uniform_(self.linear.weight, -0.3 / 30, 0.3 / 30)
            nn.init.zeros_(self.linear.bias)

        def forward(self, x: Tensor) -> Tensor:
            return torch.sin(self.factor * self.linear(x))

    def blamed(factor: float) -> bool:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 64), *(Wave(64, factor) for _ in range(4)), nn.Linear(64, 3))
        report = probe(model, classify()["batch"], nn.CrossEntropyLoss())
        return any(found.cause == "bad-init-scale" and found.severity != "note" for found in report.findings)

    assert not blamed(30.0)
    assert blamed(1.0)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_convolution_that_is_cut_at_the_wrong_end_sees_the_future(ahead: bool) -> None:
    class Forecast(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wide, self.out = nn.Conv1d(1, 8, 3, padding=2), nn.Conv1d(8, 1, 1)

        def forward(self, x: Tensor) -> Any:
            seen = self.wide(x)
            return self.out(torch.relu(seen[..., 2:] if ahead else seen[..., :-2]))

    torch.manual_seed(0)
    series = torch.randn(32, 1, 65)
    report = probe(Forecast(), (series[..., :-1].contiguous(), series[..., 1:].contiguous()), nn.MSELoss())
    assert any(found.cause == "causal-leak" for found in report.findings) is ahead


class Graphs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(6, 1)

    def forward(self, x: Tensor, owner: Tensor) -> Tensor:
        return torch.zeros(10).index_add_(0, owner, self.body(x).squeeze(1))


def test_targets_of_graphs_beside_rows_of_nodes_cannot_be_handed_on() -> None:
    """Nothing was changed then, which says nothing of whether targets matter."""
    batch = torch.randn(60, 6), torch.arange(60) // 6, torch.randn(10)

    def step(model: nn.Module, given: Any) -> Tensor:
        x, owner, target = given
        return F.mse_loss(model(x, owner), target)

    assert Workbench(model=Graphs(), batch=batch, step=step).wiring.target_effect is None
