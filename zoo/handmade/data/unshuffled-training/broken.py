"""Recognise six hand gestures from three-axis accelerometer traces."""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

GESTURES = ["swipe", "circle", "shake", "tap", "lift", "twist"]


def record_gesture(kind: int, count: int, steps: int, gen: torch.Generator) -> torch.Tensor:
    t = torch.linspace(0, 1, steps)
    phase = 2 * math.pi * torch.rand(count, 1, 1, generator=gen)
    pace = 1.0 + 0.15 * torch.randn(count, 1, 1, generator=gen)
    freq = torch.tensor([1.0 + kind, 2.0 + (kind * 2) % 5, 1.0 + (kind * 3) % 4]).view(1, 3, 1)
    wave = torch.sin(2 * math.pi * freq * pace * t + phase)
    return wave + 0.85 * torch.randn(count, 3, steps, generator=gen)


class GestureDataset(Dataset):
    """All recordings of one session, gesture after gesture."""

    def __init__(self, per_gesture: int, steps: int, seed: int):
        gen = torch.Generator().manual_seed(seed)
        traces, labels = [], []
        for kind in range(len(GESTURES)):
            traces.append(record_gesture(kind, per_gesture, steps, gen))
            labels.append(torch.full((per_gesture,), kind))
        self.traces = torch.cat(traces)
        self.labels = torch.cat(labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int):
        return self.traces[i], self.labels[i]


class GestureNet(nn.Module):
    def __init__(self, channels: int = 24):
        super().__init__()
        self.conv1 = nn.Conv1d(3, channels, 7, padding=3)
        self.conv2 = nn.Conv1d(channels, channels, 5, padding=2)
        self.fc = nn.Linear(channels, len(GESTURES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool1d(F.relu(self.conv1(x)), 2)
        x = F.relu(self.conv2(x))
        return self.fc(x.mean(dim=2))


@torch.no_grad()
def test(net: nn.Module, loader: DataLoader) -> float:
    net.eval()
    correct = sum((net(x).argmax(1) == y).sum().item() for x, y in loader)
    return correct / len(loader.dataset)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--per-gesture", type=int, default=260)
    p.add_argument("--steps", type=int, default=48)
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--lr", type=float, default=8e-3)
    args = p.parse_args()

    torch.manual_seed(1)
    train_data = GestureDataset(args.per_gesture, args.steps, seed=100)
    test_data = GestureDataset(60, args.steps, seed=200)
    train_loader = DataLoader(train_data, batch_size=40)
    test_loader = DataLoader(test_data, batch_size=120)

    net = GestureNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, total_steps=args.epochs * len(train_loader)
    )
    for epoch in range(1, args.epochs + 1):
        net.train()
        running = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        print(f"epoch {epoch}: mean batch loss {running / len(train_loader):.4f}")

    print(f"test accuracy {test(net, test_loader):.3f}")


if __name__ == "__main__":
    main()
