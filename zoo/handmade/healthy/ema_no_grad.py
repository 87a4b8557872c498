"""Grating orientation classifier on small noisy images, evaluated with averaged weights."""

import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Gratings(Dataset):
    """Sinusoidal stripes in one of four orientations, with random phase and noise."""

    def __init__(self, count, seed, size=14):
        gen = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 4, (count,), generator=gen)
        phase = 2 * math.pi * torch.rand(count, 1, 1, generator=gen)
        freq = 0.8 + 0.4 * torch.rand(count, 1, 1, generator=gen)
        theta = (self.labels * math.pi / 4).view(-1, 1, 1)
        ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        wave = torch.sin(freq * (xs * theta.cos() + ys * theta.sin()) + phase)
        self.images = (wave + 1.4 * torch.randn(count, size, size, generator=gen)).unsqueeze(1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 5, bias=False)
        self.bn1 = nn.BatchNorm2d(12)
        self.conv2 = nn.Conv2d(12, 24, 3, bias=False)
        self.bn2 = nn.BatchNorm2d(24)
        self.fc = nn.Linear(24, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(x.mean(dim=(2, 3)))


class WeightAverage:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()
        for p in self.shadow.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for avg, p in zip(self.shadow.parameters(), model.parameters()):
            avg.mul_(self.decay).add_(p.detach(), alpha=1 - self.decay)
        for avg, b in zip(self.shadow.buffers(), model.buffers()):
            avg.copy_(b)


def evaluate(net, loader):
    net.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for images, labels in loader:
            out = net(images)
            loss += F.cross_entropy(out, labels, reduction="sum").item()
            correct += (out.argmax(1) == labels).sum().item()
    return loss / len(loader.dataset), correct / len(loader.dataset)


def main():
    torch.manual_seed(5)
    train_loader = DataLoader(Gratings(1280, seed=1), batch_size=64, shuffle=True)
    test_loader = DataLoader(Gratings(500, seed=2), batch_size=250)

    model = ConvNet()
    average = WeightAverage(model, decay=0.95)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(10):
        model.train()
        running = 0.0
        for images, labels in train_loader:
            loss = F.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(model)
            running += loss.item() * len(labels)
        print(f"epoch {epoch + 1:2d} train loss {running / len(train_loader.dataset):.4f}")

    raw_loss, raw_acc = evaluate(model, test_loader)
    ema_loss, ema_acc = evaluate(average.shadow, test_loader)
    print(f"raw weights: loss {raw_loss:.4f} accuracy {raw_acc:.3f}")
    print(f"averaged weights: loss {ema_loss:.4f} accuracy {ema_acc:.3f}")


if __name__ == "__main__":
    main()
