"""Model definition and the Trainer."""
from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from config import MODELS, StageConfig


class Classifier(nn.Module):
    def __init__(self, backbone: nn.Module, dim: int, n_classes: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.backbone(x))


@MODELS.register("tiny_cnn")
def tiny_cnn(width: int = 12) -> nn.Module:
    def block(i: int, o: int) -> list:
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*block(1, width), *block(width, 2 * width), *block(2 * width, 4 * width), nn.Flatten())


class Trainer:
    def __init__(self, model: Classifier, batch_size: int) -> None:
        self.model = model
        self.batch_size = batch_size
        self.criterion = nn.CrossEntropyLoss()

    def _make_optimizer(self, stage: StageConfig) -> torch.optim.Optimizer:
        self.model.backbone.requires_grad_(not stage.freeze_backbone)
        groups = [{"params": list(self.model.head.parameters()), "lr": stage.lr_head}]
        if not stage.freeze_backbone:
            groups.append({"params": list(self.model.backbone.parameters()), "lr": stage.lr_backbone})
        return torch.optim.AdamW(groups, weight_decay=stage.weight_decay)

    def run(self, stage: StageConfig, train: Dataset) -> None:
        loader = DataLoader(train, batch_size=self.batch_size, shuffle=True)
        opt = self._make_optimizer(stage)
        for epoch in range(stage.epochs):
            self.model.train()
            if stage.freeze_backbone:
                self.model.backbone.eval()
            total = 0.0
            for x, y in loader:
                loss = self.criterion(self.model(x), y)
                loss.backward()
                opt.step()
                opt.zero_grad()
                total += loss.item() * len(y)
            if epoch in (0, stage.epochs - 1):
                print(f"[{stage.name}] epoch {epoch + 1}/{stage.epochs} loss={total / len(train):.4f}")

    @torch.no_grad()
    def accuracy(self, data: Dataset) -> float:
        self.model.eval()
        hits = sum((self.model(x).argmax(1) == y).sum().item()
                   for x, y in DataLoader(data, batch_size=256, shuffle=False))
        return hits / len(data)
