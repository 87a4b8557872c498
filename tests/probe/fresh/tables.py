# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Sequences and tables."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

from tests.probe.fresh.shared import Flat, Made, adam, answer, table


class Tagger(nn.Module):
    def __init__(self, batch_first: bool = True) -> None:
        super().__init__()
        self.embed = nn.Embedding(30, 16)
        self.rnn = nn.LSTM(16, 24, batch_first=batch_first, bidirectional=True)
        self.head = nn.Linear(48, 5)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.rnn(self.embed(ids))[0])


def tagged(model: nn.Module, batch: Any) -> Tensor:
    return F.cross_entropy(model(batch[0]).transpose(1, 2), batch[1])


def sentences() -> tuple[Tensor, Tensor]:
    ids = torch.randint(30, (10, 14))
    return ids, ids % 5


@answer()
def bidirectional_tagger() -> Made:
    model = Tagger()
    return {"model": model, "batch": sentences(), "step": tagged, "optimizer": adam(model)}


@answer("batch-mixing")
def tagger_without_batch_first() -> Made:
    model = Tagger(batch_first=False)
    return {"model": model, "batch": sentences(), "step": tagged, "optimizer": adam(model)}


@answer()
def gru_forecast() -> Made:
    class Forecast(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn, self.head = nn.GRU(2, 16, batch_first=True), nn.Linear(16, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.rnn(x)[0][:, -1])

    model = Forecast()
    x = torch.randn(24, 30, 2).cumsum(1) / 5
    batch = (x, x[:, -3:, :1].mean(1) + 0.1 * torch.randn(24, 1))
    return {"model": model, "batch": batch, "loss_fn": nn.HuberLoss(), "optimizer": adam(model)}


@answer("state-not-carried")
def cell_called_without_state() -> Made:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.head = nn.GRUCell(3, 16), nn.Linear(16, 1)

        def forward(self, x: Tensor) -> Tensor:
            for t in range(x.shape[1]):
                h = self.cell(x[:, t])
            return self.head(h)

    model = Counter()
    x = torch.randn(20, 9, 3)
    return {"model": model, "batch": (x, x.sum((1, 2))[:, None] / 5), "loss_fn": nn.MSELoss(),
            "optimizer": adam(model)}  # fmt: skip


@answer()
def tabular_regression() -> Made:
    model = Flat(True)
    return {"model": model, "batch": table(), "loss_fn": nn.SmoothL1Loss(), "optimizer": adam(model)}


@answer("loss-broadcast")
def hand_written_mae_broadcasts() -> Made:
    model = Flat(False)
    return {"model": model, "batch": table(), "loss_fn": lambda p, t: (p - t).abs().mean(),
            "optimizer": adam(model)}  # fmt: skip


@answer()
def pairwise_ranking_broadcasts_on_purpose() -> Made:
    model = Flat(True)

    def loss(score: Tensor, target: Tensor) -> Tensor:
        gap = score[:, None] - score[None, :]
        better = (target[:, None] > target[None, :]).float()
        return (better * F.softplus(-gap)).sum() / better.sum().clamp(min=1)

    return {"model": model, "batch": table(), "loss_fn": loss, "optimizer": adam(model)}


@answer("target-leakage")
def table_with_the_answer_in_it() -> Made:
    x, y = table(200)
    x[:, 7] = 3 * y + 0.001 * torch.randn(200)
    model = Flat(True)
    return {"model": model, "batch": (x, y), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer("inputs-constant")
def embedding_of_one_category() -> Made:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.body = (
                nn.Embedding(7, 4),
                nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 2)),
            )

        def forward(self, kind: Tensor, numbers: Tensor) -> Tensor:
            return self.body(torch.cat([self.embed(kind), numbers], 1))

    model = Mixed()
    batch = (torch.randint(7, (32,)), torch.full((32, 5), 0.25), torch.randint(2, (32,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": adam(model)}


@answer()
def binary_with_rare_positives_weighted() -> Made:
    model = Flat(True)
    x, y = table(256)
    y = (y > 2.5).float()
    return {"model": model, "batch": (x, y), "loss_fn": nn.BCEWithLogitsLoss(pos_weight=torch.tensor(15.0)),
            "optimizer": adam(model)}  # fmt: skip


@answer("class-imbalance")
def binary_with_rare_positives() -> Made:
    model = Flat(True)
    x, y = table(2000)
    y = (y > 3.6).float()
    loader = DataLoader(TensorDataset(x, y), batch_size=128, shuffle=True)
    return {"model": model, "loader": loader, "batch": (x[:128], y[:128]), "loss_fn": nn.BCEWithLogitsLoss(),
            "optimizer": adam(model)}  # fmt: skip


@answer("output-activation")
def regression_through_relu() -> Made:
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1), nn.ReLU(), nn.Flatten(0))
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}


@answer()
def counts_by_poisson() -> Made:
    model = Flat(True)
    x, y = table()
    return {"model": model, "batch": (x, torch.poisson((0.4 * y).exp().clamp(max=20))),
            "loss_fn": nn.PoissonNLLLoss(), "optimizer": adam(model)}  # fmt: skip


@answer("unregistered-modules")
def blocks_in_a_dict() -> Made:
    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.experts = {name: nn.Linear(10, 16) for name in ("a", "b")}
            self.gate, self.head = nn.Linear(10, 2), nn.Linear(16, 1)

        def forward(self, x: Tensor) -> Tensor:
            weight = self.gate(x).softmax(-1)
            parts = torch.stack([F.relu(expert(x)) for expert in self.experts.values()], 1)
            return self.head((weight[..., None] * parts).sum(1)).squeeze(1)

    model = Experts()
    return {"model": model, "batch": table(), "loss_fn": nn.MSELoss(), "optimizer": adam(model)}
