"""What looks like a defect to a probe and is meant so."""

import copy
import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import sleuth
from sleuth.measure.workbench import Workbench
from sleuth.probing import examine


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return -0.3 * grad


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad


class WrongSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        x: Tensor = ctx.saved_tensors[0]
        return grad * x


class Through(nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function
        self.below, self.above = nn.Linear(6, 12), nn.Linear(12, 1)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.above(self.function.apply(self.below(x)))
        return made


def causes(model: nn.Module, batch: Any, loss: Any = None, step: Any = None) -> set[str]:
    report = sleuth.probe(model, batch, loss, step=step, memorise=False)
    return {finding.cause for finding in report.findings if finding.severity != "note"}


def test_reversed_and_straight_through_gradients_are_meant_and_wrong_ones_are_not() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(32, 6), torch.randn(32, 1))
    before = (Reverse.__dict__["forward"], Rounded.__dict__["forward"])
    for function, told in ((Reverse, False), (Rounded, False), (WrongSquare, True)):
        assert ("wrong-gradient" in causes(Through(function), batch, nn.functional.mse_loss)) is told
    assert (Reverse.__dict__["forward"], Rounded.__dict__["forward"]) == before


class Factors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rows, self.columns = nn.Parameter(torch.randn(30, 3)), nn.Parameter(torch.randn(20, 3))

    def forward(self) -> Tensor:
        return self.rows @ self.columns.T


def test_a_model_that_takes_no_input_ignores_none() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(30, 20), torch.rand(30, 20) < 0.5)
    model = Factors()

    def step(model: nn.Module, batch: Any) -> Tensor:
        ratings, seen = batch
        made: Tensor = (model() - ratings)[seen].pow(2).mean()
        return made

    report = sleuth.probe(model, batch, step=step, memorise=False)
    assert "input-destroyed" not in {f.cause for f in report.findings if f.severity != "note"}


def test_a_batch_of_targets_alone_leaks_nothing() -> None:
    torch.manual_seed(0)
    place = torch.linspace(0, 1, 60).unsqueeze(1)
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def step(model: nn.Module, batch: list[Tensor]) -> Tensor:
        made: Tensor = (model(place) - batch[0]).pow(2).mean()
        return made

    report = sleuth.probe(model, [place.cos()], step=step, memorise=False)
    assert "target-leakage" not in {f.cause for f in report.findings if f.severity != "note"}


class Lesson(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.teacher, self.student = nn.Linear(6, 3), nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            wanted = self.teacher(x)
        return nn.functional.mse_loss(self.student(x), wanted)


def test_a_teacher_that_no_optimizer_holds_is_not_cut_off() -> None:
    torch.manual_seed(0)
    lesson, x = Lesson(), torch.randn(16, 6)

    def told(*learning: nn.Module) -> bool:
        held = [parameter for module in learning for parameter in module.parameters()]
        report = sleuth.probe(
            lesson, x, step=lambda m, b: m(b), optimizer=torch.optim.SGD(held, 0.1), memorise=False
        )
        return "detached-graph" in {f.cause for f in report.findings if f.severity != "note"}

    assert not told(lesson.student)
    assert told(lesson.student, lesson.teacher)


def test_a_teacher_that_was_trained_before_by_its_own_optimizer_is_not_cut_off() -> None:
    torch.manual_seed(0)
    lesson, x = Lesson(), torch.randn(16, 6)
    optimizers = [torch.optim.SGD(part.parameters(), 0.1) for part in (lesson.student, lesson.teacher)]
    report = sleuth.probe(lesson, x, step=lambda m, b: m(b), optimizer=optimizers, memorise=False)
    assert "detached-graph" not in {f.cause for f in report.findings if f.severity != "note"}


def test_a_loss_with_its_sides_exchanged_has_the_prediction_that_learns() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(32, 6), torch.randn(32, 1))
    told = causes(nn.Linear(6, 1), batch, lambda made, wanted: nn.functional.mse_loss(wanted, made))
    assert "missing-detach" not in told


