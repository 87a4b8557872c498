"""Steps, gradients, updates and patterns, each against numbers the script works out itself."""

import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.record.entries import End, Evaluation, Holding, Layers, Load, Optimizer, Scheduler, Trouble
from sleuth.watching.state import Event, folded
from tests.watching.recording import bare, watched

LOOP = """
from torch.utils.data import DataLoader, TensorDataset
net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
data = TensorDataset(torch.randn(60, 6), torch.randint(3, (60,)))
losses, norms, weights, updates = [], [], [], []
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=20, shuffle=True):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        norms.append(torch.cat([p.grad.flatten() for p in net.parameters()]).norm().item())
        before = torch.cat([p.detach().flatten().clone() for p in net.parameters()])
        optimizer.step()
        after = torch.cat([p.detach().flatten() for p in net.parameters()])
        weights.append(before.norm().item())
        updates.append((after - before).norm().item())
        losses.append(loss.item())
final = [p.detach().clone() for p in net.parameters()] + [torch.get_rng_state()]
"""


def test_numbers_of_a_step_are_those_the_script_works_out(tmp_path: Path) -> None:
    seen = watched(tmp_path, LOOP)
    steps = seen.record.steps
    assert len(steps) == 9
    assert [step.loss for step in steps] == pytest.approx(seen.names["losses"])
    assert [step.grad_norm for step in steps] == pytest.approx(seen.names["norms"], rel=1e-5)
    assert [step.weight_norm for step in steps] == pytest.approx(seen.names["weights"], rel=1e-5)
    assert [step.update_norm for step in steps] == pytest.approx(seen.names["updates"], rel=1e-4)
    assert [step.called_loss for step in steps] == pytest.approx(seen.names["losses"])
    assert {step.called_factor for step in steps} == {1.0}
    assert {step.left_over for step in steps} == {0.0}
    assert {(step.line, step.loss_line, step.training, step.rows) for step in steps} == {
        (seen.line("optimizer.step()"), seen.line("loss.backward()"), True, 20)
    }


@pytest.mark.parametrize("level", ["default", "full", "deep"])
def test_a_watched_run_computes_bit_for_bit_the_same(tmp_path: Path, level: str) -> None:
    alone, seen = bare(tmp_path, LOOP), watched(tmp_path, LOOP, level).names
    assert alone["losses"] == seen["losses"]
    assert all(a.equal(b) for a, b in zip(alone["final"], seen["final"], strict=True))


def test_layers_add_up_to_the_whole(tmp_path: Path) -> None:
    seen = watched(tmp_path, LOOP)
    for step, layers in zip(seen.record.steps, seen.record.of(Layers), strict=True):
        assert math.hypot(*(norm or 0 for norm in layers.gradients.values())) == pytest.approx(step.grad_norm)
        assert math.hypot(*layers.weights.values()) == pytest.approx(step.weight_norm)
        assert math.hypot(*layers.updates.values()) == pytest.approx(step.update_norm)
        assert set(layers.activations) == {"0", "1", "2", "3", "4"}
        assert layers.activations["2"].zero > 0.1


def events(seen: Any, pattern: int) -> list[str]:
    return [name for name, _, _ in seen.record.patterns[pattern].events]


def test_events_stand_in_order_with_their_lines(tmp_path: Path) -> None:
    seen = watched(tmp_path, LOOP)
    last = seen.record.patterns[seen.record.steps[-1].pattern]
    assert last.events == (
        ("zero_grad", 1, seen.line("zero_grad")),
        ("forward", 1, seen.line("net(x)")),
        ("loss", 0, seen.line("net(x)")),
        ("backward", 0, seen.line("loss.backward")),
        ("step", 1, seen.line("optimizer.step()")),
    )


def test_gradients_left_over_are_measured(tmp_path: Path) -> None:
    seen = watched(tmp_path, LOOP.replace("        optimizer.zero_grad()\n", ""))
    assert [step.left_over for step in seen.record.steps][1:] == pytest.approx(
        seen.names["norms"][:-1], rel=1e-5
    )


