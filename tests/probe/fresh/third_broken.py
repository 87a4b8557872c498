# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""A third set, judged once before anything was changed because of it: the broken ones."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.second_shared import classes, made, mlp
from tests.probe.fresh.shared import Made, answer, table
from tests.probe.fresh.third_healthy import (
    Lit,
    Masked,
    Said,
    Unet,
    streets,
    translation,
)


@answer("loss-broadcast")
def quantiles_of_a_flat_target() -> Made:
    def one(predicted: Tensor, target: Tensor) -> Tensor:
        gap = target - predicted
        return torch.maximum(0.5 * gap, -0.5 * gap).mean()

    x, y = table(64)
    return made(mlp(10, 32, 1), (x, y), one)


@answer("double-softmax")
def critic_with_two_sigmoids() -> Made:
    critic = mlp(8, 32, 1, tail=[nn.Sigmoid()])
    maker = mlp(4, 32, 8)

    def step(critic: nn.Module, real: Tensor) -> Tensor:
        with torch.no_grad():
            fake = maker(torch.randn(len(real), 4))
        said, made_up = critic(real), critic(fake)
        yes, no = torch.ones_like(said), torch.zeros_like(made_up)
        return F.binary_cross_entropy_with_logits(said, yes) + F.binary_cross_entropy_with_logits(made_up, no)

    return made(critic, torch.randn(64, 8) + 2, step=step)


@answer("double-softmax")
def streets_with_softmax() -> Made:
    model = nn.Sequential(Unet(), nn.Softmax(dim=1))
    return made(model, streets(), nn.CrossEntropyLoss(ignore_index=255))


@answer("labels-out-of-range")
def streets_with_a_border_that_counts() -> Made:
    return made(Unet(), streets(), nn.CrossEntropyLoss())


@answer("causal-leak")
def translation_without_a_mask() -> Made:
    return translation(False)


@answer("loss-disconnected", "detached-graph")
def lightning_module_that_returns_a_number() -> Made:
    class Loose(Lit):
        def training_step(self, batch: Any, batch_idx: int) -> dict[str, Tensor]:
            loss = super().training_step(batch, batch_idx)["loss"]
            return {"loss": loss.detach().requires_grad_()}

    x, y = classes()
    return made(Loose(), {"x": x, "y": y})


@answer("unsafe-log-div")
def hazards_through_log_of_sigmoid() -> Made:
    x, y = table(80)
    last, died = (y.sigmoid() * 8).long().clamp(0, 7), torch.rand(80) < 0.7

    def step(model: nn.Module, batch: Any) -> Tensor:
        hazard = torch.sigmoid(model(batch["x"]))
        bins, last, died = torch.arange(8), batch["last"], batch["died"]
        lived = (bins < last[:, None]) | ((bins == last[:, None]) & ~died[:, None])
        ended = (bins == last[:, None]) & died[:, None]
        each = torch.log(1 - hazard) * lived + torch.log(hazard) * ended
        return -each.sum(1).mean()

    return made(mlp(10, 32, 8), {"x": x, "last": last, "died": died}, step=step)


@answer("unused-parameters")
def picture_that_is_encoded_and_forgotten() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.eye = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            self.row, self.head = nn.Linear(5, 8), nn.Sequential(nn.ReLU(), nn.Linear(8, 3))

        def forward(self, picture: Tensor, row: Tensor) -> Tensor:
            self.eye(picture)
            return self.head(self.row(row))

    row = torch.randn(32, 5)
    return made(Net(), (torch.randn(32, 1, 12, 12), row, row[:, :3].argmax(1)), nn.CrossEntropyLoss())


@answer("missing-detach")
def student_that_moves_its_teacher() -> Made:
    teacher, student = mlp(10, 64, 4), mlp(10, 16, 4)

    def step(student: nn.Module, batch: Any) -> Tensor:
        return F.mse_loss(student(batch[0]), teacher(batch[0]))

    both = nn.ModuleDict({"student": student, "teacher": teacher})
    own = [torch.optim.Adam(student.parameters()), torch.optim.Adam(teacher.parameters())]
    return made(
        both, torch.randn(64, 10), step=lambda m, b: step(m["student"], (b,))
    ) | {"optimizer": own}  # fmt: skip


@answer("double-softmax")
def encoder_that_returns_probabilities() -> Made:
    class Net(Masked):
        def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None) -> Said:
            chances = super().forward(input_ids, attention_mask).logits.softmax(-1)
            return Said(None if labels is None else F.cross_entropy(chances, labels), chances)

    ids, mask = torch.randint(1, 50, (24, 20)), torch.ones(24, 20, dtype=torch.long)
    return made(Net(), {"input_ids": ids, "attention_mask": mask, "labels": ids[:, 0] % 3})


@answer("batch-mixing")
def words_normalised_over_the_batch() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.head = nn.Embedding(50, 16), mlp(16, 32, 3)

        def forward(self, ids: Tensor) -> Tensor:
            h = self.embed(ids).mean(1)
            near = (h @ h.T).softmax(1)
            return self.head(h + near @ h)

    ids = torch.randint(50, (32, 9))
    return made(Net(), (ids, ids[:, 0] % 3), nn.CrossEntropyLoss())