def test_the_target_on_another_scale_is_a_leak_and_a_function_of_one_variable_is_none() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
    x = torch.randn(128, 6)
    y = x[:, 2:3].clone()
    price = x.clone()
    price[:, 2] = (0.3 * y[:, 0]).exp()
    hint = x.clone()
    hint[:, 2] = (0.3 * y[:, 0] + 0.1 * torch.randn(128)).exp()
    assert "target-leakage" in causes(net, (price, y), nn.MSELoss())
    assert "target-leakage" not in causes(net, (hint, y), nn.MSELoss())
    curve = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    place = torch.rand(128, 1) * 2 - 1
    assert "target-leakage" not in causes(curve, (place, place**3 + place.exp()), nn.MSELoss())


class Gated(nn.Module):
    """A branch that starts at zero, before a head that does: nothing below them gets a gradient at first."""

    def __init__(self, gate: float) -> None:
        super().__init__()
        self.inner, self.between = nn.Linear(6, 12), nn.Sequential(nn.ReLU(), nn.Linear(12, 12))
        self.branch, self.head = nn.Linear(12, 12), nn.Linear(12, 3)
        self.query = nn.Parameter(torch.full((12,), gate))
        nn.init.zeros_(self.branch.weight)
        nn.init.zeros_(self.head.weight)

    def forward(self, x: Tensor) -> Tensor:
        h = self.between(self.inner(x))
        share = torch.softmax(torch.tanh(h) * self.query, 1)
        made: Tensor = self.head(h * share + torch.relu(self.branch(h)))
        return made


def test_layers_behind_gates_that_open_are_left_alone() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(64, 6), torch.randint(3, (64,)))
    said = causes(Gated(0.0), batch, nn.CrossEntropyLoss())
    assert not said & {"zero-init", "vanishing-gradients"}


class Attentive(nn.Module):
    """Tokens that look at each other, pooled. The smaller their numbers, the more evenly each looks."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8, bias=False) for _ in range(3))
        self.head = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        share = torch.softmax(self.query(x) @ self.key(x).transpose(1, 2), -1)
        made: Tensor = self.head((share @ self.value(x)).mean(1))
        return made


def test_queries_of_an_even_attention_stand_beside_values_that_learn() -> None:
    torch.manual_seed(0)
    tokens, kinds = 0.005 * torch.randn(32, 5, 8), torch.randint(3, (32,))
    net = Attentive()
    query, value = torch.autograd.grad(
        nn.functional.cross_entropy(net(tokens), kinds), [net.query.weight, net.value.weight]
    )
    assert query.norm() < 1e-4 * value.norm()
    assert "vanishing-gradients" not in causes(net, (tokens, kinds), nn.CrossEntropyLoss())


def test_layers_at_zero_behind_nothing_that_opens_are_not() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 3))
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
    assert "zero-init" in causes(net, (torch.randn(64, 6), torch.randint(3, (64,))), nn.CrossEntropyLoss())


def test_rows_that_share_one_of_their_inputs_are_not_the_same_rows() -> None:
    torch.manual_seed(0)
    about = torch.randn(20, 6)  # what is known of each item stands in many rows
    pairs = torch.randperm(50 * 20)
    users, items = pairs // 20, pairs % 20
    rows = list(zip(about[items], users, torch.rand(1000), strict=True))

    class Rates(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.taste, self.body = nn.Embedding(50, 6), nn.Linear(6, 1)

        def forward(self, about: Tensor, user: Tensor) -> Tensor:
            made: Tensor = self.body(about * self.taste(user)).squeeze(1)
            return made

    def step(model: nn.Module, batch: Any) -> Tensor:
        return nn.functional.mse_loss(model(batch[0], batch[1]), batch[2])

    def said(train: Any, val: Any) -> set[str]:
        loaders = [torch.utils.data.DataLoader(part, batch_size=100) for part in (train, val)]
        batch = next(iter(loaders[0]))
        report = sleuth.probe(
            Rates(), batch, step=step, loader=loaders[0], val_loader=loaders[1], memorise=False
        )
        return {finding.cause for finding in report.findings if finding.severity != "note"}

    assert "split-overlap" not in said(rows[:800], rows[800:])
    assert "split-overlap" in said(rows[:800], rows[600:])


class Rate(nn.Module):
    """Counts over a time that is known: the log of the time is added to the log of the rate."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        made: Tensor = self.body(x).squeeze(1) + time.log()
        return made