def test_accumulation_is_folded_and_its_factor_seen(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            for _ in range(4):
                (F.mse_loss(net(torch.randn(8, 4)), torch.ones(8, 1)) / 4).backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
    )
    step = seen.record.steps[1]
    assert (step.backwards, step.called_factor, step.left_over) == (4, 0.25, 0.0)
    assert step.called_loss == pytest.approx(4 * (step.loss or 0))
    names = events(seen, step.pattern)
    assert names == ["zero_grad", "forward", "loss", "backward", "times", "step"]


def test_two_networks_against_each_other(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        g, d = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
        og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
        ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
        for _ in range(4):
            fake = g(torch.randn(8, 2))
            d.zero_grad()
            loss = F.binary_cross_entropy_with_logits(d(torch.randn(8, 2)), ones)
            loss = loss + F.binary_cross_entropy_with_logits(d(fake.detach()), zeros)
            loss.backward()
            od.step()
            g.zero_grad()
            F.binary_cross_entropy_with_logits(d(fake), ones).backward()
            og.step()
        """,
    )
    record = seen.record
    assert [step.optimizer for step in record.steps[:4]] == [2, 1, 2, 1]
    assert {step.left_over for step in record.steps} == {0.0}
    assert not [item for item in record.items if type(item).__name__ == "Evaluation"]
    assert [sorted(holding.of_models.values()) for holding in record.of(Holding)][:2] == [[4], [2]]


def test_holdings_tell_missing_foreign_and_without_gradient(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b, self.idle = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(2, 2)
            def forward(self, x):
                return self.b(self.a(x))
        net, other = Two(), nn.Linear(7, 7)
        held = [*net.b.parameters(), *net.idle.parameters(), *other.parameters()]
        optimizer = torch.optim.SGD(held, lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.randn(5, 3)).mean().backward()
            optimizer.step()
        """,
    )
    holding = seen.record.of(Holding)[0]
    assert (holding.foreign, holding.missing) == (2, ("a.weight", "a.bias"))
    assert {"idle.weight", "idle.bias"} <= set(holding.without_gradient)
    assert seen.record.of(Optimizer)[0].line == seen.line("torch.optim.SGD")


def test_clipping_is_seen_and_the_norm_before_it(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        norms = []
        for _ in range(4):
            optimizer.zero_grad()
            (100 * net(torch.randn(8, 4))).pow(2).mean().backward()
            norms.append(torch.cat([p.grad.flatten() for p in net.parameters()]).norm().item())
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        """,
    )
    assert [step.grad_norm for step in seen.record.steps] == pytest.approx(seen.names["norms"], rel=1e-5)
    assert [step.grad_norm_at_step for step in seen.record.steps] == pytest.approx([1.0] * 4, rel=1e-4)
    assert {step.clip for step in seen.record.steps} == {1.0}
    layers = seen.record.of(Layers)[0]
    assert math.hypot(*(norm or 0 for norm in layers.gradients.values())) == pytest.approx(
        seen.names["norms"][0], rel=1e-5
    )


def test_a_closure_and_a_schedule(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net, x = nn.Linear(3, 1), torch.randn(20, 3)
        optimizer = torch.optim.LBFGS(net.parameters(), max_iter=3)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
            loss.backward()
            return loss
        for _ in range(4):
            optimizer.step(closure)
            schedule.step()
        """,
    )
    assert [step.lr for step in seen.record.steps] == [1.0, 1.0, 0.5, 0.5]
    assert seen.record.steps[0].backwards >= 2
    (schedule,) = seen.record.of(Scheduler)
    assert (schedule.type, schedule.optimizer, schedule.settings["step_size"]) == ("StepLR", 1, 2)
    assert events(seen, seen.record.steps[1].pattern)[0] == "scheduler"


