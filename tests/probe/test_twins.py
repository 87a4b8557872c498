"""Steps that look guilty and are not, each beside a twin that is: what set off false alarms once."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from sleuth.finding import Finding
from sleuth.judge.weigh import roots_before_symptoms
from sleuth.measure.captured import Chunks
from sleuth.measure.workbench import Workbench
from sleuth.probing import probe
from tests.probe.cases import Made, Parts, classify, loader_of, mlp, seeded
from tests.probe.test_causes import found

torch.set_num_threads(1)


def severities(slug: str, made: Made) -> list[str]:
    return [finding.severity for finding in found(slug, made)]


def serious(slug: str, made: Made) -> list[Finding]:
    return [finding for finding in found(slug, made) if finding.severity != "note"]


# The targets and the loss
def _above_all_targets(reaches: bool) -> Made:
    x, _ = seeded()

    def step(model: nn.Module, batch: Any) -> Tensor:
        target = batch[1] if reaches else batch[1] * 0
        loss: Tensor = (model(batch[0])[:, 0] + 100 - target).abs().mean()
        return loss

    return {"model": mlp(6, 1), "batch": (x, x[:, 0].round()), "step": step}


def test_a_mean_distance_that_is_blind_to_the_order_of_targets_still_sees_their_values() -> None:
    assert serious("loss-disconnected", _above_all_targets(True)) == []
    assert [f.credence for f in serious("loss-disconnected", _above_all_targets(False))] == [0.6]


def _counted(count: Callable[[Tensor], Tensor]) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        gentle: Tensor = 1e-3 * out.pow(2).mean()
        return F.l1_loss(count(out), batch[1]) + gentle

    x, _ = seeded()
    return {"model": mlp(6, 1), "batch": (x, x[:, :1]), "step": step}


def test_a_term_that_lost_its_graph_is_found_where_it_lost_it() -> None:
    (finding,) = serious("loss-disconnected", _counted(_hard))
    assert finding.where is not None
    assert finding.where.line == _hard.__code__.co_firstlineno + 1
    assert serious("loss-disconnected", _counted(torch.sigmoid)) == []


def _hard(out: Tensor) -> Tensor:
    return (out > 0).float()


def test_a_summand_that_is_detached_as_a_whole_is_meant_to_be_constant() -> None:
    made = _two_terms(lambda model, out, target: F.l1_loss(out, target).detach())
    assert serious("loss-disconnected", made) == []


def test_one_batch_of_one_label_is_a_note_and_a_whole_loader_an_error() -> None:
    ones = torch.ones(64, dtype=torch.long)
    assert severities("labels-constant", classify(y=ones)) == ["note"]
    whole = loader_of(seeded()[0], ones)
    assert severities("labels-constant", classify(y=ones, loader=whole)) == ["error"]


def test_a_first_loss_some_times_above_chance_is_a_note() -> None:
    x, _ = seeded()
    near, far = (x, 4 + x[:, :1]), (x, 75 + x[:, :1])
    made = {"model": mlp(6, 1), "loss_fn": nn.MSELoss()}
    assert severities("init-loss-off", made | {"batch": near}) == ["note"]
    assert severities("init-loss-off", made | {"batch": far}) == ["warning"]


def test_counts_are_guessed_by_their_mean() -> None:
    """A bias of the mean count, where the model says its logarithm, makes exp(mean) of it."""
    x, _ = seeded()
    counts = torch.arange(64.0) % 13
    model = mlp(6, 1)
    bias = model[-1].bias
    assert isinstance(bias, Tensor)
    made = {"model": model, "batch": (x, counts[:, None]), "loss_fn": nn.PoissonNLLLoss()}
    with torch.no_grad():
        bias.fill_(math.log(6.0))
        assert severities("init-loss-off", made) == []
        bias.fill_(13.0)
        assert severities("init-loss-off", made) == ["warning"]


def test_a_sum_divided_by_the_number_of_rows_is_a_mean() -> None:
    """A step that is played back on more rows still divides by the number it was recorded with."""
    x, y = seeded()
    rows = len(x)

    def divided_by(number: int) -> Made:
        def step(model: nn.Module, batch: Any) -> Tensor:
            out = model(batch[0])
            summed: Tensor = F.cross_entropy(out, batch[1], reduction="sum")
            size: Tensor = out.pow(2).sum(1).mean()
            return summed / number + size

        return {"model": mlp(), "batch": (x, y), "step": step}

    assert severities("wrong-reduction", divided_by(rows)) == []
    assert severities("wrong-reduction", divided_by(7)) != []


def _triplets(margin: float) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        a, p, n = (F.normalize(model(part), dim=1) for part in batch)
        loss: Tensor = F.relu((a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + margin).mean()
        return loss

    x, _ = seeded()
    return {"model": mlp(), "batch": (x, x + 0.1, x.roll(1, 0)), "step": step}


def test_a_margin_that_every_example_meets_shuts_the_loss() -> None:
    (finding,) = serious("loss-saturated", _triplets(-4.5))
    assert finding.severity == "error"
    assert finding.where is not None
    assert finding.where.line == _triplets.__code__.co_firstlineno + 3
    assert serious("loss-saturated", _triplets(0.5)) == []


def _welsch(width: float) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        x, target = batch
        apart = (model(x) - target).square().sum(1)
        return (1.0 - torch.exp(-0.5 * apart / width**2)).mean()

    x, y = seeded()
    return {"model": mlp(), "batch": (x, F.one_hot(y, 3).float()), "step": step}


def test_a_bounded_loss_by_hand_whose_width_no_answer_meets_is_flat() -> None:
    (finding,) = serious("loss-saturated", _welsch(0.02))
    assert finding.where is not None
    assert finding.where.line == _welsch.__code__.co_firstlineno + 4
    assert serious("loss-saturated", _welsch(1.0)) == []


class Capped(nn.Module):
    def __init__(self, most: float) -> None:
        super().__init__()
        self.most = most

    def forward(self, scores: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(scores, y, reduction="none").clamp(max=self.most).mean()


def test_a_cap_below_every_example_shuts_a_loss_that_is_a_module() -> None:
    x, y = seeded()
    (finding,) = serious("loss-saturated", {"model": mlp(), "batch": (x, y), "loss_fn": Capped(0.2)})
    assert finding.where is not None
    assert finding.where.line == Capped.forward.__code__.co_firstlineno + 1
    assert serious("loss-saturated", {"model": mlp(), "batch": (x, y), "loss_fn": Capped(5.0)}) == []


@pytest.mark.parametrize(("most", "alarm"), [(3, True), (1, False)])
def test_several_labels_a_row_are_no_matter_for_a_softmax(most: int, alarm: bool) -> None:
    x, _ = seeded()
    marks = torch.zeros(64, 3)
    marks[torch.arange(64), torch.arange(64) % 3] = 1.0
    marks[::2, :most] = 1.0 if most > 1 else marks[::2, :most]
    made = {"model": mlp(), "batch": (x, marks), "loss_fn": nn.CrossEntropyLoss()}
    assert bool(serious("loss-wrong-for-task", made)) is alarm


def _amplitudes(leveled: bool) -> Made:
    torch.manual_seed(0)
    label = torch.arange(600) % 3
    waves = torch.randn(600, 32) * (1.0 + 3.0 * label[:, None])
    if leveled:
        waves = (waves - waves.mean(1, keepdim=True)) / waves.std(1, keepdim=True)
    loader = DataLoader(TensorDataset(waves, label), batch_size=64)
    batch = next(iter(loader))
    return {"model": mlp(32, 3), "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "loader": loader}


def test_examples_normalised_each_by_itself_lose_what_their_size_told() -> None:
    assert serious("input-destroyed", _amplitudes(True))
    assert serious("labels-misaligned", _amplitudes(True)) == []
    assert serious("input-destroyed", _amplitudes(False)) == []


class Turns(nn.Module):
    def __init__(self, keep: float) -> None:
        super().__init__()
        self.keep = keep
        self.enter, self.turn, self.leave = nn.Linear(6, 64), nn.Linear(64, 64, bias=False), nn.Linear(64, 3)

    def forward(self, x: Tensor) -> Tensor:
        state = torch.zeros(len(x), 64)
        for _ in range(40):
            added = 1.0 if self.keep == 1 else 1 - self.keep
            state = self.keep * state + added * F.relu(self.enter(x) + self.turn(state))
        out: Tensor = self.leave(state)
        return out


def test_a_state_that_every_turn_adds_to_explodes_and_its_start_is_not_to_blame() -> None:
    (finding,) = serious("exploding-gradients", classify(model=Turns(1.0)))
    assert finding.numbers["turns"] == 39  # the first of 40 starts from nothing
    assert serious("bad-init-scale", classify(model=Turns(1.0))) == []
    assert serious("exploding-gradients", classify(model=Turns(0.8))) == []


class Gated(nn.Module):
    """Gives its gates out beside what it makes with them, or nothing but the gates."""

    def __init__(self, used: bool) -> None:
        super().__init__()
        self.used = used
        self.gates, self.leaves = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Any:
        gates = torch.sigmoid(200 * self.gates(x))
        return (self.leaves(gates[:, :8]), gates) if self.used else gates


def test_gates_that_are_given_out_as_well_are_no_end() -> None:
    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        scores = out[0] if isinstance(out, tuple) else out[:, :3]
        return F.cross_entropy(scores, batch[1])

    x, y = seeded()
    assert serious("saturated-activations", {"model": Gated(True), "batch": (x, y), "step": step})
    assert serious("saturated-activations", {"model": Gated(False), "batch": (x, y), "step": step}) == []


# Depth
def _values_of_two_states(model: nn.Module) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.mse_loss(model(batch[0]), batch[2] + 0.9 * model(batch[1]).detach())

    x, _ = seeded()
    return {"model": model, "batch": (x, x.roll(1, 0), x[:, :1] ** 2), "step": step}


def test_one_layer_called_twice_is_no_stack() -> None:
    torch.manual_seed(0)
    assert serious("missing-nonlinearity", _values_of_two_states(nn.Linear(6, 1))) == []
    stack = nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 1))
    assert len(serious("missing-nonlinearity", _values_of_two_states(stack))) == 1


def test_layers_side_by_side_are_no_stack() -> None:
    torch.manual_seed(0)
    sides = Parts(lambda m, x: m.a(x) + m.b(x), a=nn.Linear(6, 3), b=nn.Linear(6, 3))
    bench = Workbench(**classify(model=sides))
    assert [layer.depth for layer in bench.first.activations.layers] == [1, 1]
    assert serious("missing-nonlinearity", classify(model=sides)) == []


def _equation(net: nn.Module) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        (slope,) = torch.autograd.grad(model(batch[0]).sum(), batch[0], create_graph=True)
        loss: Tensor = F.mse_loss(model(batch[1]), batch[2]) + 1e-3 * slope.pow(2).mean()
        return loss

    t = torch.linspace(0, 2, 32)[:, None]
    return {"model": net, "batch": (t.clone().requires_grad_(), t, t.cos()), "step": step}


def test_depth_is_judged_where_a_step_takes_derivatives_by_its_inputs() -> None:
    torch.manual_seed(0)
    flat = nn.Sequential(nn.Linear(1, 8), nn.Linear(8, 1))
    bent = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    assert len(serious("missing-nonlinearity", _equation(flat))) == 1
    assert serious("missing-nonlinearity", _equation(bent)) == []


# Copies of the target
def _flag(rows: int) -> Made:
    """A column of zeros that is one in a few rows, and a target that is one in the same."""
    x = torch.zeros(64, 4)
    x[:, 1] = torch.linspace(-1, 1, 64)
    x[:rows, 0] = 1
    return {"model": mlp(4, 1), "batch": (x, x[:, :1].clone() * 0.9), "loss_fn": nn.MSELoss()}


def test_a_flag_set_a_few_times_is_no_copy() -> None:
    assert serious("target-leakage", _flag(3)) == []
    assert len(serious("target-leakage", _flag(20))) == 1


def test_a_column_with_holes_is_no_copy() -> None:
    made = _flag(20)
    x, y = made["batch"]
    x[3, 1] = torch.nan
    (finding,) = serious("target-leakage", made | {"batch": (x, y)})
    assert finding.numbers["column"] == 0
    assert serious("target-leakage", made | {"batch": (x[:, 1:], y), "model": mlp(3, 1)}) == []


# A cut, or a result that nobody uses
def _branch(use: Callable[[Tensor, Tensor], Tensor]) -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        aside = m.aside(x)
        out: Tensor = m.out(torch.relu(use(m.main(x), aside)))
        return out

    torch.manual_seed(0)
    parts = {"aside": nn.Linear(6, 8), "main": nn.Linear(6, 8), "out": nn.Linear(8, 3)}
    return classify(model=Parts(forward, **parts))


CUT: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "detach": lambda h, aside: h + aside.detach(),
    "data": lambda h, aside: h + aside.data,
    "numbers": lambda h, aside: h + torch.tensor(aside.tolist()),
    "comparison": lambda h, aside: h + (aside > 0).float(),
}


@pytest.mark.parametrize("kind", CUT)
def test_a_cut_is_found_and_placed(kind: str) -> None:
    made = _branch(CUT[kind])
    (finding,) = serious("detached-graph", made)
    assert serious("unused-parameters", made) == []
    line = CUT[kind].__code__.co_firstlineno
    assert finding.where is not None
    assert finding.where.line == line


def test_a_result_that_is_thrown_away_is_no_cut() -> None:
    made = _branch(lambda h, aside: h)
    assert serious("detached-graph", made) == []
    (finding,) = serious("unused-parameters", made)
    assert finding.severity == "error"
    assert "`aside` is called" in finding.message
    assert finding.where is not None
    assert finding.where.module == "aside"
    report = probe(**made, memorise=False)
    assert [f.cause for f in report.findings if f.severity != "note"] == ["unused-parameters"]


def test_a_used_branch_is_neither() -> None:
    made = _branch(lambda h, aside: h + aside)
    assert serious("detached-graph", made) == serious("unused-parameters", made) == []


def test_looking_for_the_cut_leaves_the_weights_alone() -> None:
    made = _branch(CUT["detach"])
    before = {name: value.clone() for name, value in made["model"].state_dict().items()}
    assert Workbench(**made).cuts.behind == ("aside.weight", "aside.bias")
    assert all(torch.equal(value, before[name]) for name, value in made["model"].state_dict().items())


def test_of_two_that_name_each_other_as_root_the_surer_one_stays() -> None:
    def ranked(cut: float, unused: float) -> list[str]:
        findings = [
            Finding("", "error", cut, cause="detached-graph"),
            Finding("", "error", unused, cause="unused-parameters"),
        ]
        return [f.cause for f in roots_before_symptoms(findings) if f.severity != "note"]

    assert ranked(0.92, 0.6) == ["detached-graph"]
    assert ranked(0.85, 0.9) == ["unused-parameters"]


# Terms
def _two_terms(second: Callable[[nn.Module, Tensor, Tensor], Tensor]) -> Made:
    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch[0])
        return F.mse_loss(out, batch[1]) + second(model, out, batch[1])

    x, _ = seeded()
    return {"model": mlp(6, 1), "batch": (x, x[:, :1] * 2), "step": step}


def test_a_gentle_regulariser_may_be_gentle_and_a_goal_may_not() -> None:
    gentle = _two_terms(lambda model, out, target: 1e-7 * out.pow(2).mean())
    goal = _two_terms(lambda model, out, target: 1e-7 * F.l1_loss(out, target))
    assert severities("loss-terms-imbalanced", gentle) == ["note"]
    assert severities("loss-terms-imbalanced", goal) == ["warning"]


def test_terms_at_odds_by_their_initial_weights_alone_do_not_conflict() -> None:
    def slope(model: nn.Module) -> Tensor:
        points = torch.linspace(-2, 2, 48).reshape(8, 6).requires_grad_()
        (slopes,) = torch.autograd.grad(model(points).sum(), points, create_graph=True)
        length: Tensor = slopes.norm(dim=1)
        return length

    def step(model: nn.Module, batch: Any) -> Tensor:
        fit: Tensor = model(batch[0]).abs().mean()
        total: Tensor = fit + (slope(model) - 1).pow(2).mean()
        return total

    x, _ = seeded()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 32), nn.Softplus(), nn.Linear(32, 1))
    made = {"model": model, "batch": (x, x[:, :1]), "step": step}
    assert serious("loss-terms-conflict", made) == []
    against = _two_terms(lambda model, out, target: F.l1_loss(out, -3 * target))
    (finding,) = serious("loss-terms-conflict", against)
    assert finding.numbers["parts"] == 6  # the batch, its halves, three other starts


def test_pull_and_push_are_a_trade_off() -> None:
    def step(model: nn.Module, batch: Any) -> Tensor:
        z = model(batch[0])
        apart = ((z[:, None] - z[None]).pow(2).sum(-1) + 1e-8).sqrt()
        same = (batch[1][:, None] == batch[1][None]).float()
        pull: Tensor = (same * apart.pow(2)).sum() / same.sum()
        push: Tensor = ((1 - same) * torch.relu(2 - apart).pow(2)).sum() / (1 - same).sum()
        return pull + push

    x, y = seeded()
    assert severities("loss-terms-conflict", {"model": mlp(), "batch": (x, y), "step": step}) == ["note"]


# Examples that influence each other
def test_a_hand_written_batch_norm_does_not_mix_examples_and_a_mean_over_them_does() -> None:
    def normed(m: Any, x: Tensor) -> Tensor:
        h = torch.tanh(m.inner(x))
        out: Tensor = m.out((h - h.mean(0)) / (h.std(0) + 0.05))
        return out

    def pooled(m: Any, x: Tensor) -> Tensor:
        h = torch.tanh(m.inner(x))
        out: Tensor = m.out(h + h.mean(0))
        return out

    torch.manual_seed(0)
    parts = {"inner": nn.Linear(6, 8), "out": nn.Linear(8, 3)}
    assert serious("batch-mixing", classify(model=Parts(normed, **parts))) == []
    assert len(serious("batch-mixing", classify(model=Parts(pooled, **parts)))) == 1


# Frozen parameters
def test_a_frozen_body_that_only_an_older_optimizer_holds_is_transfer_learning() -> None:
    model = mlp()
    model[0].requires_grad_(False)
    whole, head = torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(model[4].parameters(), lr=0.1)
    assert serious("frozen-params", classify(model=model, optimizer=(head, whole))) == []
    assert len(serious("frozen-params", classify(model=model, optimizer=(whole, head)))) == 1


# The split
def _shares(train: tuple[int, int], val: tuple[int, int]) -> Made:
    def labels(counts: tuple[int, int]) -> Tensor:
        return torch.cat([torch.full((count,), kind) for kind, count in enumerate(counts)])

    torch.manual_seed(0)
    loaders = [loader_of(torch.randn(sum(counts), 6), labels(counts)) for counts in (train, val)]
    x, y = next(iter(loaders[0]))
    return classify(x, y, model=mlp(6, 2), loader=loaders[0], val_loader=loaders[1])


def test_more_of_a_rare_class_to_be_judged_by_is_no_bad_split() -> None:
    assert severities("unstratified-split", _shares((970, 30), (140, 60))) == ["note"]
    assert severities("unstratified-split", _shares((900, 400), (300, 2))) == ["warning"]


# More rows than are gathered, class after class: what was not reached is not missing.
MANY = 6000
IN_ORDER = (torch.randn(MANY, 6), torch.arange(MANY) * 4 // MANY)
HELD_OUT = (torch.randn(400, 6), torch.arange(400) * 4 // 400)


def _served(whole: Any, val: Any) -> Made:
    x, y = next(iter(whole))
    return classify(x, y, model=mlp(6, 4), loader=whole, val_loader=val)


def test_classes_that_a_walk_did_not_reach_are_not_missing() -> None:
    in_order = TensorDataset(*IN_ORDER)
    small: DataLoader[Any] = DataLoader(TensorDataset(*HELD_OUT), 64)
    for loader in (DataLoader(in_order, 64), DataLoader(in_order, 64, shuffle=True), Chunks(IN_ORDER)):
        assert serious("unstratified-split", _served(loader, small)) == []
        assert serious("class-imbalance", _served(loader, small)) == []
        assert serious("labels-constant", _served(loader, small)) == []


def test_whole_tensors_are_counted_to_their_end() -> None:
    x, y = IN_ORDER
    for train in (
        Chunks((x, y.clamp(max=2))),
        DataLoader(TensorDataset(x, y.clamp(max=2)), 64, shuffle=True),
    ):
        assert len(serious("unstratified-split", _served(train, Chunks(HELD_OUT)))) >= 1
    assert Workbench(**_served(Chunks(IN_ORDER), Chunks(HELD_OUT))).labels.seen == MANY


def test_the_head_of_a_long_file_with_one_label_is_a_note() -> None:
    x, y = torch.randn(MANY, 6), (torch.arange(MANY) > MANY - 100).long()
    stretched: DataLoader[Any] = DataLoader(TensorDataset(x, y), 64)
    assert severities("labels-constant", _served(stretched, None)) == ["note"]
    rare: DataLoader[Any] = DataLoader(TensorDataset(x, y.flip(0)), 64)
    assert serious("class-imbalance", _served(rare, None)) == []


# Loaders
def test_a_loader_over_a_stream_has_no_length_and_is_no_mistake() -> None:
    class Stream(IterableDataset[Any]):
        def __iter__(self) -> Any:
            return iter(zip(*seeded(), strict=True))

    stream: DataLoader[Any] = DataLoader(Stream(), batch_size=16)
    assert not Workbench(**classify(loader=stream)).failure