def test_a_time_is_never_zero_and_an_input_may_be() -> None:
    torch.manual_seed(0)
    loss = nn.PoissonNLLLoss()

    def step(model: nn.Module, batch: Any) -> Tensor:
        made: Tensor = loss(model(batch[0], batch[1]), batch[2])
        return made

    def said(time: Tensor) -> set[str]:
        batch = (torch.randn(64, 4), time, torch.poisson(torch.ones(64)))
        report = sleuth.probe(Rate(), batch, step=step, memorise=False)
        return {finding.cause for finding in report.findings if finding.severity != "note"}

    assert "unsafe-log-div" not in said(torch.rand(64) + 0.05)
    assert "unsafe-log-div" in said(torch.cat([torch.rand(63), torch.zeros(1)]))


class Messages(nn.Module):
    """Each node gathers from its neighbours, whose places it keeps to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.others, self.head = nn.Linear(6, 16), nn.Linear(6, 16), nn.Linear(16, 3)
        self.ends = [torch.randint(40, (200,)), torch.randint(40, (200,))]

    def forward(self, x: Tensor) -> Tensor:
        came = torch.zeros_like(x).index_add_(0, self.ends[0], x[self.ends[1]])
        made: Tensor = self.head(torch.relu(self.own(x) + self.others(came)))
        return made


def test_messages_between_the_nodes_of_a_graph_are_no_mixing() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(40, 6), torch.randint(3, (40,)))
    assert "batch-mixing" not in causes(Messages(), batch, nn.CrossEntropyLoss())


class Follower(nn.Module):
    """A network and the copy that follows it, frozen, in one model; the loss compares their answers."""

    def __init__(self, apart: bool) -> None:
        super().__init__()
        self.online = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.apart = apart

    def forward(self, x: Tensor) -> Tensor:
        ours = self.online(x)
        if self.apart:
            with torch.no_grad():
                theirs = self.target(x + 0.1 * torch.randn_like(x))
            distance: Tensor = ours - theirs
            return distance
        made: Tensor = self.target(torch.cat([ours, x[:, :2]], 1))
        return made


def test_a_frozen_copy_that_answers_without_gradient_is_a_teacher_and_a_frozen_head_is_not() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(32, 6), torch.randn(32, 4))
    for apart in (True, False):
        told = "frozen-params" in causes(Follower(apart), batch, nn.functional.mse_loss)
        assert told is not apart


class TimeFirst(nn.Module):
    """Answers (time, batch, kinds) and hands them out as (batch, time, kinds), by size alone."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.head = nn.GRU(3, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.layer(x.transpose(0, 1))
        scores: Tensor = self.head(states)
        scores = scores * 1.0
        return scores.reshape(x.shape[0], x.shape[1], -1)


def test_the_reshape_that_takes_an_axis_for_another_is_pointed_at() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(12, 5, 3), torch.randint(4, (12, 5)))
    report = sleuth.probe(
        TimeFirst(), batch, lambda out, y: nn.functional.cross_entropy(out.flatten(0, 1), y.flatten())
    )
    (finding,) = [one for one in report.findings if one.cause == "batch-mixing"]
    assert finding.where is not None
    first = TimeFirst.forward.__code__.co_firstlineno
    assert finding.where.line == first + 4