def test_updates_by_hand_are_steps_of_no_optimizer(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        w = torch.zeros(3, requires_grad=True)
        losses = []
        for _ in range(5):
            loss = ((w - 1) ** 2).sum()
            loss.backward()
            losses.append(loss.item())
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
        """,
    )
    assert [step.loss for step in seen.record.steps] == pytest.approx(seen.names["losses"])
    assert {step.optimizer for step in seen.record.steps} == {0}


ASKED = """
w = torch.zeros(3, requires_grad=True)
losses = []
for _ in range(5):
    loss = ((w - 1) ** 2).sum()
    (slope,) = torch.autograd.grad(loss, [w])
    losses.append(loss.item())
    w = (w - 0.1 * slope).detach().requires_grad_()
"""
TRANSFORMED = """
from torch.func import functional_call, grad, grad_and_value
net = nn.Linear(3, 1)
x, y = torch.randn(20, 3), torch.randn(20, 1)
weights, losses = dict(net.named_parameters()), []

def error(weights, x, y):
    return F.mse_loss(functional_call(net, weights, (x,)), y)

for _ in range(5):
    each = torch.func.vmap(grad(error), in_dims=(None, 0, 0))(weights, x, y)
    slopes, loss = grad_and_value(error)(weights, x, y)
    losses.append(loss.item())
    weights = {name: (w - 0.1 * slopes[name]).detach() for name, w in weights.items()}
"""
ENSEMBLE = """
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
nets = [nn.Linear(3, 1) for _ in range(4)]
weights, _ = stack_module_state(nets)
weights = {name: w.detach() for name, w in weights.items()}
x, y = torch.randn(4, 20, 3), torch.randn(4, 20, 1)
losses = []

def error(weights, x, y):
    return ((functional_call(nets[0], weights, (x,)) - y) ** 2).mean()

for _ in range(6):
    slopes, each = vmap(grad_and_value(error))(weights, x, y)
    losses.append(each.mean().item())
    weights = {name: w - 0.1 * slopes[name] for name, w in weights.items()}
"""


def test_slopes_of_many_at_once_are_steps_from_the_second_on(tmp_path: Path) -> None:
    seen = watched(tmp_path, ENSEMBLE)
    assert [step.loss for step in seen.record.steps] == pytest.approx(seen.names["losses"][1:])
    assert bare(tmp_path, ENSEMBLE)["losses"] == seen.names["losses"]


@pytest.mark.parametrize("script", [ASKED, TRANSFORMED], ids=["autograd.grad", "torch.func"])
def test_slopes_asked_for_are_steps_of_no_optimizer(tmp_path: Path, script: str) -> None:
    seen = watched(tmp_path, script)
    assert [step.loss for step in seen.record.steps] == pytest.approx(seen.names["losses"])
    assert bare(tmp_path, script)["losses"] == seen.names["losses"]


def test_slopes_within_a_loss_are_no_steps(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        x = torch.linspace(0, 1, 16).unsqueeze(1).requires_grad_()
        for _ in range(4):
            y = net(x)
            (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
            (other,) = torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
            (((slope - 1) ** 2).mean() + (y**2).mean()).backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= 0.1 * p.grad
                    p.grad = None
        """,
    )
    assert len(seen.record.steps) == 4


def test_loss_scaling_shows_the_unscaled_loss(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.mse_loss(net(torch.randn(8, 4)).float(), torch.ones(8, 1))
            losses.append(loss.item())
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
        """,
    )
    assert [step.loss for step in seen.record.steps] == pytest.approx(seen.names["losses"])
    assert seen.record.steps[0].scale == 1024.0
    assert "unscale" in events(seen, seen.record.steps[0].pattern)


def test_loading_weights_that_are_written_over(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 1)
        net.load_state_dict({"weight": torch.ones(1, 4), "other": torch.ones(1)}, strict=False)
        if True:
            nn.init.zeros_(net.weight)
        net(torch.ones(2, 4))
        """,
    )
    (load,) = seen.record.of(Load)
    assert (load.matched, load.missing, load.unexpected, load.overwritten) == (1, 1, 1, True)


def test_a_part_that_is_left_behind_was_not_written_over(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        def trained():
            pair = nn.ModuleDict({"body": nn.Linear(4, 4), "rest": nn.Linear(4, 1)})
            pair.load_state_dict({name: part.clone() for name, part in pair.state_dict().items()})
            return pair["body"]
        trained()(torch.ones(2, 4))
        """,
    )
    assert [load.overwritten for load in seen.record.of(Load)] == [False]


def test_a_new_model_that_is_handed_its_own_tensors(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        def started(saved):
            net = nn.Linear(4, 1)
            own = net.state_dict()
            own.update({name: part for name, part in saved.items() if name in own})
            net.load_state_dict(own)
            net(torch.ones(2, 4))
        started({"body.weight": torch.ones(1, 4)})
        started({"weight": torch.ones(1, 4)})
        """,
    )
    assert [load.own for load in seen.record.of(Load)] == [True, False]


