"""The forms in which people write models, batches and losses; and the mistakes they make with them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

import sleuth
from sleuth.errors import SleuthError
from sleuth.report import Measured
from tests.probe.cases import classify, mlp, seeded

torch.set_num_threads(1)
X, Y = seeded()


class TwoInputs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(6, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        out: Tensor = self.out(torch.relu(self.a(first) + self.b(second)))
        return out


class LikeTransformers(nn.Module):
    """Called with names, gives back an object that carries the loss."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp()

    def forward(self, inputs: Tensor, labels: Tensor) -> Any:
        logits = self.net(inputs)
        return SimpleNamespace(loss=F.cross_entropy(logits, labels), logits=logits)


class LikeLightning(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.net(x)
        return out

    def training_step(self, batch: Any, index: int) -> dict[str, Tensor]:
        return {"loss": F.cross_entropy(self(batch[0]), batch[1])}


def by_step(model: nn.Module, batch: Any) -> Tensor:
    return F.cross_entropy(model(batch["x"]), batch["y"])


FORMS: dict[str, dict[str, Any]] = {
    "loss function": classify(),
    "two inputs": {"model": TwoInputs(), "batch": (X, X.flip(1), Y), "loss_fn": F.cross_entropy},
    "dict and names": {
        "model": TwoInputs(),
        "batch": {"first": X, "second": X.flip(1), "labels": Y},
        "loss_fn": F.cross_entropy,
    },
    "step as loss": {"model": mlp(), "batch": {"x": X, "y": Y}, "loss_fn": by_step},
    "step by name": {"model": mlp(), "batch": {"x": X, "y": Y}, "step": by_step},
    "own loss": {"model": LikeTransformers(), "batch": {"inputs": X, "labels": Y}},
    "training step": {"model": LikeLightning(), "batch": (X, Y)},
    "tuple with extras": {
        "model": mlp(),
        "batch": (X, Y),
        "step": lambda m, b: (F.cross_entropy(m(b[0]), b[1]), "more"),
    },
    "double": {"model": mlp().double(), "batch": (X.double(), Y), "loss_fn": nn.CrossEntropyLoss()},
    "loader only": {"model": mlp(), "loader": [(X, Y)], "loss_fn": nn.CrossEntropyLoss()},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_understood(form: str) -> None:
    report = sleuth.probe(**FORMS[form], memorise=False)
    assert report.verdict.status == "nothing-found", report.verdict
    done = [entry for entry in report.examined if entry.done]
    assert len(done) >= 35


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no module": ({"model": 5, "batch": (X, Y), "loss_fn": F.cross_entropy}, "expected a torch.nn.Module"),
    "no tensors": ({"model": mlp(), "batch": ("a", 1), "loss_fn": F.cross_entropy}, "without tensors"),
    "empty batch": ({"model": mlp(), "batch": (X[:0], Y[:0]), "loss_fn": F.cross_entropy}, "batch is empty"),
    "empty loader": (
        {"model": mlp(), "batch": (X, Y), "loss_fn": F.cross_entropy, "loader": []},
        "length is 0",
    ),
    "no batch": ({"model": mlp(), "loss_fn": F.cross_entropy}, "needs a batch"),
    "no optimizer": ({**classify(), "optimizer": 0.1}, "expected a torch optimizer"),
    "no loss": ({"model": mlp(), "batch": (X, Y), "loss_fn": 3}, "expected loss_fn"),
    "device": ({"model": mlp().to("meta"), "batch": (X, Y), "loss_fn": F.cross_entropy}, "model is on meta"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_wrong_request_gets_one_sentence(name: str) -> None:
    made, words = BAD[name]
    with pytest.raises(SleuthError, match=words) as caught:
        sleuth.probe(**made)
    assert "\n" not in str(caught.value)


class Raising(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        raise ValueError("no such thing")


CRASHES: dict[str, tuple[dict[str, Any], str]] = {
    "forward raises": ({"model": Raising(), "batch": (X, Y), "loss_fn": F.cross_entropy}, "no such thing"),
    "loss not a scalar": (
        {"model": mlp(), "batch": (X, Y), "loss_fn": nn.CrossEntropyLoss(reduction="none")},
        "The loss has shape",
    ),
    "loss not a tensor": (
        {"model": mlp(), "batch": (X, Y), "loss_fn": lambda a, b: 1.0},
        "The loss is a float",
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_what_cannot_be_run_is_said_and_the_rest_examined(name: str) -> None:
    made, words = CRASHES[name]
    report = sleuth.probe(**made)
    assert report.verdict.status == "crashed"
    assert words in report.verdict.summary
    done = {entry.cause for entry in report.examined if entry.done}
    assert {"nonfinite-input", "inputs-constant"} <= done
    assert report.report.measured["data"]["examples"] == 64


def test_a_model_without_parameters_and_integer_inputs_are_no_obstacle() -> None:
    bare = nn.Flatten()
    report = sleuth.probe(bare, (X[:, :3], Y), nn.CrossEntropyLoss())
    reasons = {entry.cause: entry.reason for entry in report.examined}
    assert reasons["structural-ceiling"] == "the model has no trainable parameter"
    tokens = torch.randint(9, (16, 4))
    model = nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(16, 3))
    assert sleuth.probe(model, (tokens, torch.arange(16) % 3), nn.CrossEntropyLoss(), memorise=False)


def test_what_does_not_apply_says_why() -> None:
    report = sleuth.probe(**classify(), memorise=False)
    reasons = {entry.cause: entry.reason for entry in report.examined if not entry.done}
    assert reasons["params-not-in-optimizer"] == "no optimizer given"
    assert reasons["split-overlap"] == "no validation loader given"
    assert all(reasons.values())


def test_a_batch_that_cannot_be_described_is_said_and_not_a_crash() -> None:
    graph = torch.eye(len(X)).to_sparse()

    def step(model: nn.Module, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        x, near, y = batch
        return F.cross_entropy(torch.sparse.mm(near, model(x)), y)

    report = sleuth.probe(mlp(), (X, graph, Y), step=step, quick=True)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert any(isinstance(entry, Measured) and entry.not_examined for entry in report.observations)
