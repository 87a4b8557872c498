# mypy: disable-error-code="no-any-return,no-untyped-call,arg-type,index"
"""Pictures: classes, masks, patches."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.probe.fresh.shared import Made, Resnet, adam, answer, sgd


def pictures(n: int = 16, size: int = 16) -> Tensor:
    return torch.rand(n, 3, size, size)


@answer()
def resnet_on_unit_range_images() -> Made:
    model = Resnet()
    batch = ((pictures() - 0.45) / 0.25, torch.randint(10, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": sgd(model)}


@answer("inputs-unnormalized")
def resnet_on_byte_images_as_floats() -> Made:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 10))
    batch = ((pictures() * 255).round(), torch.randint(10, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": sgd(model)}


class Unet(nn.Module):
    def __init__(self, last: nn.Module | None = None) -> None:
        super().__init__()
        self.down, self.middle = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 1, 1)
        self.last = last or nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        a = F.relu(self.down(x))
        b = F.relu(self.middle(F.max_pool2d(a, 2)))
        return self.last(self.out(torch.cat([a, self.up(b)], 1)))


def masks(scale: float = 1.0) -> tuple[Tensor, Tensor]:
    x = torch.randn(8, 1, 16, 16)
    return x, (F.avg_pool2d(x, 3, 1, 1) > 0.2).float() * scale


@answer()
def segmentation_with_dice() -> Made:
    model = Unet()

    def loss(logits: Tensor, target: Tensor) -> Tensor:
        p = torch.sigmoid(logits)
        dice = 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)
        return F.binary_cross_entropy_with_logits(logits, target) + dice

    return {"model": model, "batch": masks(), "loss_fn": loss, "optimizer": adam(model)}


@answer("labels-out-of-range")
def segmentation_masks_of_255() -> Made:
    model = Unet()
    return {
        "model": model,
        "batch": masks(255.0),
        "loss_fn": nn.BCEWithLogitsLoss(),
        "optimizer": adam(model),
    }


@answer("double-softmax")
def segmentation_with_two_sigmoids() -> Made:
    model = Unet(nn.Sigmoid())
    return {"model": model, "batch": masks(), "loss_fn": nn.BCEWithLogitsLoss(), "optimizer": adam(model)}


@answer("unsafe-log-div")
def segmentation_by_hand_dice_of_nothing() -> Made:
    model = Unet()

    def loss(logits: Tensor, target: Tensor) -> Tensor:
        hit = (logits.sigmoid() * target).flatten(1).sum(1)
        return (1 - hit / target.flatten(1).sum(1)).mean()

    return {"model": model, "batch": masks(), "loss_fn": loss, "optimizer": adam(model)}


@answer()
def vit_with_class_token() -> Made:
    class Vit(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patch = nn.Conv2d(3, 32, 4, stride=4)
            self.token = nn.Parameter(torch.zeros(1, 1, 32))
            self.place = nn.Parameter(torch.randn(1, 17, 32) * 0.02)
            layer = nn.TransformerEncoderLayer(32, 4, 64, 0.1, batch_first=True, norm_first=True)
            self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(32, 5)
            nn.init.zeros_(self.head.weight)  # as the published recipe has it

        def forward(self, x: Tensor) -> Tensor:
            h = self.patch(x).flatten(2).transpose(1, 2)
            h = torch.cat([self.token.expand(len(x), -1, -1), h], 1) + self.place
            return self.head(self.body(h)[:, 0])

    model = Vit()
    batch = (torch.randn(16, 3, 16, 16), torch.randint(5, (16,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(label_smoothing=0.1),
            "optimizer": torch.optim.AdamW(model.parameters(), lr=3e-4)}  # fmt: skip


@answer("batch-mixing")
def patches_by_view() -> Made:
    class Mixer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(16, 32), nn.Linear(32, 4)

        def forward(self, x: Tensor) -> Tensor:  # (batch, 16 channels, 9 places)
            h = x.permute(2, 0, 1).reshape(len(x), 9, 16)  # should have been permute(0, 2, 1)
            return self.two(F.gelu(self.one(h)).mean(1))

    model = Mixer()
    batch = (torch.randn(12, 16, 9), torch.randint(4, (12,)))
    return {"model": model, "batch": batch, "loss_fn": nn.CrossEntropyLoss(), "optimizer": adam(model)}