class Weighed(nn.Module):
    """Takes rows, a number for each, and a table of which rows are neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x: Tensor, weight: Tensor, neighbours: Tensor) -> Tensor:
        made: Tensor = neighbours @ self.layer(x) * weight
        return made


def test_a_number_for_each_row_and_a_table_of_neighbours_may_be_nearly_constant() -> None:
    torch.manual_seed(0)
    x, table, y = torch.randn(200, 6), torch.eye(200) * 0.7, torch.randint(4, (200,))
    table[torch.arange(100), torch.arange(100) + 1] = 0.3
    told = causes(Weighed(), ((x, torch.full((200, 1), 0.1), table), y), nn.functional.cross_entropy)
    assert not told & {"inputs-constant", "input-destroyed"}
    flat = causes(nn.Linear(6, 4), (torch.full((200, 6), 0.1), y), nn.functional.cross_entropy)
    assert "inputs-constant" in flat


def _mirrored(model: nn.Module, batch: Any) -> Tensor:
    """A picture and its mirror image are to be answered alike."""
    return nn.functional.mse_loss(model(batch[0].flip(-1)), -model(batch[0]))


def test_two_answers_of_one_network_may_both_learn_beside_another_goal() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(64, 6), torch.randn(64, 1))
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))

    def together(model: nn.Module, batch: Any) -> Tensor:
        return nn.functional.mse_loss(model(batch[0]), batch[1]) + 2.0 * _mirrored(model, batch)

    def decayed(model: nn.Module, batch: Any) -> Tensor:
        return _mirrored(model, batch) + 1e-3 * sum(p.pow(2).sum() for p in model.parameters())

    def rewarded(model: nn.Module, batch: Any) -> Tensor:
        target = batch[1] + 0.9 * model(batch[0].flip(-1))
        said = model(batch[0])
        return nn.functional.mse_loss(said, target) + nn.functional.mse_loss(said, batch[1])

    assert not causes(net, batch, step=together) & {"missing-detach", "init-loss-off"}
    for step in (_mirrored, decayed, rewarded):  # alone, beside a penalty on weights, a bootstrapped target
        assert "missing-detach" in causes(net, batch, step=step), step.__name__


def test_a_teacher_that_learns_is_no_second_answer() -> None:
    torch.manual_seed(0)
    batch = (torch.randn(64, 6), torch.randn(64, 1))
    pair = nn.ModuleDict({"student": nn.Linear(6, 1), "teacher": nn.Linear(6, 1)})

    def step(model: Any, batch: Any) -> Tensor:
        said = model["student"](batch[0])
        copied = nn.functional.mse_loss(said, model["teacher"](batch[0]))
        return nn.functional.mse_loss(said, batch[1]) + copied

    assert "missing-detach" in causes(pair, batch, step=step)


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.out = nn.Embedding(500, 8), nn.Linear(8, 2)

    def forward(self, tokens: Tensor, there: Tensor) -> Tensor:
        answer: Tensor = self.out((self.words(tokens) * there.unsqueeze(-1)).sum(1))
        return answer


def test_ones_and_zeros_beside_tokens_say_where_there_are_any() -> None:
    torch.manual_seed(0)
    there = (torch.arange(24) < torch.randint(12, 25, (32, 1))).long()
    wanted = torch.randint(2, (32,))

    def step(model: nn.Module, batch: list[Tensor]) -> Tensor:
        return nn.functional.cross_entropy(model(batch[0], batch[1]), batch[2])

    def told(tokens: Tensor) -> set[str]:
        report = sleuth.probe(Reader(), [tokens, there, wanted], step=step, memorise=False)
        return {f.cause for f in report.findings if f.severity != "note"}

    assert "input-destroyed" not in told(torch.randint(2, 500, (32, 24)))
    assert "input-destroyed" in told(torch.full((32, 24), 3).where(torch.rand(32, 24) < 0.9, 4))


class Gaps(nn.Module):
    """Takes missing values apart from the rest before the first weights."""

    def __init__(self, fill: bool) -> None:
        super().__init__()
        self.fill, self.out = fill, nn.Linear(12, 1)

    def forward(self, x: Tensor) -> Tensor:
        known = torch.nan_to_num(x) if self.fill else x
        answer: Tensor = self.out(torch.cat([known, torch.isnan(x).float()], 1))
        return answer


@pytest.mark.parametrize("fill", [True, False])
def test_missing_values_that_the_model_masks_are_worth_a_note(fill: bool) -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 6).masked_fill(torch.rand(64, 6) < 0.2, math.nan)
    report = sleuth.probe(Gaps(fill), (x, torch.randn(64, 1)), nn.functional.mse_loss, memorise=False)
    severities = {f.severity for f in report.findings if f.cause == "nonfinite-input"}
    assert severities == {"note" if fill else "error"}


def _likeness(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Rows of one class draw near to each other: no score for any class."""
    codes = F.normalize(model(batch[0]), dim=1)
    alike = (batch[1][:, None] == batch[1]).float()
    return ((codes @ codes.T / 0.5).log_softmax(1) * alike).sum(1).div(alike.sum(1)).neg().mean()


