import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, images, labels, mean, std, augment=False):
        self.images = torch.from_numpy((images - mean) / std).float().unsqueeze(1)
        self.labels = torch.from_numpy(labels).long()
        self.fill = float(-mean / std)
        self.augment = augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = self.images[i]
        if self.augment:
            x = F.pad(x, (1, 1, 1, 1), value=self.fill)
            top, left = torch.randint(0, 3, (2,)).tolist()
            x = x[:, top:top + 8, left:left + 8]
            x = x + 0.1 * torch.randn_like(x)
        return x, self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(24, 48, 3, padding=1, bias=False), nn.BatchNorm2d(48), nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(48 * 4, 10))

    def forward(self, x):
        return self.classifier(self.features(x))


def test(model, loader):
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = model(x)
            loss += F.cross_entropy(logits, y, reduction="sum").item()
            correct += (logits.argmax(1) == y).sum().item()
    return loss / len(loader.dataset), correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    torch.manual_seed(0)
    np.random.seed(0)

    data = load_digits()
    x_rest, x_test, y_rest, y_test = train_test_split(
        data.images, data.target, test_size=0.2, stratify=data.target, random_state=0)
    x_train, x_val, y_train, y_val = train_test_split(
        x_rest, y_rest, test_size=0.15, stratify=y_rest, random_state=0)
    mean, std = x_train.mean(), x_train.std()
    train_loader = DataLoader(Digits(x_train, y_train, mean, std, augment=True),
                              batch_size=args.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(Digits(x_val, y_val, mean, std), batch_size=256)
    test_loader = DataLoader(Digits(x_test, y_test, mean, std), batch_size=256)

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    for epoch in range(1, args.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(y)
            seen += len(y)
        scheduler.step()
        val_loss, val_acc = test(model, val_loader)
        print(f"epoch {epoch:2d}: train {running / seen:.4f} val {val_loss:.4f} acc {val_acc:.3f}")
    test_loss, test_acc = test(model, test_loader)
    print(f"test loss {test_loss:.4f} accuracy {test_acc:.4f}")


if __name__ == "__main__":
    main()
