"""Transfer learning on 8x8 digits: a backbone trained on 0-4, a new linear head for 5-9."""

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, out_features=64):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, out_features),
            nn.LeakyReLU(0.1),
        )

    def forward(self, x):
        return self.features(x)


class FineTuned(nn.Module):
    def __init__(self, backbone, num_classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(64, num_classes)
        for p in self.backbone.parameters():
            p.requires_grad = False

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, x):
        return self.head(self.backbone(x))


def fit(model, optimizer, loader, epochs, tag):
    criterion = nn.CrossEntropyLoss()
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        model.train()
        total, seen = 0.0, 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
            seen += len(y)
        scheduler.step()
        print(f"{tag} epoch {epoch + 1:2d} loss {total / seen:.4f}")


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    digits = load_digits()
    images = digits.images.astype(np.float32)
    source = digits.target < 5

    src_x, src_y = images[source], digits.target[source]
    mean, std = src_x.mean(), src_x.std()
    src_x = torch.from_numpy((src_x - mean) / std).unsqueeze(1)
    src_y = torch.from_numpy(src_y).long()
    backbone = Backbone()
    pretrainer = nn.Sequential(backbone, nn.Linear(64, 5))
    src_loader = DataLoader(TensorDataset(src_x, src_y), batch_size=64, shuffle=True)
    fit(pretrainer, torch.optim.Adam(pretrainer.parameters(), lr=1e-3), src_loader, 5, "source")

    tgt_x = torch.from_numpy((images[~source] - mean) / std).unsqueeze(1)
    tgt_y = torch.from_numpy(digits.target[~source] - 5).long()
    train_idx, test_idx = train_test_split(
        np.arange(len(tgt_y)), test_size=0.3, stratify=tgt_y.numpy(), random_state=0
    )
    tgt_loader = DataLoader(
        TensorDataset(tgt_x[train_idx], tgt_y[train_idx]), batch_size=32, shuffle=True
    )

    model = FineTuned(backbone, num_classes=5)
    head_optimizer = torch.optim.Adam(model.head.parameters(), lr=3e-2)
    fit(model, head_optimizer, tgt_loader, 20, "target")
    print(f"train accuracy {accuracy(model, tgt_x[train_idx], tgt_y[train_idx]):.3f}")
    print(f"test accuracy {accuracy(model, tgt_x[test_idx], tgt_y[test_idx]):.3f}")


if __name__ == "__main__":
    main()
