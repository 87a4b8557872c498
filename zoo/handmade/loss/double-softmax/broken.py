"""Ten kinds of textured tiles, recognised by a small convolutional network."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TrainConfig:
    classes: int = 10
    tile: int = 16
    train_tiles: int = 1400
    test_tiles: int = 500
    batch_size: int = 50
    epochs: int = 7
    lr: float = 0.03
    momentum: float = 0.9
    seed: int = 4


class TextureNet(nn.Module):
    """Two convolution blocks and a classification head."""

    def __init__(self, classes, width=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 5, padding=2),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
        )
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(8 * width, 48),
            nn.ReLU(),
            nn.Linear(48, classes),
            nn.Softmax(dim=1),
        )

    def forward(self, tiles):
        return self.head(self.features(tiles))


def textures(count, cfg, gen):
    kind = torch.randint(cfg.classes, (count,), generator=gen)
    angle = math.pi * kind.float() / cfg.classes + 0.04 * torch.randn(count, generator=gen)
    phase = 2 * math.pi * torch.rand(count, generator=gen)
    grid = torch.arange(cfg.tile, dtype=torch.float32)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    direction = torch.cos(angle).view(-1, 1, 1) * xx + torch.sin(angle).view(-1, 1, 1) * yy
    tiles = torch.sin(1.3 * direction + phase.view(-1, 1, 1))
    tiles = tiles + 0.8 * torch.randn(tiles.shape, generator=gen)
    return tiles.unsqueeze(1), kind


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        gen = torch.Generator().manual_seed(cfg.seed)
        train = TensorDataset(*textures(cfg.train_tiles, cfg, gen))
        test = TensorDataset(*textures(cfg.test_tiles, cfg, gen))
        self.train_loader = DataLoader(train, batch_size=cfg.batch_size, shuffle=True)
        self.test_loader = DataLoader(test, batch_size=250)
        self.model = TextureNet(cfg.classes)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=cfg.lr, momentum=cfg.momentum)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(
            self.optimizer, T_max=cfg.epochs
        )

    def fit(self):
        for epoch in range(self.cfg.epochs):
            self.model.train()
            total = 0.0
            for tiles, kind in self.train_loader:
                scores = self.model(tiles)
                loss = F.cross_entropy(scores, kind)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            self.scheduler.step()
            print(f"epoch {epoch + 1} loss {total / len(self.train_loader):.4f}")

    @torch.no_grad()
    def test(self):
        self.model.eval()
        hits = [(self.model(tiles).argmax(1) == kind) for tiles, kind in self.test_loader]
        return torch.cat(hits).float().mean().item()


if __name__ == "__main__":
    config = TrainConfig()
    torch.manual_seed(config.seed)
    trainer = Trainer(config)
    trainer.fit()
    print(f"test accuracy {trainer.test():.3f}")
