"""Segment bright discs in noisy images, with gradient accumulation over micro-batches."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def make_images(n: int, size: int = 16) -> tuple[Tensor, Tensor]:
    """Noisy images with two discs each, and the mask of the discs."""
    ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    centres = torch.rand(n, 2, 2) * (size - 6) + 3
    radii = 2.5 + 2 * torch.rand(n, 2)
    dy = ys - centres[:, :, 0, None, None]
    dx = xs - centres[:, :, 1, None, None]
    discs = dy**2 + dx**2 <= radii[:, :, None, None] ** 2
    mask = discs.any(dim=1, keepdim=True).float()
    images = 1.5 * mask + torch.randn(n, 1, size, size)
    return images, mask


class SegNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.deep = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.stem(x))
        x = F.relu(self.mid(x))
        x = F.relu(self.deep(x))
        return self.out(x)


@torch.no_grad()
def iou(model: nn.Module, images: Tensor, masks: Tensor) -> float:
    model.eval()
    predicted = model(images) > 0
    truth = masks.bool()
    return ((predicted & truth).sum() / (predicted | truth).sum()).item()


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    images: Tensor,
    masks: Tensor,
    micro_batch: int,
    accum_steps: int,
) -> float:
    model.train()
    optimizer.zero_grad()
    chunks = torch.randperm(len(images)).split(micro_batch)
    total = 0.0
    for i, idx in enumerate(chunks, start=1):
        loss = F.binary_cross_entropy_with_logits(model(images[idx]), masks[idx])
        loss.backward()
        total += loss.item()
        if i % accum_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    return total / len(chunks)


def main() -> None:
    torch.manual_seed(4)
    x_train, m_train = make_images(448)
    x_val, m_val = make_images(100)
    x_test, m_test = make_images(200)
    mean, std = x_train.mean(), x_train.std()
    x_train, x_val, x_test = ((x - mean) / std for x in (x_train, x_val, x_test))

    model = SegNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    epochs = 10
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(1, epochs + 1):
        loss = train_epoch(model, optimizer, x_train, m_train, micro_batch=4, accum_steps=8)
        scheduler.step()
        print(f"epoch {epoch:2d}  loss {loss:.4f}  val IoU {iou(model, x_val, m_val):.3f}")

    print(f"test IoU {iou(model, x_test, m_test):.3f}")


if __name__ == "__main__":
    main()
