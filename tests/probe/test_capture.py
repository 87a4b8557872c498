"""A step is taken out of a script as it stands, however the script is written."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from sleuth.lab.capture import capture
from sleuth.lab.step_parts import held_out
from sleuth.measure import batches
from sleuth.measure.captured import Captured, Chunks
from sleuth.measure.fits import Fits
from sleuth.probing import bench_of, examine
from tests.probe.scripts import BROKEN, ENGINE, SCRIPTS

# Not to be compared with `.grad`: fresh noise in the step, a gradient that was zeroed, or clipped, since.
DRAWN = {"augmented_and_normalised", "hand_written_weights", "lbfgs"}


def looked_at(folder: Path, text: str, look: Callable[[Captured], Any], phases: int = 1) -> list[Any]:
    torch.set_num_threads(1)
    script = folder / "train.py"
    script.write_text(text)
    (folder / "engine.py").write_text(ENGINE)
    sys.modules.pop("engine", None)
    seen: list[Any] = []
    ending = capture(script, examine=lambda found: seen.append(look(found)), phases=phases)
    assert (ending.steps, ending.error) == (phases, None)
    return seen


def serious(found: Captured) -> list[str]:
    return [f.cause for f in examine(bench_of(found)).findings if f.severity != "note"]


def gap(found: Captured) -> float:
    """Largest difference between the replayed gradients and those the script computed."""
    held = [p for group in found.optimizers[0].param_groups for p in group["params"]]
    with torch.enable_grad():
        slopes = torch.autograd.grad(found.step(found.model, found.batch), held)
    assert all(p.grad is not None for p in held)
    return max(
        float((s - p.grad).abs().max()) for s, p in zip(slopes, held, strict=True) if p.grad is not None
    )


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_a_healthy_script_is_taken_out_whole_and_gets_no_alarm(name: str, tmp_path: Path) -> None:
    phases = 2 if name == "two_optimizers" else 1

    def look(found: Captured) -> tuple[list[str], float]:
        return serious(found), 0.0 if name in DRAWN else gap(found)

    for causes, difference in looked_at(tmp_path, SCRIPTS[name], look, phases):
        assert causes == []
        assert difference < 1e-6


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_script_is_seen_through(name: str, tmp_path: Path) -> None:
    slug, text = BROKEN[name]
    assert looked_at(tmp_path, text, serious) == [[slug]]


@pytest.mark.parametrize("name", ["loader", "accumulation", "dict_batches", "trainer_class"])
def test_the_loader_is_found(name: str, tmp_path: Path) -> None:
    (kind,) = looked_at(tmp_path, SCRIPTS[name], lambda found: type(found.loader).__name__)
    assert kind == "DataLoader"


@pytest.mark.parametrize("name", ["slices", "randint"])
def test_data_held_out_by_hand_is_found(name: str, tmp_path: Path) -> None:
    (sizes,) = looked_at(
        tmp_path,
        SCRIPTS[name],
        lambda found: [len(t) for t in (*found.loader.tensors, *found.val_loader.tensors)],
    )
    assert sizes == [320, 320, 80, 80]


DIVIDES = """
from torch.utils.data import DataLoader, Subset
def loaders(data):
    half = len(data) // 2
    parts = Subset(data, range(half)), Subset(data, range(half, len(data)))
    return DataLoader(parts[0], 16, shuffle=True), DataLoader(parts[1], 16)
"""
FED = """
import torch
from torch import nn
from torch.utils.data import TensorDataset
from {home} import loaders
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
train, rest = loaders(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))))
for x, y in train:
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
"""


@pytest.mark.parametrize(("folder", "held"), [("site-packages", False), ("project", True)])
def test_a_part_that_a_library_split_off_is_not_what_the_user_held_out(
    folder: str, held: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / folder
    home.mkdir()
    name = f"divides_{folder[:4]}"
    (home / f"{name}.py").write_text(DIVIDES)
    monkeypatch.syspath_prepend(home)
    (found,) = looked_at(tmp_path, FED.format(home=name), lambda found: found.val_loader is not None)
    assert found is held


@pytest.mark.parametrize(("name", "parts"), [("_", 1), ("y", 2)])
def test_what_the_script_throws_away_is_no_target(name: str, parts: int, tmp_path: Path) -> None:
    text = f"""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
