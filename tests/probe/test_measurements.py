"""Every measurement beside a slow, independent twin."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from sleuth.measure.memorise import read_curve
from sleuth.measure.optimizer import estimate, read_range
from sleuth.measure.workbench import NotApplicable, Workbench
from tests.probe.cases import CASES, classify, loader_of, mlp, seeded

torch.set_num_threads(1)


def test_gradient_norms_are_those_of_backward() -> None:
    made = classify()
    found = {p.name: p.gradient for p in Workbench(**made).first.gradients.parameters}
    made["loss_fn"](made["model"](made["batch"][0]), made["batch"][1]).backward()
    for name, parameter in made["model"].named_parameters():
        assert parameter.grad is not None
        assert found[name] == pytest.approx(float(parameter.grad.norm()), rel=1e-5)


def test_the_update_is_what_the_optimizer_would_have_done() -> None:
    made = classify(
        model=(model := mlp()), optimizer=torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
    )
    told = {part.name: part for part in Workbench(**made).updates.parts}
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    made["loss_fn"](model(made["batch"][0]), made["batch"][1]).backward()
    made["optimizer"].step()
    for name, parameter in model.named_parameters():
        moved = float((parameter.detach() - before[name]).norm())
        assert told[name].update == pytest.approx(moved, rel=1e-4)
        assert told[name].ratio == pytest.approx(moved / float(before[name].norm()), rel=1e-4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.floats(0.1, 3.0))
def test_the_noise_scale_estimate_is_exact_for_expected_squares(seed: int, spread: float) -> None:
    mean, cov = 1.0 + seed % 7, spread**2 * 5

    def square(size: int) -> float:
        return mean**2 + cov / size  # what the squared norm is on average

    assert estimate(square(8), 8, square(32), 32) == pytest.approx(cov / mean**2, rel=1e-9)


def test_the_noise_scale_is_near_that_of_per_example_gradients() -> None:
    x = torch.randn(512, 4, generator=torch.Generator().manual_seed(0))
    model = nn.Linear(4, 1)

    def step(model: nn.Module, batch: tuple[Tensor]) -> Tensor:
        return F.mse_loss(model(batch[0])[:, 0], batch[0].sum(1) + 3)

    told = Workbench(model, (x,), step=step).noise_scale.scale
    rows = []
    for row in x:
        slopes = torch.autograd.grad(step(model, (row[None],)), list(model.parameters()))
        rows.append(torch.cat([s.flatten() for s in slopes]))
    every = torch.stack(rows)
    exact = float(every.var(0).sum() / every.mean(0).pow(2).sum())
    assert told == pytest.approx(exact, rel=0.6)  # two halves of one batch are a coarse estimate


def test_mixing_agrees_with_finite_changes() -> None:
    for slug, mixes in (("batch-mixing", (True, False)),):
        for make, expected in zip(CASES[slug], mixes, strict=True):
            made = make()
            model, (x, _) = made["model"].eval(), made["batch"]
            other = x.clone()
            other[1:] += 1
            moved = float((model(x)[0] - model(other)[0]).abs().max())
            assert (moved > 1e-6) is expected
            assert (Workbench(**made).mixing.share > 1e-3) is expected


@pytest.mark.parametrize("time_first", [True, False])
def test_time_before_the_examples_is_no_mixing(time_first: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.head = nn.GRU(3, 8, bidirectional=True), nn.Linear(16, 2)

        def forward(self, x: Tensor) -> Tensor:
            read: Tensor = self.head(self.rnn(x)[0].mean(0 if time_first else 1))
            return read

    x = torch.randn((9, 12, 3) if time_first else (12, 9, 3))
    bench = Workbench(Net(), (x, torch.arange(12) % 2), nn.CrossEntropyLoss())
    if time_first:
        with pytest.raises(NotApplicable, match="behind time"):
            bench.mixing  # noqa: B018  asked for its reason
    else:
        assert bench.mixing.share > 0.1


def test_mixing_of_integers_is_found_by_replacement() -> None:
    tokens = torch.randint(9, (12, 5), generator=torch.Generator().manual_seed(0))

    class Net(nn.Module):
        def __init__(self, mixes: bool) -> None:
            super().__init__()
            self.embed, self.out, self.mixes = nn.Embedding(9, 4), nn.Linear(4, 2), mixes

        def forward(self, x: Tensor) -> Tensor:
            h = self.embed(x).mean(1)
            out: Tensor = self.out(h + h.mean(0) if self.mixes else h)
            return out

    for mixes in (True, False):
        seen = Workbench(Net(mixes), (tokens, torch.arange(12) % 2), nn.CrossEntropyLoss()).mixing
        assert seen.method == "replacement"
        assert (seen.share > 1e-3) is mixes


@pytest.mark.parametrize(("reduction", "ratio"), [("mean", 1.0), ("sum", 2.0)])
def test_doubling(reduction: str, ratio: float) -> None:
    seen = Workbench(**classify(loss_fn=nn.CrossEntropyLoss(reduction=reduction))).wiring
    assert seen.doubling == pytest.approx(ratio, rel=1e-5)
    assert seen.gradient_doubling == pytest.approx(ratio, rel=1e-4)


def test_the_loss_at_start_is_set_against_guessing() -> None:
    (use,) = Workbench(**classify()).first.losses
    assert use.chance == pytest.approx(math.log(3))
    x, y = seeded()
    shares = torch.bincount(y).float() / len(y)
    assert use.entropy == pytest.approx(float(-(shares * shares.log()).sum()), rel=1e-5)
    target = x[:, :1]
    (use,) = Workbench(mlp(6, 1), (x, target), nn.MSELoss()).first.losses
    assert use.chance == pytest.approx(float(target.var(unbiased=False)), rel=1e-5)


def test_dead_units_are_counted_as_by_hand() -> None:
    made = CASES["dead-relu"][0]()
    model, x = made["model"], made["batch"][0]
    by_hand = float((model[1](model[0](x)) <= 0).all(0).float().mean())
    assert Workbench(**made).first.activations.units[0].dead == pytest.approx(by_hand)


def test_neighbours_agree_with_a_loop() -> None:
    made = CASES["labels-misaligned"][1]()
    x, y = made["loader"].dataset.tensors
    same = 0
    for i in range(len(x)):
        gaps = (x - x[i]).pow(2).sum(1)
        gaps[i] = torch.inf
        same += int(y[gaps.argmin()] == y[i])
    assert Workbench(**made).neighbours.agreement == pytest.approx(same / len(x), abs=0.01)


def test_shared_rows_are_counted_as_by_hand() -> None:
    made = CASES["split-overlap"][0]()
    train, val = (set(map(tuple, made[k].dataset.tensors[0].tolist())) for k in ("loader", "val_loader"))
    assert Workbench(**made).split.shared == len(train & val) == 100


def test_an_endless_loader_is_left_in_time() -> None:
    x, y = seeded()

    class Endless:
        def __iter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
            while True:
                yield x, y

    assert Workbench(**classify(loader=Endless()), budget=5).labels.seen >= 64


@pytest.mark.parametrize(
    ("curve", "reading"),
    [
        ([1.0, 0.5, 0.2, 0.01], "learned"),
        ([1.0, 1.2, 1.5, 2.0, 2.5, 3.0], "rises"),
        ([1.0, float("nan")], "explodes"),
        ([1.0, 5.0, 1e6], "explodes"),
        ([1.0, 0.99, 1.0, 0.98, 1.0, 0.99, 1.0, 0.98], "oscillates"),
        ([1.0, 0.99, 0.985, 0.98, 0.979, 0.978, 0.977], "flat"),
        ([1.0, 0.8, 0.6, 0.5, 0.45, 0.44, 0.43, 0.425, 0.42], "plateaus"),
    ],
)
def test_curves_are_read(curve: list[float], reading: str) -> None:
    assert read_curve(curve, complete=True)[0] == reading


def test_a_range_of_rates_is_read() -> None:
    found = read_range((1e-4, 1e-3, 1e-2, 1e-1, 1.0), (1.0, 0.99, 0.9, 0.5, 9.0))
    assert (found.steepest, found.breaks_at) == (1e-2, 1.0)


def test_a_healthy_model_learns_a_batch_by_heart_and_needs_its_inputs() -> None:
    memory = Workbench(**classify()).memory
    assert memory.end < 0.5 * memory.start
    assert {name: ratio for name, _, ratio in memory.ablation}["shuffled"] > 1.5


def test_a_small_step_downhill_brings_what_the_gradient_promises() -> None:
    x, _ = seeded()
    seen = Workbench(mlp(6, 1), (x, x[:, :1]), nn.MSELoss()).downhill
    assert seen.brought == pytest.approx(seen.promised, rel=0.1)


def test_double_precision_agrees_for_an_ordinary_model() -> None:
    assert Workbench(**classify()).precision.difference < 1e-5


def test_a_spent_budget_is_a_reason() -> None:
    bench = Workbench(**classify(), budget=0.0)
    with pytest.raises(NotApplicable, match="budget"):
        _ = bench.first


def test_labels_of_a_loader_are_counted_over_all_of_it() -> None:
    x, y = seeded(200)
    counts = dict(Workbench(**classify(loader=loader_of(x, y))).labels.counts)
    assert counts == {int(k): int((y == k).sum()) for k in y.unique()}  # type: ignore[no-untyped-call]
