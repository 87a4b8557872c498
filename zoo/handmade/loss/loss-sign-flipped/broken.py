"""Segment bright round cells in noisy microscope crops, trained with a soft Dice objective."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SIZE = 20


def make_crops(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    grid = torch.arange(SIZE, dtype=torch.float32)
    center = 6 + (SIZE - 12) * torch.rand(count, 2, 1, 1, generator=generator)
    radius = 4 + 3 * torch.rand(count, 1, 1, generator=generator)
    dist = ((grid.view(1, -1, 1) - center[:, 0]) ** 2 + (grid - center[:, 1]) ** 2).sqrt()
    masks = (dist < radius).float().unsqueeze(1)
    crops = 1.5 * masks + torch.randn(count, 1, SIZE, SIZE, generator=generator)
    return crops, masks


def dice_loss(logits: torch.Tensor, masks: torch.Tensor, smooth: float = 1.0) -> torch.Tensor:
    probs = torch.sigmoid(logits).flatten(1)
    masks = masks.flatten(1)
    overlap = (probs * masks).sum(dim=1)
    dice = (2 * overlap + smooth) / (probs.sum(dim=1) + masks.sum(dim=1) + smooth)
    return dice.mean()


class SegNet(nn.Module):
    def __init__(self, width: int = 8):
        super().__init__()
        self.enc1 = nn.Conv2d(1, width, 3, padding=1)
        self.enc2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.mid = nn.Conv2d(2 * width, 2 * width, 3, padding=1)
        self.dec = nn.Conv2d(3 * width, width, 3, padding=1)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skip = F.relu(self.enc1(x))
        h = F.relu(self.enc2(F.max_pool2d(skip, 2)))
        h = F.relu(self.mid(h))
        h = F.interpolate(h, scale_factor=2.0, mode="nearest")
        h = F.relu(self.dec(torch.cat([h, skip], dim=1)))
        return self.out(h)


def mean_iou(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    scores = []
    with torch.no_grad():
        for crops, masks in loader:
            found = model(crops) > 0
            truth = masks > 0.5
            inter = (found & truth).flatten(1).sum(1)
            union = (found | truth).flatten(1).sum(1)
            scores.append(inter / union)
    return torch.cat(scores).mean().item()


def main() -> None:
    torch.manual_seed(12)
    generator = torch.Generator().manual_seed(12)
    crops, masks = make_crops(450, generator)
    test_crops, test_masks = make_crops(150, generator)
    mean, std = crops.mean(), crops.std()
    train_set = TensorDataset((crops - mean) / std, masks)
    test_set = TensorDataset((test_crops - mean) / std, test_masks)
    train_loader = DataLoader(train_set, batch_size=30, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=75)

    model = SegNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(1, 9):
        model.train()
        total = 0.0
        for batch, target in train_loader:
            optimizer.zero_grad()
            loss = dice_loss(model(batch), target)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch:2d} loss {total / len(train_loader):.4f}")

    print(f"test IoU {mean_iou(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