model = nn.Linear(4, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, {name} in DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), 16):
    loss = (model(x) - x).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
"""
    assert looked_at(tmp_path, text, lambda found: len(found.batch)) == [parts]


def test_held_out_data_must_have_the_form_of_the_training_data() -> None:
    train = Chunks((torch.zeros(30, 4), torch.zeros(30, dtype=torch.long)))
    fitting = {"x_val": torch.zeros(9, 4), "y_val": torch.zeros(9, dtype=torch.long)}
    assert held_out(train, fitting) is not None
    assert held_out(train, {"x_other": fitting["x_val"], "y_other": fitting["y_val"]}) is None
    assert held_out(train, fitting | {"x_val": torch.zeros(9, 5)}) is None
    assert held_out(train, fitting | {"y_val": torch.zeros(8, dtype=torch.long)}) is None
    assert held_out(None, fitting) is None
    loader: DataLoader[Any] = DataLoader(TensorDataset(*train.tensors))
    assert held_out(loader, fitting) is not None


def test_the_loss_before_a_gradient_scaler_is_meant(tmp_path: Path) -> None:
    def look(found: Captured) -> float:
        return float(found.step(found.model, found.batch))

    (loss,) = looked_at(tmp_path, SCRIPTS["autocast_scaler"], look)
    assert loss < 2


def test_a_compiled_model_is_examined_as_the_model_it_was_made_from(tmp_path: Path) -> None:
    (kind,) = looked_at(tmp_path, SCRIPTS["compiled"], lambda found: type(found.model).__name__)
    assert kind == "Sequential"


def test_points_that_want_a_gradient_are_data(tmp_path: Path) -> None:
    (shapes,) = looked_at(
        tmp_path, SCRIPTS["physics"], lambda found: [tuple(t.shape) for _, t in batches.leaves(found.batch)]
    )
    assert shapes == [(40, 1)]


def test_what_goes_wrong_while_examining_is_not_blamed_on_the_script(tmp_path: Path) -> None:
    def look(_: Captured) -> None:
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match="ours"):
        looked_at(tmp_path, SCRIPTS["full_batch"], look)


def test_watching_fits_puts_scikit_learn_back(tmp_path: Path) -> None:
    from sklearn import base, model_selection  # type: ignore[import-untyped]

    script = tmp_path / "train.py"
    script.write_text("import sklearn\n")
    before = base.BaseEstimator._validate_params, model_selection.train_test_split
    with Fits().watched(script):
        assert base.BaseEstimator._validate_params is not before[0]
    assert before == (base.BaseEstimator._validate_params, model_selection.train_test_split)


def test_only_what_is_divided_after_it_was_fitted_counts(tmp_path: Path) -> None:
    import numpy as np
    from sklearn import model_selection
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # type: ignore[import-untyped]

    script = tmp_path / "train.py"
    script.write_text("import sklearn\n")
    rows = np.random.default_rng(0).normal(size=(40, 3))
    fits = Fits()
    with fits.watched(script):
        train, _ = model_selection.train_test_split(rows)
        StandardScaler().fit_transform(train)
        model_selection.train_test_split(OneHotEncoder(sparse_output=False).fit_transform(rows.round()))
        assert fits.found() == ()
        model_selection.train_test_split(StandardScaler().fit(rows).transform(rows).astype(np.float32))
    assert [(fit.kind, fit.rows) for fit in fits.found()] == [("StandardScaler", 40)]


BARE = """
import torch
torch.manual_seed(0)
points = torch.rand(60, 3) - 0.5
truth = torch.tensor([[1.0, 0.2], [0.1, 1.0], [0.3, 0.4]])
pixels = 300 * points @ truth + torch.randn(60, 2)
rows = torch.arange(50)
turn = torch.zeros(3, 2, requires_grad=True)
scale = torch.tensor(5.0, requires_grad=True)
optimizer = torch.optim.Adam([turn, scale], lr=0.05)
for step in range(200):
    distance = scale.exp() * torch.einsum("pi,ij->pj", points[rows], turn) - pixels[rows]
    loss = distance.abs().mean()
    with torch.no_grad():
        gap = (turn - truth).norm()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_tensor_that_is_only_compared_is_a_target_where_no_module_tells(tmp_path: Path) -> None:
    (told,) = looked_at(tmp_path, BARE, serious)
    assert not set(told) & {"inputs-unnormalized", "loss-disconnected"}


