"""Exercise 3: a small convolutional network on the 8x8 digits."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--seed", type=int, default=7)
    return p.parse_args()


def load_data(args):
    digits = load_digits()
    images = digits.images.astype(np.float32)
    x_tr, x_te, y_tr, y_te = train_test_split(
        images, digits.target, test_size=0.25, stratify=digits.target, random_state=args.seed)
    mean, std = x_tr.mean(), x_tr.std()

    def to_dataset(x, y):
        x = torch.from_numpy((x - mean) / std).unsqueeze(1)
        return TensorDataset(x, torch.from_numpy(y).long())

    train = DataLoader(to_dataset(x_tr, y_tr), batch_size=args.batch_size, shuffle=True)
    test = DataLoader(to_dataset(x_te, y_te), batch_size=256)
    return train, test


class ConvNet(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * 2 * 2, n_classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class Trainer:
    def __init__(self, model, train_loader, test_loader, args):
        self.model = model
        self.train_loader = train_loader
        self.test_loader = test_loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
        self.epochs = args.epochs

    def train_epoch(self):
        self.model.train()
        total, seen = 0.0, 0
        self.optimizer.zero_grad()
        for images, labels in self.train_loader:
            logits = self.model(images)
            loss = self.criterion(logits, labels)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * labels.size(0)
            seen += labels.size(0)
        return total / seen

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        hits, seen = 0, 0
        for images, labels in self.test_loader:
            hits += (self.model(images).argmax(1) == labels).sum().item()
            seen += labels.size(0)
        return hits / seen

    def fit(self):
        for epoch in range(1, self.epochs + 1):
            loss = self.train_epoch()
            print(f"epoch {epoch:2d}  loss {loss:.4f}")
        return self.evaluate()


def main():
    args = parse_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    train_loader, test_loader = load_data(args)
    trainer = Trainer(ConvNet(), train_loader, test_loader, args)
    accuracy = trainer.fit()
    print(f"test accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
