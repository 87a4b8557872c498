"""Evaluation passes, batches, losses and the small doors, on scripts whose answers are known."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.record.entries import (
    Batch,
    Dropout,
    Evaluation,
    Load,
    Loader,
    LossCall,
    Metric,
    Model,
    Overwritten,
    Seed,
    Threshold,
    Warned,
)
from sleuth.watching.printed import read
from tests.watching.recording import watched

CLASSIFIER = """
from torch.utils.data import DataLoader, TensorDataset
x, y = torch.randn(80, 5), torch.randint(3, (80,))
train = DataLoader(TensorDataset(x[:60], y[:60]), batch_size=20, shuffle=True)
test = DataLoader(TensorDataset(x[45:], y[45:]), batch_size=10)
net = nn.Sequential(nn.Linear(5, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
scores = []
for epoch in range(2):
    net.train()
    for bx, by in train:
        optimizer.zero_grad()
        F.cross_entropy(net(bx), by).backward()
        optimizer.step()
    net.eval()
    right = 0
    with torch.no_grad():
        for bx, by in test:
            right += (net(bx).argmax(1) == by).sum().item()
    scores.append(right / 35)
    print(f"epoch {epoch} | test acc {right / 35:.3f}")
"""


def test_an_evaluation_pass_is_told_from_training(tmp_path: Path) -> None:
    seen = watched(tmp_path, CLASSIFIER)
    passes = seen.record.of(Evaluation)
    assert [(item.n, item.calls, item.rows) for item in passes] == [(3, 4, 35), (6, 4, 35)]
    assert [item.correct for item in passes] == pytest.approx(seen.names["scores"])
    assert [item.seen_in_training for item in passes] == pytest.approx([15 / 35] * 2)
    assert {(item.training, item.gradients, item.inside, item.line) for item in passes} == {
        (False, False, False, seen.line("argmax"))
    }
    assert passes[0].fingerprint == passes[1].fingerprint
    assert passes[0].loader == 2


def test_forwards_under_gradients_that_nothing_follows_are_evaluation(tmp_path: Path) -> None:
    source = CLASSIFIER.replace("with torch.no_grad():", "if True:").replace("    net.eval()\n", "")
    passes = watched(tmp_path, source).record.of(Evaluation)
    assert [(item.calls, item.gradients, item.training) for item in passes] == [(4, True, True)] * 2


def test_batches_are_described_with_their_phase(tmp_path: Path) -> None:
    seen = watched(tmp_path, CLASSIFIER)
    batches = seen.record.of(Batch)
    assert {batch.phase for batch in batches} == {"train", "eval"}
    first = batches[0]
    by_role = {value.role: value for value in first.values}
    assert by_role["input"].shape == (20, 5)
    assert sum((by_role["target"].counts or {}).values()) == 20
    assert (seen.record.of(Loader)[0].shuffled, seen.record.of(Loader)[1].shuffled) == (True, False)
    model = seen.record.of(Model)[0]
    assert (model.mode_matters, model.line) == (True, seen.line("nn.Sequential"))
    assert [layer.name for layer in model.layers] == ["0", "1", "2", "3"]


def test_slices_by_hand_are_followed_too(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        x, y = torch.randn(60, 4), torch.randn(60, 1)
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        def score(rows):
            with torch.no_grad():
                return F.mse_loss(net(x[rows]), y[rows]).item()
        for epoch in range(2):
            for rows in torch.randperm(40).split(10):
                optimizer.zero_grad()
                F.mse_loss(net(x[rows]), y[rows]).backward()
                optimizer.step()
            a = score(torch.arange(40, 60))
            b = score(torch.arange(0, 40))
        """,
    )
    passes = seen.record.of(Evaluation)
    assert [(item.rows, item.seen_in_training) for item in passes] == [(20, 0.0), (40, 1.0)] * 2
    assert passes[-1].loss == pytest.approx(seen.names["b"])
    assert passes[-1].loss_function == "mse_loss"


def test_a_teacher_belongs_to_the_step(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        teacher, student = nn.Linear(4, 3).eval(), nn.Linear(4, 3)
        optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
        for _ in range(4):
            x = torch.randn(8, 4)
            with torch.no_grad():
                wanted = teacher(x)
            optimizer.zero_grad()
            F.mse_loss(student(x), wanted).backward()
            optimizer.step()
        """,
    )
    assert {(item.inside, item.trained) for item in seen.record.of(Evaluation)} == {(True, False)}


def test_probabilities_into_a_loss_are_seen(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        y = torch.tensor([0, 1, 2, -100])
        for f in (lambda z: z, lambda z: z.softmax(1), lambda z: z.log_softmax(1)):
            F.cross_entropy(f(net(torch.randn(4, 4))), y, weight=torch.ones(3)).backward()
            optimizer.step()
        """,
    )
    calls = seen.record.of(LossCall)
    assert [(call.probabilities, call.log_probabilities) for call in calls] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert {(call.ignored, call.weighted, call.classes, call.phase) for call in calls} == {
        (0.25, True, 3, "train")
    }
    assert calls[1].input_made_by == "SoftmaxBackward0"


def test_the_spread_of_the_targets_is_that_of_their_columns(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        net = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        y = torch.randn(16, 2) + torch.tensor([0.0, 50.0])  # two columns apart spread no more for that
        F.mse_loss(net(torch.randn(16, 4)), y).backward()
        optimizer.step()
        by_hand = float(((y - y.mean(0)) ** 2).sum() / 15 / 2)
        """,
    )
    (call,) = seen.record.of(LossCall)
    assert call.target_variance == pytest.approx(seen.names["by_hand"], rel=1e-4)


@pytest.mark.parametrize(
    ("fill", "lines"),
    [
        (
            "np.copyto(buffer, draw()); return torch.from_numpy(buffer)",
            1,
        ),  # the second call fills the first's
        ("np.copyto(buffer, draw()); return torch.from_numpy(buffer.copy())", 0),
        ("return torch.from_numpy(draw())", 0),
    ],
)
def test_inputs_filled_anew_before_the_backward_pass_are_seen(tmp_path: Path, fill: str, lines: int) -> None:
    seen = watched(
        tmp_path,
        f"""
        import numpy as np
        rng, buffer = np.random.default_rng(0), np.empty((8, 4), dtype=np.float32)
        def draw():
            return rng.standard_normal((8, 4)).astype(np.float32)
        def rows():
            {fill}
        net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(4):
            first = net(rows())
            second = net(rows())
            optimizer.zero_grad()
            F.softplus(second - first).mean().backward()
            optimizer.step()
        """,
    )
    assert len({item.line for item in seen.record.of(Overwritten)}) == lines


def test_the_nodes_of_a_graph_are_not_its_examples(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        class Links(nn.Module):
            def __init__(self):
                super().__init__()
                self.code = nn.Linear(4, 3)
            def forward(self, nodes, pairs):
                z = self.code(nodes)
                return (z[pairs[0]] * z[pairs[1]]).sum(-1)
        net, nodes = Links(), torch.randn(30, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            F.softplus(-net(nodes, torch.randint(30, (2, 50)))).mean().backward()
            optimizer.step()
        with torch.no_grad():
            net(nodes, torch.randint(30, (2, 20)))
        """,
    )
    assert [item.seen_in_training for item in seen.record.of(Evaluation)] == [None]


def test_small_doors(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        import warnings
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.f = nn.Linear(4, 1)
            def forward(self, x):
                return F.dropout(self.f(x), 0.4).squeeze(1)
        net = Net().eval()
        with torch.no_grad():
            good = (net(torch.randn(6, 4)) > 0.5).float().mean()
        warnings.warn("look out")
        F.mse_loss(torch.zeros(3, 1), torch.zeros(3))
        """,
    )
    record = seen.record
    (dropout,) = record.of(Dropout)
    assert (dropout.line, dropout.p, dropout.active, dropout.module_training) == (
        seen.line("F.dropout"),
        0.4,
        True,
        False,
    )
    (threshold,) = record.of(Threshold)
    assert (threshold.against, threshold.raw_output) == (0.5, True)
    assert [(item.text[:8], item.line) for item in record.of(Warned)] == [
        ("look out", seen.line("look out")),
        ("Using a ", seen.line("F.mse_loss")),
    ]
    assert (record.of(Seed)[0].what, record.of(Seed)[0].line) == ("torch", 4)


def test_printed_metrics_carry_their_step_and_line(tmp_path: Path) -> None:
    seen = watched(tmp_path, CLASSIFIER)
    found = [(metric.name, metric.n) for metric in seen.record.of(Metric)]
    assert found == [("epoch", 3), ("test acc", 3), ("epoch", 6), ("test acc", 6)]
    assert {metric.line for metric in seen.record.of(Metric)} == {seen.line("print(")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("epoch   4 | loss 0.1234", [("epoch", 4), ("loss", 0.1234)]),
        ("Test accuracy: 93.4%", [("test accuracy", 93.4)]),
        ("{'eval_loss': 2.5e-3, 'step': 10}", [("eval_loss", 0.0025), ("step", 10)]),
        ("[1/10] train_loss=nan val=-3", [("train_loss", float("nan")), ("val", -3)]),
        ("loss nan acc 0.5", [("loss", float("nan")), ("acc", 0.5)]),
        ("7 nan 0.48", []),
        ("Test set: accuracy 355/360 (98.6%)", [("accuracy", 355 / 360)]),
        ("Accuracy: 9860/10000 (99%)", [("accuracy", 0.986)]),
        ("epoch 3/10 loss 0.5/s", [("epoch", 3), ("loss", 0.5)]),
        ("epoch 3/10, hits 3/0", [("epoch", 3), ("hits", 3)]),
        ("nothing here", []),
        ("saved to model_3.pt", []),
        ("1.0532696e-06", []),
        ("94831219451cb88e 0 1", []),
    ],
)
def test_numbers_with_names_are_read_from_a_line(text: str, found: list[tuple[str, float]]) -> None:
    seen = [*read(text)]
    assert [name for name, _ in seen] == [name for name, _ in found]
    assert [value for _, value in seen] == pytest.approx([value for _, value in found], nan_ok=True)


@given(name=st.sampled_from(["loss", "val_acc", "lr"]), value=st.floats(-1e6, 1e6))
def test_any_number_is_read_back(name: str, value: float) -> None:
    assert [*read(f"{name}: {value:.6g}")] == [(name, float(f"{value:.6g}"))]


@given(st.text(max_size=200))
def test_no_line_breaks_the_reader(text: str) -> None:
    for name, value in read(text):
        assert name
        assert isinstance(value, float)


@pytest.mark.parametrize(("rate", "matters"), [(0.0, False), (0.1, True)])
def test_dropout_of_rate_zero_makes_no_mode(rate: float, matters: bool) -> None:
    from torch import nn

    from sleuth.watching.models import _modal

    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=rate)
    assert any(map(_modal, layer.modules())) is matters
    assert _modal(nn.Dropout2d(rate)) is matters
    assert _modal(nn.LSTM(3, 3, 2, dropout=rate)) is matters
    assert _modal(nn.BatchNorm1d(3))


def test_a_model_that_is_wrapped_anew_at_every_call_is_one_model(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        class Wrapper(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner
            def forward(self, x):
                return self.inner(x)
        net = nn.Linear(3, 1)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(6):
            loss = Wrapper(net)(torch.randn(8, 3)).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
        """,
    )
    assert len(seen.record.of(Model)) == 1


def test_a_model_that_is_made_anew_is_another_model(tmp_path: Path) -> None:
    seen = watched(
        tmp_path,
        """
        for _ in range(4):
            net = nn.Sequential(nn.Linear(3, 1))
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            loss = net(torch.randn(8, 3)).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
        """,
    )
    assert len(seen.record.of(Model)) == 4


TEACHER = """
from copy import deepcopy
x, y = torch.randn(64, 5), torch.randint(3, (64,))
student = nn.Linear(5, 3)
teacher = deepcopy(student).requires_grad_(False)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for step in range(12):
    guess = student(x + 0.1 * torch.randn_like(x))
    with torch.no_grad():
        target = teacher(x)
    optimizer.zero_grad()
    (F.cross_entropy(guess, y) + F.mse_loss(guess, target)).backward()
    optimizer.step()
with torch.no_grad():
    F.cross_entropy(student(x), y)
"""


def test_a_loss_with_a_way_back_is_not_that_of_the_teacher_before_it(tmp_path: Path) -> None:
    passes = watched(tmp_path, TEACHER).record.of(Evaluation)
    of_teacher, of_student = ([one for one in passes if one.model == n] for n in (2, 1))
    assert of_teacher
    assert all(one.loss is None for one in of_teacher)
    assert [one.loss_function for one in of_student] == ["cross_entropy"]


def test_labels_beside_a_picture_drawn_again_are_not_compared_with_it(tmp_path: Path) -> None:
    wide = CLASSIFIER.replace("nn.Linear(16, 3)", "nn.Linear(16, 40)").replace(
        "right += (net(bx).argmax(1) == by).sum().item()", "right += net(bx).std().item()"
    )
    passes = watched(tmp_path, wide).record.of(Evaluation)
    assert passes
    assert all(one.correct is None for one in passes)


AHEAD = """
class Ahead:
    def __init__(self, loader):
        self.loader = loader
    def __iter__(self):
        rows = iter(self.loader)
        held = next(rows)
        for following in rows:
            yield held
            held = following
"""


def test_labels_are_those_of_the_batch_that_was_predicted(tmp_path: Path) -> None:
    ahead = AHEAD + CLASSIFIER.replace("for bx, by in test:", "for bx, by in Ahead(test):")
    assert ahead != AHEAD + CLASSIFIER
    plain, fetched = (watched(tmp_path, text).record.of(Evaluation) for text in (CLASSIFIER, ahead))
    assert plain[-1].correct is not None
    assert fetched[-1].correct == pytest.approx(plain[-1].correct, abs=0.12)


def test_rows_that_stand_twice_in_one_call_are_counted(tmp_path: Path) -> None:
    twice = CLASSIFIER.replace("x[45:], y[45:]", "x[45:65].repeat(2, 1)[:35], y[45:]").replace(
        "batch_size=10", "batch_size=35"
    )
    assert [one.equal_rows for one in watched(tmp_path, CLASSIFIER).record.of(Evaluation)] == [0.0, 0.0]
    passes = watched(tmp_path, twice).record.of(Evaluation)
    assert [one.equal_rows for one in passes] == pytest.approx([15 / 35] * 2)


REWOUND = """
net = nn.ModuleList([nn.Linear(5, 8), nn.Linear(8, 3)])
x, y = torch.randn(64, 5), torch.randint(3, (64,))
start = {k: v.clone() for k, v in net.state_dict().items()}
for turn in range(2):
    net.load_state_dict(start)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(4):
        out = F.linear(F.linear(x, net[0].weight, net[0].bias).relu(), net[1].weight, net[1].bias)
        optimizer.zero_grad()
        F.cross_entropy(out, y).backward()
        optimizer.step()
net[0](x)
"""


def test_training_does_not_overwrite_what_was_loaded(tmp_path: Path) -> None:
    loads = watched(tmp_path, REWOUND).record.of(Load)
    assert [load.overwritten for load in loads] == [False, False]


@pytest.mark.parametrize(
    ("evaluate", "crossed"),
    [
        ("(net(x).sigmoid().round() == y).float().mean()", "=="),
        ("(net(x).sigmoid().round() != y).float().mean()", "!="),
        ("((net(x) - y) ** 2).mean()", "-"),
        ("(net(x).squeeze(1).sigmoid().round() == y).float().mean()", ""),
        ("(net(x).sigmoid().round() == y.unsqueeze(1)).float().mean()", ""),
        ("(net(x).squeeze(1).unsqueeze(1).exp() - y).mean()", ""),  # a difference of all pairs, asked for
        ("(wide(x).argmax(1, keepdim=True) == y.long()).any()", ""),  # from scores of classes: a table
        ("(bag(words, starts).round() == y).float().mean(), net(x)", "=="),  # many words, six answers
    ],
)
def test_predictions_that_meet_every_label_are_recorded(tmp_path: Path, evaluate: str, crossed: str) -> None:
    from sleuth.record.entries import Crossed

    seen = watched(
        tmp_path,
        f"""
        import torch
        net, wide, bag = torch.nn.Linear(4, 1), torch.nn.Linear(4, 3), torch.nn.EmbeddingBag(9, 1)
        x, y = torch.randn(6, 4), torch.rand(6).round()
        words, starts = torch.randint(9, (30,)), torch.arange(0, 30, 5)
        with torch.no_grad():
            {evaluate}
        """,
    )
    found = [(item.operation, item.line) for item in seen.record.of(Crossed)]
    assert found == ([(crossed, seen.line("net(x)"))] if crossed else [])


def test_an_evaluation_whose_loss_adds_up_its_rows(tmp_path: Path) -> None:
    summed = CLASSIFIER.replace(
        "right += (net(bx).argmax(1) == by).sum().item()",
        "right += F.cross_entropy(net(bx), by, reduction='sum').item()",
    )
    assert [seen.loss_summed for seen in watched(tmp_path, summed).record.of(Evaluation)] == [True, True]
    assert not any(seen.loss_summed for seen in watched(tmp_path, CLASSIFIER).record.of(Evaluation))


SAMPLING = """
net = nn.Sequential(nn.Linear(5, 16), nn.Dropout(0.1), nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(60, 5), torch.randint(3, (60,))
for step in range(3):
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
held = torch.randn(20, 5)
with torch.no_grad():
    answers = torch.stack([net(held) for _ in range(8)])
"""


def test_the_same_rows_asked_about_several_times(tmp_path: Path) -> None:
    (sampled,) = watched(tmp_path, SAMPLING).record.of(Evaluation)
    assert (sampled.calls, sampled.again) == (8, 7)
    parts = SAMPLING.replace("[net(held) for _ in range(8)]", "[net(held + k) for k in range(8)]")
    assert [seen.again for seen in watched(tmp_path, parts).record.of(Evaluation)] == [0]


SERVED = """
from torch.utils.data import DataLoader, TensorDataset
maps = torch.randint(3, (40, 1, 6, 6), dtype=torch.uint8)
net = nn.Conv2d(1, 3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for bx, by in DataLoader(TensorDataset(torch.randn(40, 1, 6, 6), maps), batch_size=10):
    optimizer.zero_grad()
    {target}
    F.cross_entropy(net(bx), wanted).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("target", "served"),
    [("wanted = by[:, 0].long()", True), ("wanted = torch.zeros(10, 6, 6, dtype=torch.long)", False)],
)
def test_targets_of_a_loader_are_told_from_those_made_on_the_spot(
    target: str, served: bool, tmp_path: Path
) -> None:
    calls = watched(tmp_path, SERVED.replace("{target}", target)).record.of(LossCall)
    assert {call.target_served for call in calls} == {served}


def test_a_part_that_another_module_made_is_no_input_filled_anew(tmp_path: Path) -> None:
    source = """
    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(6, 6)
        def forward(self, weights, x):
            return weights @ self.lin(x)
    first, second = Mix(), Mix()
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()])
    mixing, x, y = torch.rand(30, 30), torch.randn(30, 6), torch.randint(6, (30,))
    for step in range(4):
        loss = F.cross_entropy(second(mixing, F.relu(first(mixing, x))), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    assert not watched(tmp_path, source).record.of(Overwritten)