BY_METHOD = """
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)

class Linker(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)
        self.offset = nn.Parameter(torch.zeros(()))

    def encode(self, x):
        return self.second(F.dropout(F.elu(self.first(F.dropout(x, 0.2, self.training))), 0.2, FLAG))

    def decode(self, z, pairs):
        return (z[pairs[0]] * z[pairs[1]]).sum(-1) + self.offset

model = Linker()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(60, 8)
for step in range(30):
    model.train()
    pairs = torch.randint(60, (2, 80))
    loss = F.binary_cross_entropy_with_logits(model.decode(model.encode(x), pairs), (pairs[0] > 30).float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_dropout_in_a_method_that_is_not_forward_follows_the_mode(tmp_path: Path) -> None:
    (told,) = looked_at(tmp_path, BY_METHOD.replace("FLAG", "self.training"), serious)
    assert "dropout-ignores-mode" not in told


OWN_BACKWARD = """
import torch
torch.manual_seed(0)

class Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        below = 1 + x.abs()
        ctx.save_for_backward(below)
        return x / below

    @staticmethod
    def backward(ctx, slope):
        return slope / ctx.saved_tensors[0] ** 2

soft = Soft.apply
first = (torch.randn(5, 16) / 2).requires_grad_()
last = (torch.randn(16, 3) / 4).requires_grad_()
x, y = torch.randn(200, 5), torch.randint(3, (200,))
for step in range(30):
    rows = torch.randint(200, (32,))
    scores = soft(x[rows] @ first) @ last
    loss = (scores.logsumexp(1) - scores[torch.arange(32), y[rows]]).mean()
    loss.backward()
    with torch.no_grad():
        for weight in (first, last):
            weight -= 0.1 * weight.grad
            weight.grad = None
"""


def test_a_function_with_a_backward_of_its_own_does_not_cut_the_graph(tmp_path: Path) -> None:
    before = vars(torch.autograd.Function)["apply"]
    (told,) = looked_at(tmp_path, OWN_BACKWARD, serious)
    assert "detached-graph" not in told
    assert vars(torch.autograd.Function)["apply"] is before


COINS = """
import random
import numpy as np
import torch
from torch import nn

class Forced(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(3, 4), nn.Linear(4, 3)

    def forward(self, x, rng, noise):
        h, step, said = x.new_zeros(len(x), 4), x[:, 0], []
        for t in range(x.shape[1]):
            h = self.cell(step, h)
            said.append(self.out(h))
            coins = rng.random() + random.random() + noise.random()
            step = x[:, t] if coins < 1.5 else said[-1]
        return torch.stack(said, 1)

net, rng, noise = Forced(), random.Random(1), np.random.default_rng(2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(6, 9, 3)
    loss = (net(x, rng, noise) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_coins_that_a_step_throws_fall_alike_in_every_replay(tmp_path: Path) -> None:
    def look(found: Captured) -> set[float]:
        return {float(found.step(found.model, found.batch).detach()) for _ in range(6)}

    (values,) = looked_at(tmp_path, COINS, look)
    assert len(values) == 1
