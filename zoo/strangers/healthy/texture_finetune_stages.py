"""Transfer learning in two stages on synthetic textures.

A backbone is pre-trained to recognise eight grating classes. For a new
three-class task with few images, a fresh head is trained on the frozen
backbone, then the last block is unfrozen with a smaller learning rate.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Settings:
    size: int = 16
    pretrain_images: int = 2400
    target_images: int = 240
    test_images: int = 600
    pretrain_epochs: int = 6
    head_epochs: int = 12
    finetune_epochs: int = 10
    seed: int = 8


def gratings(n: int, n_classes: int, offset: float, size: int, rng: np.random.Generator):
    """Oriented sinusoidal gratings in noise; classes differ in orientation."""
    labels = rng.integers(0, n_classes, size=n)
    theta = np.pi * (labels / n_classes) + offset + rng.normal(scale=0.05, size=n)
    freq = rng.uniform(0.12, 0.28, size=n)
    phase = rng.uniform(0, 2 * np.pi, size=n)
    yy, xx = np.mgrid[0:size, 0:size]
    wave = np.cos(theta)[:, None, None] * xx + np.sin(theta)[:, None, None] * yy
    images = np.sin(2 * np.pi * freq[:, None, None] * wave + phase[:, None, None])
    images = images + rng.normal(scale=0.6, size=images.shape)
    return torch.tensor(images, dtype=torch.float32).unsqueeze(1), torch.tensor(labels)


def conv_block(c_in: int, c_out: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 5, padding=2, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(), nn.MaxPool2d(2)
    )


class TextureNet(nn.Module):
    def __init__(self, num_classes: int) -> None:
        super().__init__()
        self.block1 = conv_block(1, 16)
        self.block2 = conv_block(16, 32)
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(32, num_classes)
        self.frozen: list[nn.Module] = []

    def freeze(self, *modules: nn.Module) -> None:
        self.frozen = list(modules)
        for p in self.parameters():
            p.requires_grad = True
        for m in modules:
            for p in m.parameters():
                p.requires_grad = False

    def train(self, mode: bool = True) -> "TextureNet":
        super().train(mode)
        for m in self.frozen:
            m.eval()
        return self

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.pool(self.block2(self.block1(x))))


def run_stage(name: str, model: TextureNet, groups: list[dict], loader: DataLoader, epochs: int) -> None:
    optimizer = torch.optim.AdamW(groups, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        loss_sum = hits = 0.0
        for x, y in loader:
            logits = model(x)
            loss = criterion(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
        n = len(loader.dataset)
        print(f"{name:<9} epoch {epoch + 1:2d}  train loss {loss_sum / n:.4f}  train acc {hits / n:.4f}")


@torch.no_grad()
def evaluate(model: TextureNet, loader: DataLoader) -> float:
    model.eval()
    return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


def main() -> None:
    cfg = Settings()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    source = gratings(cfg.pretrain_images, 8, 0.0, cfg.size, rng)
    target = gratings(cfg.target_images, 3, 0.2, cfg.size, rng)
    test = gratings(cfg.test_images, 3, 0.2, cfg.size, rng)
    mean, std = source[0].mean(), source[0].std()

    def loader(data, shuffle: bool) -> DataLoader:
        return DataLoader(TensorDataset((data[0] - mean) / std, data[1]), batch_size=32, shuffle=shuffle)

    target_loader, test_loader = loader(target, True), loader(test, False)

    model = TextureNet(num_classes=8)
    run_stage("pretrain", model, [{"params": model.parameters(), "lr": 2e-3}], loader(source, True), cfg.pretrain_epochs)

    model.head = nn.Linear(model.head.in_features, 3)
    model.freeze(model.block1, model.block2)
    run_stage("head", model, [{"params": model.head.parameters(), "lr": 1e-2}], target_loader, cfg.head_epochs)
    print(f"test accuracy with frozen backbone {evaluate(model, test_loader):.4f}")

    model.freeze(model.block1)
    groups = [
        {"params": model.head.parameters(), "lr": 1e-3},
        {"params": model.block2.parameters(), "lr": 2e-4},
    ]
    run_stage("finetune", model, groups, target_loader, cfg.finetune_epochs)
    print(f"test accuracy after fine-tuning {evaluate(model, test_loader):.4f}")


if __name__ == "__main__":
    main()