def test_a_second_load_is_no_fresh_start(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net, copy = nn.Linear(4, 1), nn.Linear(4, 1)
        for _ in range(3):
            copy.load_state_dict(net.state_dict())
        copy(torch.ones(2, 4))
        """,
    )
    assert [load.overwritten for load in seen.record.of(Load)] == [False] * 3


def test_evaluations_tell_when_weights_were_written_in_between(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Sequential(*(nn.Linear(4, 4) for _ in range(5)))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        first = {key: value.clone() for key, value in net.state_dict().items()}
        net(torch.ones(2, 4)).sum().backward(); opt.step()
        x = torch.randn(8, 4)
        @torch.no_grad()
        def one_row():
            net[1].weight[3] = 1.0
        for change in (int, int, one_row, lambda: net.load_state_dict(first)):
            change()
            net.eval()
            with torch.no_grad():
                net(x)
        """,
    )
    told = [evaluation.weights for evaluation in seen.record.of(Evaluation)]
    assert told[0] == told[1]
    assert len(set(told)) == 3


def test_no_step_at_all_still_shows_what_happened(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(6):
            optimizer.zero_grad()
            net(torch.randn(8, 4)).mean().backward()
        """,
    )
    (end,) = seen.record.of(End)
    assert (end.steps, end.backwards) == (0, 6)
    assert "backward" in events(seen, end.pattern)


def test_when_sleuth_fails_the_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("sleuth.watching.optimizers._measure", broken)
    seen = watched(tmp_path, LOOP)
    assert seen.names["losses"] == bare(tmp_path, LOOP)["losses"]
    assert "ZeroDivisionError: oh" in seen.record.of(Trouble)[0].text
    assert capsys.readouterr().err.count("stopped watching") == 1


def test_doors_that_cannot_be_opened_cost_the_record_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sleuth.watching.comparisons", None)
    monkeypatch.delattr("sleuth.watching.comparisons")
    seen = watched(tmp_path, LOOP)
    assert seen.names["losses"] == bare(tmp_path, LOOP)["losses"]
    assert capsys.readouterr().err.count("stopped watching") == 1


EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1), st.just(3)), max_size=40)


@given(EVENTS)
def test_folding_loses_nothing(given_events: list[Event]) -> None:
    assert can_be_read(folded(given_events), given_events)


def can_be_read(events: tuple[Event, ...], original: list[Event], read: int = 0) -> bool:
    """The slow twin: whether one of all ways to read a fold gives the original; so much of it was read."""
    if not events:
        return read == len(original)
    if events[0][0] != "times":
        return original[read : read + 1] == [events[0]] and can_be_read(events[1:], original, read + 1)
    times = events[0][1]
    return any(
        original[read - size : read + size * (times - 1)] == original[read - size : read] * times
        and can_be_read(events[1:], original, read + size * (times - 1))
        for size in range(1, min(12, read) + 1)
    )


def test_rows_are_told_apart_by_all_they_hold(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        class Rates(nn.Module):
            def __init__(self):
                super().__init__()
                self.taste, self.body = nn.Embedding(50, 6), nn.Linear(6, 1)
            def forward(self, about, user):
                return self.body(about * self.taste(user)).squeeze(1)

        model, about = Rates(), torch.randn(4, 6)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        item = torch.arange(40) % 4
        for turn in range(3):
            optimizer.zero_grad()
            model(about[item], torch.arange(40)).pow(2).mean().backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            model(about[item], torch.arange(32, 72).clamp(max=49))
        """,
    )
    (look,) = seen.record.of(Evaluation)
    # All items were seen in training, and eight of the forty with the same users.
    assert look.seen_in_training == pytest.approx(0.2)
