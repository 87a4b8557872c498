"""Shapes dataset: a small convolutional classifier for bars, crosses and boxes."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def draw(n, gen):
    images = torch.zeros(n, 1, 14, 14)
    labels = torch.arange(n) % 4
    rows = torch.randint(1, 6, (n,), generator=gen).tolist()
    cols = torch.randint(1, 6, (n,), generator=gen).tolist()
    for img, label, r, c in zip(images, labels.tolist(), rows, cols):
        if label == 0:
            img[0, r + 3, c : c + 7] = 1
        elif label == 1:
            img[0, r : r + 7, c + 3] = 1
        elif label == 2:
            img[0, r + 3, c : c + 7] = 1
            img[0, r : r + 7, c + 3] = 1
        else:
            img[0, r : r + 7, c : c + 7] = 1
            img[0, r + 1 : r + 6, c + 1 : c + 6] = 0
    images += 0.3 * torch.randn(images.shape, generator=gen)
    return images, labels


class ShapeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.fc1 = nn.Linear(24 * 3 * 3, 48)
        self.fc2 = nn.Linear(48, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.elu(self.fc1(x.flatten(1)))
        return self.fc2(x)


def train(args, model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            print(f"Train Epoch: {epoch} [{batch_idx}/{len(loader)}]\tLoss: {loss.item():.6f}")


def test(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for data, target in loader:
            correct += model(data).argmax(dim=1).eq(target).sum().item()
    return correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description="Shape classification")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=15)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    train_x, train_y = draw(2000, gen)
    test_x, test_y = draw(600, gen)
    mean, std = train_x.mean(), train_x.std()
    train_set = TensorDataset((train_x - mean) / std, train_y)
    test_set = TensorDataset((test_x - mean) / std, test_y)

    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=200)
    model = ShapeNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train(args, model, train_loader, optimizer, epoch)
        scheduler.step()

    print(f"\nTest set: accuracy {test(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