def test_a_likeness_may_be_judged_by_classes_it_never_met() -> None:
    torch.manual_seed(0)
    labels = torch.arange(600) % 12
    centres = torch.randn(12, 6)
    x = centres[labels] + 0.3 * torch.randn(600, 6)
    known = labels < 8
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))

    def split(step: Any, model: nn.Module) -> list[str]:
        subject = {
            "model": model,
            "batch": (x[known][:64], labels[known][:64]),
            "loader": DataLoader(TensorDataset(x[known], labels[known]), 64, shuffle=True),
            "val_loader": DataLoader(TensorDataset(x[~known], labels[~known]), 64),
            "step": step,
        }
        found = examine(Workbench(**subject, quick=True)).findings
        return [f.cause for f in found if f.severity != "note"]

    assert "unstratified-split" not in split(_likeness, model)
    scores = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 12))
    assert "unstratified-split" in split(lambda m, b: F.cross_entropy(m(b[0]), b[1]), scores)


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
        self.strength, self.grade = nn.Linear(16, 1), nn.Linear(16, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x)
        return self.strength(h)[:, 0], self.grade(h)


def test_a_loud_head_beside_a_quiet_one_is_no_gradient_that_grows() -> None:
    torch.manual_seed(0)
    x, kinds = torch.randn(64, 6), torch.arange(64) % 3

    def step(model: nn.Module, batch: Any) -> Tensor:
        strength, grade = model(batch[0])
        return 1e4 * F.mse_loss(strength, batch[0][:, 0]) + F.cross_entropy(grade, batch[1])

    found = examine(Workbench(model=TwoHeads(), batch=(x, kinds), step=step, quick=True)).findings
    assert "exploding-gradients" not in [f.cause for f in found if f.severity != "note"]
    assert "loss-terms-imbalanced" in [f.cause for f in found]


@pytest.mark.parametrize(
    ("second", "named"),
    [
        (lambda y: 1 - y, True),
        (lambda y: torch.where(torch.rand(128) < 0.1, y, 1 - y), True),
        (lambda y: torch.where(torch.rand(128) < 0.1, 1 - y, y), False),  # one goal, noisily, twice
        (lambda y: y[torch.randperm(128)], False),  # two goals that have nothing to do with each other
    ],
)
def test_two_losses_that_ask_the_opposite_of_one_output(second: Any, named: bool) -> None:
    torch.manual_seed(0)
    x = torch.randn(128, 6)
    y = (x[:, 0] > 0).float()
    other = second(y)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1), nn.Flatten(0))

    def step(model: nn.Module, batch: Any) -> Tensor:
        score = model(batch[0])
        clicked = F.binary_cross_entropy_with_logits(score, batch[1])
        return clicked + F.binary_cross_entropy_with_logits(score, batch[2])

    found = examine(Workbench(model=model, batch=(x, y, other), step=step, quick=True)).findings
    assert ("loss-terms-conflict" in [f.cause for f in found if f.severity != "note"]) is named


def test_what_a_loss_is_told_to_ignore_is_not_silent() -> None:
    """A masked language model judges one token in ten."""
    torch.manual_seed(0)
    tokens = torch.randint(0, 12, (16, 20))
    labels = torch.where(torch.rand(16, 20) < 0.08, tokens, -100)
    model = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 12))

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())

    found = examine(Workbench(model=model, batch=(tokens, labels), step=step, quick=True)).findings
    assert "loss-saturated" not in [f.cause for f in found if f.severity != "note"]
