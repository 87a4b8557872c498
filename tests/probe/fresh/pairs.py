# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Pairs, and several tasks at once."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.shared import Made, adam, answer, table


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))

    def forward(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return F.normalize(self.body(a), dim=1), F.normalize(self.body(b), dim=1)


def views() -> tuple[Tensor, Tensor]:
    a = torch.randn(24, 12)
    return a, a + 0.2 * torch.randn(24, 12)


def contrast(model: nn.Module, batch: Any) -> Tensor:
    a, b = model(*batch)
    score = a @ b.T / 0.1
    truth = torch.arange(len(score))
    return (F.cross_entropy(score, truth) + F.cross_entropy(score.T, truth)) / 2


@answer()
def clip_style() -> Made:
    model = Tower()
    return {"model": model, "batch": views(), "step": contrast, "optimizer": adam(model)}


@answer()
def triplet() -> Made:
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))

    def step(model: nn.Module, batch: Any) -> Tensor:
        return F.triplet_margin_loss(*(model(part) for part in batch))

    a, b = views()
    return {"model": model, "batch": (a, b, torch.randn(24, 12)), "step": step, "optimizer": adam(model)}


@answer("nonfinite-gradient", "unsafe-log-div")
def siamese_distance_of_equal_pairs() -> Made:
    model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))

    def step(model: nn.Module, batch: Any) -> Tensor:
        a, b, same = batch
        distance = ((model(a) - model(b)) ** 2).sum(1).sqrt()
        return (same * distance**2 + (1 - same) * F.relu(1 - distance) ** 2).mean()

    a, b = views()
    b[3] = a[3]
    same = (torch.arange(24) % 2).float()
    return {"model": model, "batch": (a, b, same), "step": step, "optimizer": adam(model)}


@answer()
def byol_with_stopped_target() -> Made:
    class Byol(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.online, self.predict = (
                nn.Linear(12, 8),
                nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)),
            )
            self.target = nn.Linear(12, 8).requires_grad_(False)

        def forward(self, a: Tensor, b: Tensor) -> Tensor:
            with torch.no_grad():
                wanted = F.normalize(self.target(b), dim=1)
            return 2 - 2 * (F.normalize(self.predict(self.online(a)), dim=1) * wanted).sum(1).mean()

    model = Byol()
    held = [p for p in model.parameters() if p.requires_grad]
    return {"model": model, "batch": views(), "step": lambda m, b: m(*b), "optimizer": torch.optim.Adam(held)}


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
        self.kind, self.size = nn.Linear(32, 4), nn.Linear(32, 1)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        h = self.body(x)
        return {"kind": self.kind(h), "size": self.size(h).squeeze(1)}


def two_tasks(scale: float = 1.0, cut: bool = False) -> Made:
    model = Heads()
    x, y = table()

    def step(model: nn.Module, batch: Any) -> Tensor:
        out = model(batch["x"])
        size = F.mse_loss(out["size"], batch["size"])
        return F.cross_entropy(out["kind"], batch["kind"]) + (size.item() if cut else size)

    batch = {"x": x, "kind": torch.randint(4, (64,)), "size": y * scale}
    return {"model": model, "batch": batch, "step": step, "optimizer": adam(model)}


@answer()
def two_heads() -> Made:
    return two_tasks()


@answer("loss-terms-imbalanced")
def two_heads_in_dollars_and_classes() -> Made:
    return two_tasks(scale=3e4)


@answer("loss-disconnected")
def two_heads_one_by_item() -> Made:
    return two_tasks(cut=True)


@answer("params-not-in-optimizer")
def head_added_after_the_optimizer() -> Made:
    made = two_tasks()
    model = made["model"]
    held = [*model.body.parameters(), *model.kind.parameters()]
    return made | {"optimizer": torch.optim.Adam(held)}
