"""Texture orientation: tell four grating directions apart in small noisy patches."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = 16


def make_gratings(n: int, generator: torch.Generator) -> TensorDataset:
    label = torch.randint(4, (n,), generator=generator)
    jitter = 0.1 * torch.randn(n, generator=generator)
    angle = label * math.pi / 4 + jitter
    phase = 2 * math.pi * torch.rand(n, generator=generator)
    freq = 1.1 + 0.3 * torch.rand(n, generator=generator)
    ys, xs = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    along = torch.cos(angle)[:, None, None] * xs + torch.sin(angle)[:, None, None] * ys
    wave = torch.sin(freq[:, None, None] * along + phase[:, None, None])
    noise = torch.randn(n, SIZE, SIZE, generator=generator)
    patch = 1.2 * wave + 0.5 * noise
    return TensorDataset(patch.unsqueeze(1), label)


def conv_block(c_in: int, c_out: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
    )


def build_net() -> nn.Sequential:
    return nn.Sequential(
        conv_block(1, 12),
        conv_block(12, 24, stride=2),
        conv_block(24, 24, stride=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(24, 4),
    )


def train_epoch(net: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> float:
    net.train()
    loss_fn = nn.CrossEntropyLoss()
    seen, summed = 0, 0.0
    for patch, label in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_fn(net(patch), label)
        loss.backward()
        optimizer.step()
        seen += label.numel()
        summed += loss.item() * label.numel()
    return summed / seen


@torch.no_grad()
def accuracy(net: nn.Module, loader: DataLoader) -> float:
    net.eval()
    correct = sum((net(patch).argmax(1) == label).sum().item() for patch, label in loader)
    return correct / len(loader.dataset)


if __name__ == "__main__":
    torch.manual_seed(3)
    g = torch.Generator().manual_seed(11)
    train_loader = DataLoader(make_gratings(1600, g), batch_size=64, shuffle=True)
    test_loader = DataLoader(make_gratings(600, g), batch_size=200)

    net = build_net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)
    for epoch in range(8):
        print(f"[{epoch}] train loss {train_epoch(net, train_loader, optimizer):.4f}")
    print(f"accuracy on held-out patches: {accuracy(net, test_loader):.3f}")
